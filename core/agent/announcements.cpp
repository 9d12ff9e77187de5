#include "agent/announcements.h"

#include "agent/messages.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace torchline::agent {
namespace {

constexpr int kProtocol = 1;
constinit char g_message[kMaxMessage] = {};
constinit char g_arguments[kMaxMessage / 4] = {}; // escaped at most sixfold where all of it is control characters

struct Rank {
    const char* key;
    const char* variable;
    char value[24];
};
constinit Rank g_ranks[] = {{"rank", "RANK", {}}, {"local_rank", "LOCAL_RANK", {}}, {"world_size", "WORLD_SIZE", {}}};

size_t readFile(const char* path, char* out, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    size_t count = 0;
    for (ssize_t got = 0; count < room && (got = read(fd, out + count, room - count)) > 0;)
        count += static_cast<size_t>(got);
    close(fd);
    return count;
}

/// CLOCK_MONOTONIC when the process began: field 22 of stat, in ticks since boot.
int64_t startedNs()
{
    char text[1024];
    const size_t count = readFile("/proc/self/stat", text, sizeof(text) - 1);
    text[count] = '\0';
    const char* at = std::strrchr(text, ')'); // ends the name, which may hold blanks
    for (int field = 2; at && field < 22; ++field)
        at = std::strchr(at + 1, ' ');
    const auto now = static_cast<int64_t>(nanoseconds(CLOCK_MONOTONIC));
    if (!at)
        return now;
    const int64_t sinceBoot = std::strtoll(at + 1, nullptr, 10) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
    return now - (static_cast<int64_t>(nanoseconds(CLOCK_BOOTTIME)) - sinceBoot);
}

void addArguments(JsonObject& json)
{
    const size_t count = readFile("/proc/self/cmdline", g_arguments, sizeof(g_arguments));
    json.beginList("args");
    for (size_t at = 0; at < count && json.room() > kMaxMessage / 4;) {
        const size_t length = strnlen(g_arguments + at, count - at);
        const size_t shown = length < 4096 ? length : 4096;
        json.element(g_arguments + at, shown);
        at += length + 1;
    }
    json.endList();
}

bool send(Connection& connection, JsonObject& json, int file = -1)
{
    const size_t count = json.finish();
    return count != 0 && connection.send(g_message, count, file);
}

} // namespace

void noteRanks()
{
    for (Rank& rank : g_ranks) {
        const char* const value = std::getenv(rank.variable);
        std::snprintf(rank.value, sizeof(rank.value), "%s", value ? value : "");
    }
}

bool sendHello(Connection& connection, bool resumed)
{
    char exe[4096];
    const ssize_t exeCount = readlink("/proc/self/exe", exe, sizeof(exe));
    JsonObject json(g_message, sizeof(g_message));
    json.text("type", "hello").number("protocol", kProtocol).text("agent", TORCHLINE_VERSION);
    json.number("pid", getpid()).number("ppid", getppid()).number("started_ns", startedNs());
    json.text("exe", exe, exeCount > 0 ? static_cast<size_t>(exeCount) : 0);
    addArguments(json);
    for (const Rank& rank : g_ranks) {
        if (rank.value[0] != '\0')
            json.text(rank.key, rank.value);
    }
    return send(connection, json.boolean("resumed", resumed));
}

bool sendBound(Connection& connection, const Segment& segment)
{
    const Offsets& offsets = g_agent.offsets;
    JsonObject json(g_message, sizeof(g_message));
    json.text("type", "bound").beginObject("torch").text("path", g_agent.torch.path);
    json.boolean("names_only", offsets.sequence < 0).beginObject("offsets");
    if (offsets.sequence >= 0) {
        json.number("scope", offsets.scope).number("sequence", offsets.sequence).number("inputs", offsets.inputs);
        json.number("forward_thread", offsets.forwardThread);
    }
    json.endObject().boolean("shapes", offsets.rank >= 0).number("rank_at", offsets.rank).endObject();
    json.number("memory", g_agent.patchedSlots);
    json.text("clock", g_agent.clock == wire::ClockKind::Tsc ? "tsc" : "monotonic");
    json.number("segment", segment.header->number);
    return send(connection, json, segment.file.get());
}

bool sendState(Connection& connection, const char* state, const char* reason)
{
    JsonObject json(g_message, sizeof(g_message));
    json.text("type", "state").text("state", state);
    json.number("step", static_cast<int64_t>(g_agent.step.load(std::memory_order_relaxed)));
    json.number("at_ns", static_cast<int64_t>(g_agent.stateSince.load(std::memory_order_relaxed)));
    return send(connection, json.text("reason", reason));
}

bool sendNote(Connection& connection, const char* code, const char* text)
{
    JsonObject json(g_message, sizeof(g_message));
    return send(connection, json.text("type", "note").text("code", code).text("text", text));
}

bool sendPong(Connection& connection)
{
    JsonObject json(g_message, sizeof(g_message));
    return send(
        connection, json.text("type", "pong").number("at_ns", static_cast<int64_t>(nanoseconds(CLOCK_MONOTONIC))));
}

bool sendTroubles(Connection& connection)
{
    struct Told {
        Trouble trouble;
        const char* code;
        const char* text;
    };
    static constexpr Told kTold[] = {
        {TroubleNoMemfd, "no-memfd", "The system gave no sealed shared memory, so nothing can be recorded."},
        {TroubleProbeFailed, "probe-failed",
            "This LibTorch lays out its operators in a way that is not known: names and times only, no shapes."},
        {TroubleNoShapes, "no-shapes",
            "Where this LibTorch keeps the shapes of tensors was not found: none are recorded."},
        {TroubleNoMemoryRecords, "no-memory-records",
            "This LibTorch binds its allocators internally: memory cannot be recorded."},
        {TroubleSymbolsMissing, "symbols-missing",
            "libtorch_cpu is loaded, but exports no operator callbacks: it cannot be recorded."},
        {TroubleNoStacks, "no-stacks",
            "Stacks are not recorded, since there is no libunwind.so.8: install the package libunwind8 (libunwind on "
            "Fedora and Arch) and start the program again."},
        {TroubleStacksAfterFork, "no-stacks",
            "A process was forked while another thread looked at its stack: the child's stacks are not recorded."},
        {TroubleStacksAfterClose, "no-stacks",
            "The program closed descriptors that are not its own, among them libunwind's: stacks are not recorded "
            "any more."},
    };
    const uint32_t troubles = g_agent.troubles.exchange(0, std::memory_order_relaxed);
    bool sent = true;
    for (const Told& told : kTold) {
        if ((troubles & told.trouble) != 0)
            sent = sendNote(connection, told.code, told.text) && sent;
    }
    return sent;
}

} // namespace torchline::agent
