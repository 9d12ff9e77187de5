// live-subject op|step AGENT ROUNDS: what recording costs, against LibTorch's own profiler in the same program. Prints
// "CONFIGURATION NANOSECONDS" lines: processor time of the measured thread an operator or a step.
// live-subject alone STEPS: a step without switching anything, for comparison from outside.

#include "capture/wire/segment.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace {

namespace wire = torchline::wire;

/// The other end of the agent, in this very program: starts and stops it, and empties its rings.
class Window {
public:
    explicit Window(const char* agent)
    {
        m_path = "/tmp/torchline-live-" + std::to_string(getpid()) + ".sock";
        m_listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, m_path.c_str(), sizeof(address.sun_path) - 1);
        unlink(m_path.c_str());
        if (bind(m_listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0
            || listen(m_listening, 1) != 0)
            fail("no socket");
        void* const library = dlopen(agent, RTLD_NOW);
        const auto attach
            = library ? reinterpret_cast<int (*)(const char*)>(dlsym(library, "torchline_attach")) : nullptr;
        if (!attach)
            fail(dlerror());
        m_thread = std::thread([this] { serve(); });
        if (attach(m_path.c_str()) != 0)
            fail("the agent does not attach");
        waitFor("idle");
    }
    ~Window()
    {
        m_done = true;
        m_thread.join();
        close(m_socket);
        close(m_listening);
        unlink(m_path.c_str());
    }

    void say(const std::string& line, const std::string& state)
    {
        {
            const std::lock_guard<std::mutex> lock(m_mutex);
            m_state.clear();
        }
        if (send(m_socket, line.data(), line.size(), MSG_NOSIGNAL) < 0)
            fail("the agent is gone");
        waitFor(state);
    }
    [[nodiscard]] uint64_t dropped() const { return m_dropped; }

private:
    [[noreturn]] static void fail(const char* why)
    {
        std::cerr << "live-subject: " << why << '\n';
        std::_Exit(1);
    }

    void waitFor(const std::string& state)
    {
        for (int i = 0; i < 10000; ++i) {
            {
                const std::lock_guard<std::mutex> lock(m_mutex);
                if (m_state == state)
                    return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        fail("the agent does not answer");
    }

    void serve()
    {
        m_socket = accept(m_listening, nullptr, nullptr);
        for (; !m_done; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
            while (receive()) { }
            if (m_base)
                drain();
        }
    }

    bool receive()
    {
        char text[65536];
        iovec part = {text, sizeof(text)};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        msghdr message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        const ssize_t got = recvmsg(m_socket, &message, MSG_DONTWAIT);
        if (got <= 0)
            return false;
        if (const cmsghdr* const header = CMSG_FIRSTHDR(&message)) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
            struct stat status = {};
            fstat(fd, &status);
            m_base = static_cast<char*>(
                mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
            close(fd);
        }
        const std::string json(text, static_cast<size_t>(got));
        const std::string key = "\"state\":\"";
        if (const size_t at = json.find(key); json.find("\"type\":\"state\"") != std::string::npos) {
            const std::lock_guard<std::mutex> lock(m_mutex);
            m_state = json.substr(at + key.size(), json.find('"', at + key.size()) - at - key.size());
        }
        return true;
    }

    void drain()
    {
        const auto& header = *reinterpret_cast<const wire::SegmentHeader*>(m_base);
        uint64_t dropped = 0;
        for (uint32_t i = 0; i < header.slotsUsed.load(); ++i) {
            auto& slot = *reinterpret_cast<wire::SlotHeader*>(m_base + header.slotsAt + i * header.slotStride);
            slot.tail.store(slot.head.load(std::memory_order_acquire), std::memory_order_release);
            dropped += slot.dropped.load();
        }
        m_dropped = dropped;
    }

    std::string m_path;
    int m_listening = -1;
    std::atomic<int> m_socket{-1};
    char* m_base = nullptr;
    std::thread m_thread;
    std::mutex m_mutex;
    std::string m_state;
    std::atomic<bool> m_done{false};
    std::atomic<uint64_t> m_dropped{0};
};

double threadNs()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Convolution and a multilayer perceptron on tiny tensors: as little work an operator as a network can have.
struct Step {
    torch::nn::Sequential network;
    torch::optim::SGD optimizer;
    torch::Tensor images = torch::randn({16, 1, 8, 8});
    torch::Tensor labels = torch::randint(0, 10, {16}, torch::kLong);

    Step()
        : network(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).padding(1)), torch::nn::ReLU(),
            torch::nn::Conv2d(torch::nn::Conv2dOptions(4, 4, 3).stride(2).padding(1)), torch::nn::ReLU(),
            torch::nn::Flatten(), torch::nn::Linear(64, 64), torch::nn::GELU(), torch::nn::Linear(64, 64),
            torch::nn::GELU(), torch::nn::Linear(64, 64), torch::nn::GELU(), torch::nn::Linear(64, 10))
        , optimizer(network->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9))
    {
    }
    void operator()()
    {
        RECORD_USER_SCOPE("ProfilerStep");
        optimizer.zero_grad();
        torch::nn::functional::cross_entropy(network->forward(images), labels).backward();
        optimizer.step();
    }
};

