#include "agent/control_thread.h"

#include "agent/agent.h"
#include "agent/announcements.h"
#include "agent/connection.h"
#include "agent/memory_patch.h"
#include "agent/messages.h"
#include "agent/recording.h"
#include "agent/stacks.h"
#include "agent/steps.h"

#include <csignal>
#include <pthread.h>

namespace torchline::agent {
namespace {

constexpr int kBusyMs = 20; ///< between looks while something may change by itself
constexpr int kUnboundMs = 50; ///< between looks for LibTorch
constexpr int kIdleMs = 250;
constexpr int kMissingLooks = 100; ///< 5 s
constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr size_t kStackBytes = 256 * 1024;

constinit Connection g_connection;

class ControlLoop {
public:
    void run();

private:
    [[nodiscard]] bool connect(bool resumed);
    void bindIfLoaded();
    [[nodiscard]] bool announce();
    [[nodiscard]] bool tellState(const char* reason);
    [[nodiscard]] bool obey(const char* text, size_t count);
    void start(const char* words, size_t count);
    void lookAround();
    void endTimedStep(uint64_t now);
    [[nodiscard]] int patience(uint64_t now) const;
    void leave();

    uint64_t m_libraries = 0; ///< when they were looked at last
    int m_missing = 0; ///< looks at a LibTorch without the symbols
    uint64_t m_patchAgainAt = 0;
    uint64_t m_clocksAt = 0;
    uint64_t m_stepEndsAt = 0;
    wire::RecordState m_told = wire::RecordState::Idle;
    bool m_toldAny = false;
    bool m_doneTold = false;
    bool m_stays = true;
};

bool scheduled()
{
    return !g_agent.settings.schedule.isEmpty();
}

const char* nameOf(wire::RecordState state)
{
    switch (state) {
    case wire::RecordState::Waiting:
        return "waiting";
    case wire::RecordState::Warmup:
        return "warmup";
    case wire::RecordState::Recording:
        return "recording";
    case wire::RecordState::Idle:
        break;
    }
    return "idle";
}

bool ControlLoop::connect(bool resumed)
{
    return g_connection.open(g_agent.socketPath) && sendHello(g_connection, resumed);
}

/// Tells of segments that were made since, and of what went wrong.
bool ControlLoop::announce()
{
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = g_agent.announced.load(std::memory_order_relaxed); i < count; ++i) {
        if (!sendBound(g_connection, *g_agent.segments[i].load(std::memory_order_acquire)))
            return false;
        g_agent.announced.store(i + 1, std::memory_order_release);
    }
    return sendTroubles(g_connection);
}

bool ControlLoop::tellState(const char* reason)
{
    const wire::RecordState state = g_agent.state.load(std::memory_order_acquire);
    const bool done = g_agent.scheduleDone.load(std::memory_order_relaxed);
    if (state == m_told && done == m_doneTold && m_toldAny)
        return true;
    m_told = state;
    m_doneTold = done;
    m_toldAny = true;
    return sendState(g_connection, done ? "done" : nameOf(state), reason);
}

void ControlLoop::start(const char* words, size_t count)
{
    Settings settings;
    settings.segment = g_agent.settings.segment;
    readWords(words, count, settings);
    stopRecording();
    g_agent.settings = settings;
    startRecording();
    m_toldAny = false;
    m_stepEndsAt = 0;
}

bool ControlLoop::obey(const char* text, size_t count)
{
    const Line line = readLine(text, count);
    switch (line.verb) {
    case Verb::Start:
        start(line.words, line.count);
        return tellState("asked");
    case Verb::Stop:
        g_agent.settings.recordNow = false;
        stopRecording();
        g_agent.scheduleDone.store(false, std::memory_order_relaxed);
        m_toldAny = false;
        return tellState("asked");
    case Verb::Detach:
        m_stays = false;
        return true;
    case Verb::Ping:
        return sendPong(g_connection);
    case Verb::Unknown:
        break;
    }
    return sendNote(g_connection, "unknown-verb", "The agent does not know this verb.");
}

void ControlLoop::bindIfLoaded()
{
    const uint64_t libraries = librariesLoaded();
    if (libraries == m_libraries)
        return;
    m_libraries = libraries;
    if (g_agent.torch.isBound()) {
        if (const int found = patchMemoryReports(); found > g_agent.patchedSlots)
            g_agent.patchedSlots = found;
        refreshModules();
        return;
    }
    switch (prepareRecording()) {
    case BindResult::NoTorch:
        return;
    case BindResult::SymbolsMissing:
        m_libraries = 0; // it may be on its way: look again
        if (++m_missing == kMissingLooks)
            g_agent.troubles.fetch_or(TroubleSymbolsMissing, std::memory_order_relaxed);
        return;
    case BindResult::Bound:
        break;
    }
    m_patchAgainAt = nanoseconds(CLOCK_MONOTONIC) + kSecondNs; // a first call that was under way may have undone a slot
    if (g_agent.settings.recordNow)
        startRecording();
}

void ControlLoop::endTimedStep(uint64_t now)
{
    const StepRule& rule = g_agent.settings.step;
    if (rule.kind != StepRule::Kind::Milliseconds || !isRecording())
        return;
    const uint64_t length = rule.every * 1'000'000;
    if (m_stepEndsAt == 0)
        m_stepEndsAt = g_agent.stateSince.load(std::memory_order_relaxed) + length;
    for (; now >= m_stepEndsAt && isRecording(); m_stepEndsAt += length)
        endStep(nullptr, 0, 0);
}

void ControlLoop::lookAround()
{
    const uint64_t now = nanoseconds(CLOCK_MONOTONIC);
    bindIfLoaded();
    if (m_patchAgainAt != 0 && now >= m_patchAgainAt) {
        m_patchAgainAt = 0;
        patchMemoryReports();
    }
    endTimedStep(now);
    if (isRecording() && g_agent.scheduleDone.load(std::memory_order_relaxed))
        stopRecording();
    if (now >= m_clocksAt) {
        m_clocksAt = now + kSecondNs;
        refreshClocks();
    }
}

int ControlLoop::patience(uint64_t now) const
{
    if (!g_agent.torch.isBound())
        return kUnboundMs;
    if (!isRecording())
        return kIdleMs;
    if (m_stepEndsAt > now && m_stepEndsAt - now < uint64_t{kBusyMs} * 1'000'000)
        return static_cast<int>((m_stepEndsAt - now) / 1'000'000) + 1;
    return kBusyMs;
}

void ControlLoop::leave()
{
    stopRecording();
    g_connection.close();
    g_agent.settled.store(true, std::memory_order_release);
}

void ControlLoop::run()
{
    if (g_agent.loaderMayBeLocked) {
        static_cast<void>(librariesLoaded()); // does not come back if it is
        g_agent.loaderMayBeLocked = false;
        beginStacks();
    }
    bool connected = connect(false);
    while (connected && m_stays) {
        if (connected = announce() && tellState(scheduled() ? "schedule" : "asked"); !connected)
            break;
        g_agent.settled.store(
            g_agent.announced.load(std::memory_order_relaxed) == g_agent.segmentCount.load(std::memory_order_acquire),
            std::memory_order_release);
        char text[4096];
        size_t count = 0;
        switch (g_connection.receive(text, sizeof(text), count, patience(nanoseconds(CLOCK_MONOTONIC)))) {
        case Connection::Event::Nothing:
            break;
        case Connection::Event::Message:
            connected = obey(text, count);
            break;
        case Connection::Event::Lost:
            m_toldAny = false;
            if (areStacksReady()) // libunwind's own descriptors are closed too
                forbidStacks(TroubleStacksAfterClose);
            connected = connect(true);
            break;
        case Connection::Event::Closed:
            connected = false;
            break;
        }
        lookAround();
    }
    leave();
}

void* runControlThread(void*)
{
    pthread_setname_np(pthread_self(), "torchline");
    ControlLoop().run();
    return nullptr;
}

} // namespace

void beginControlThread()
{
    g_agent.settled.store(false, std::memory_order_relaxed);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, runControlThread, nullptr) != 0)
        g_agent.settled.store(true, std::memory_order_release);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void waitUntilAnnounced(uint32_t milliseconds)
{
    const uint64_t until = nanoseconds(CLOCK_MONOTONIC) + uint64_t{milliseconds} * 1'000'000;
    const timespec pause = {0, 100'000};
    while (!g_agent.settled.load(std::memory_order_acquire) && nanoseconds(CLOCK_MONOTONIC) < until)
        nanosleep(&pause, nullptr);
}

void closeDescriptors()
{
    g_connection.close();
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i)
        g_agent.segments[i].load(std::memory_order_acquire)->file.close();
}

} // namespace torchline::agent
