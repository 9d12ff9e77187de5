#include "capture/launcher.h"

#include "base/file_descriptor.h"
#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

extern char** environ;

namespace torchline::capture {

namespace {

void setVariable(std::vector<std::string>& environment, const std::string& name, const std::string& value)
{
    const std::string prefix = name + '=';
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
    environment.push_back(prefix + value);
}

std::string variable(const std::vector<std::string>& environment, const std::string& name)
{
    const std::string prefix = name + '=';
    const auto entry
        = std::ranges::find_if(environment, [&](const std::string& each) { return each.starts_with(prefix); });
    return entry == environment.end() ? std::string() : entry->substr(prefix.size());
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> all;
    for (std::string& text : texts)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

class SpawnActions {
public:
    SpawnActions() { ::posix_spawn_file_actions_init(&m_actions); }
    ~SpawnActions() { ::posix_spawn_file_actions_destroy(&m_actions); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    [[nodiscard]] posix_spawn_file_actions_t* get() { return &m_actions; }

private:
    posix_spawn_file_actions_t m_actions{};
};

class SpawnAttributes {
public:
    SpawnAttributes() { ::posix_spawnattr_init(&m_attributes); }
    ~SpawnAttributes() { ::posix_spawnattr_destroy(&m_attributes); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    [[nodiscard]] posix_spawnattr_t* get() { return &m_attributes; }

private:
    posix_spawnattr_t m_attributes{};
};

} // namespace

std::vector<std::string> launchEnvironment(const LaunchRequest& request, const AgentWiring& wiring)
{
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry)
        environment.emplace_back(*entry);
    for (const auto& [name, value] : request.environment)
        setVariable(environment, name, value);
    const std::string others = variable(environment, "LD_PRELOAD");
    setVariable(environment, "LD_PRELOAD", others.empty() ? wiring.agent : wiring.agent + ':' + others);
    setVariable(environment, "TORCHLINE_SOCK", wiring.socket);
    setVariable(environment, "TORCHLINE_CONFIG", wiring.config);
    return environment;
}

Result<pid_t> launchProgram(
    const LaunchRequest& request, const std::string& path, const AgentWiring& wiring, const ProgramTerminal& terminal)
{
    const auto fault = [&request](int error) {
        return Error(ErrorCode::Io, escapeControls(request.program) + ": cannot be started: " + systemErrorText(error));
    };
    std::vector<std::string> environment = launchEnvironment(request, wiring);
    std::vector<std::string> arguments{request.program};
    arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());

    SpawnActions actions;
    SpawnAttributes attributes;
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(attributes.get(), &none);
    // Ignored by us, not by whoever started us: what that one ignores (nohup) stays so.
    sigset_t ours;
    ::sigemptyset(&ours);
    ::sigaddset(&ours, SIGPIPE);
    ::posix_spawnattr_setsigdefault(attributes.get(), &ours);
    if (!terminal.path.empty()) {
        // The first terminal that the leader of a new session opens becomes its controlling one.
        flags = static_cast<short>(flags | POSIX_SPAWN_SETSID);
        for (int fd = 0; fd <= 2; ++fd)
            ::posix_spawn_file_actions_addopen(actions.get(), fd, terminal.path.c_str(), O_RDWR, 0);
    }
    ::posix_spawnattr_setflags(attributes.get(), flags);
    std::string start = path;
    if (!request.folder.empty())
        ::posix_spawn_file_actions_addchdir_np(actions.get(), request.folder.c_str());
    if (!request.folder.empty() && !path.starts_with('/')) {
        std::unique_ptr<char, decltype(&std::free)> whole(::realpath(path.c_str(), nullptr), &std::free);
        if (!whole)
            return fault(errno);
        start = whole.get();
    }
    pid_t pid = 0;
    const int error = ::posix_spawn(
        &pid, start.c_str(), actions.get(), attributes.get(), pointers(arguments).data(), pointers(environment).data());
    if (error != 0)
        return fault(error);
    return pid;
}

} // namespace torchline::capture