void profilerOn(bool shapesAndMemory)
{
    namespace impl = torch::profiler::impl;
    const impl::ProfilerConfig config(impl::ProfilerState::KINETO, shapesAndMemory, shapesAndMemory);
    const std::set<impl::ActivityType> activities = {impl::ActivityType::CPU};
    torch::autograd::profiler::prepareProfiler(config, activities);
    torch::autograd::profiler::enableProfiler(config, activities);
}

struct Configuration {
    std::string name;
    std::function<void()> on;
    std::function<void()> off;
};

/// What LibTorch itself charges for being watched.
at::CallbackHandle watchEmpty()
{
    return at::addGlobalCallback(at::RecordFunctionCallback(
        [](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> { return nullptr; },
        [](const at::RecordFunction&, at::ObserverContext*) {}));
}

std::vector<Configuration> configurations(Window& window)
{
    const auto watching = std::make_shared<at::CallbackHandle>();
    const auto nothing = [] {};
    const auto stop = [&window] { window.say("stop", "idle"); };
    const auto profilerOff = [] { torch::autograd::profiler::disableProfiler(); };
    return {{"bare", nothing, nothing},
        {"empty", [watching] { *watching = watchEmpty(); }, [watching] { at::removeCallback(*watching); }},
        {"ring", [&window] { window.say("start", "recording"); }, stop},
        {"profiler", [] { profilerOn(false); }, profilerOff},
        {"ring_all", [&window] { window.say("start shapes=1 memory=1", "recording"); }, stop},
        {"profiler_all", [] { profilerOn(true); }, profilerOff},
        {"ring_stacks", [&window] { window.say("start stacks=48", "recording"); }, stop}};
}

/// Each configuration in turn, again and again. Of each turn the fastest chunk counts, of all turns the lower quarter:
/// what the machine's other work disturbed least.
void compare(const std::function<void()>& work, int chunk, int rounds, Window& window)
{
    constexpr int kChunks = 20;
    std::map<std::string, std::vector<double>> results;
    for (int round = 0; round < rounds; ++round) {
        for (const Configuration& configuration : configurations(window)) {
            configuration.on();
            work();
            double fastest = std::numeric_limits<double>::infinity();
            for (int i = 0; i < kChunks; ++i) {
                const double begin = threadNs();
                for (int k = 0; k < chunk; ++k)
                    work();
                fastest = std::min(fastest, (threadNs() - begin) / chunk);
            }
            results[configuration.name].push_back(fastest);
            configuration.off();
        }
    }
    for (auto& [name, values] : results) {
        std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 4), values.end());
        std::cout << name << ' ' << values[values.size() / 4] << '\n';
    }
    std::cout << "dropped " << window.dropped() << '\n';
}

} // namespace

int main(int argc, char** argv)
{
    const std::string mode = argc > 2 ? argv[1] : "";
    at::set_num_threads(1);
    torch::manual_seed(1);
    if (mode == "alone") {
        Step step;
        std::vector<double> times;
        for (int i = 0; i < std::stoi(argv[2]); ++i) {
            const double begin = threadNs();
            step();
            times.push_back(threadNs() - begin);
        }
        std::cout << "step " << *std::min_element(times.begin(), times.end()) << '\n';
        return 0;
    }
    if (argc < 4 || (mode != "op" && mode != "step")) {
        std::cerr << "live-subject op|step AGENT ROUNDS, live-subject alone STEPS\n";
        return 2;
    }
    Window window(argv[2]);
    if (mode == "op") {
        torch::NoGradGuard noGradients;
        torch::Tensor a = torch::ones({1});
        const torch::Tensor b = torch::ones({1});
        compare([&] { a.add_(b); }, 1000, std::stoi(argv[3]), window);
    } else {
        Step step;
        compare([&] { step(); }, 1, std::stoi(argv[3]), window);
    }
    return 0;
}
