#pragma once
// The words between reader and agent, as PROTOCOL.md has them: packets of the agent parsed, command lines written.
// A packet may hold anything: each number is checked for its range, each text for UTF-8 and length.
// Thread: any. Cost: linear in the packet, which is at most kMaxPacket.

#include "base/result.h"
#include "capture/record_options.h"
#include "capture/wire/segment.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace torchline::capture {

constexpr size_t kMaxPacket = size_t{64} << 10;
constexpr uint32_t kProtocol = 1;

struct Hello {
    uint32_t protocol = 0;
    std::string agent; ///< version
    int32_t pid = 0;
    int32_t parentPid = 0;
    uint64_t startedNs = 0; ///< CLOCK_MONOTONIC
    std::string executable;
    std::vector<std::string> arguments;
    std::string rank; ///< as in the environment; empty: not set
    std::string localRank;
    std::string worldSize;
    bool isResumed = false;
};

/// The memfd of the segment comes with the packet.
struct Bound {
    std::string torchPath;
    bool namesOnly = false;
    bool hasShapes = false;
    uint64_t memorySlots = 0; ///< patched; 0: no memory records
    wire::ClockKind clock = wire::ClockKind::Monotonic;
    uint32_t segment = 0;
};

enum class AgentState : uint8_t { Idle, Waiting, Warmup, Recording, Done };
enum class StateReason : uint8_t { Asked, Schedule, WindowGone, Unknown };

struct StateChange {
    AgentState state = AgentState::Idle;
    uint64_t step = 0;
    uint64_t atNs = 0; ///< CLOCK_MONOTONIC
    StateReason reason = StateReason::Unknown;
};

struct Note {
    std::string code;
    std::string text;

    friend bool operator==(const Note&, const Note&) = default;
};

struct Pong {
    uint64_t atNs = 0;
};

/// A type that this version does not know: to be ignored.
struct UnknownMessage {
    std::string type;
};

using Message = std::variant<Hello, Bound, StateChange, Note, Pong, UnknownMessage>;

/// The Error of a packet that is no message says what is wrong with it; the connection is to be closed.
[[nodiscard]] Result<Message> parseMessage(std::string_view packet);

/// A note as an agent would send it.
[[nodiscard]] std::string noteText(const Note& note);
[[nodiscard]] std::string startLine(const RecordOptions& options);
[[nodiscard]] std::string stopLine();
[[nodiscard]] std::string detachLine();
[[nodiscard]] std::string pingLine();
/// For TORCHLINE_CONFIG.
[[nodiscard]] std::string configText(const RecordOptions& options, bool recordNow);

/// Bytes other than letters, digits and - . _ ~ / : * ? , become %XX.
[[nodiscard]] std::string percentEncoded(std::string_view text);

} // namespace torchline::capture
