#include "agent/entry.h"

#include "agent/agent.h"
#include "agent/announcements.h"
#include "agent/control_thread.h"
#include "agent/fork_guard.h"
#include "agent/recording.h"
#include "agent/thread_block.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace torchline::agent {
namespace {

constexpr uint32_t kStartPatienceMs = 500; ///< a program that ends at once is told of before
constexpr uint32_t kEndPatienceMs = 100;
constexpr char kFirstProcess[]
    = "TORCHLINE_FIRST_PROCESS"; ///< with children=0: its pid, for those that exec'd children are

constinit std::atomic<bool> g_began = false;

/// Absolute, since the program may change its directory. False: too long.
bool takePath(const char* path)
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(folder, sizeof(folder)))
        return false;
    const int count = std::snprintf(
        g_agent.socketPath, sizeof(g_agent.socketPath), "%s%s%s", folder, folder[0] != '\0' ? "/" : "", path);
    return count > 0 && static_cast<size_t>(count) < sizeof(g_agent.socketPath);
}

/// Where only the first process is recorded: whether we are it. It leaves its pid to those it executes.
bool isFirstProcess()
{
    char own[24];
    std::snprintf(own, sizeof(own), "%d", getpid());
    if (const char* const first = std::getenv(kFirstProcess))
        return std::strcmp(first, own) == 0;
    return setenv(kFirstProcess, own, 1) == 0;
}

bool begin(const char* path)
{
    if (g_began.exchange(true))
        return false;
    if (!takePath(path) || !guardForks())
        return false;
    noteRanks();
    prepareThreads();
    const bool bound = prepareRecording() == BindResult::Bound;
    if (bound && g_agent.settings.recordNow)
        startRecording();
    beginControlThread();
    if (bound)
        waitUntilAnnounced(kStartPatienceMs);
    return true;
}

[[gnu::constructor]] void loaded()
{
    const char* const path = secure_getenv("TORCHLINE_SOCK");
    if (!path || path[0] == '\0')
        return;
    if (const char* const words = secure_getenv("TORCHLINE_CONFIG"))
        readWords(words, std::strlen(words), g_agent.settings);
    if (g_agent.settings.children || isFirstProcess())
        begin(path);
}

/// At exit: what was written last can be placed in time, and every segment is known to the window.
[[gnu::destructor]] void unloaded()
{
    if (!g_began.load() || !isSameProcess() || g_agent.segmentCount.load() == 0)
        return;
    refreshClocks();
    refreshModules();
    if (g_agent.announced.load() != g_agent.segmentCount.load()) {
        g_agent.settled.store(false);
        waitUntilAnnounced(kEndPatienceMs);
    }
}

} // namespace
} // namespace torchline::agent

int torchline_attach(const char* path)
{
    return path && torchline::agent::begin(path) ? 0 : -1;
}
