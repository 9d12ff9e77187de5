#pragma once
// Frames: everything that arrives from recorded processes, as a row of length-prefixed pieces. The spool holds them,
// ingest reads them; live and replayed they are the same bytes in the same order. PROTOCOL.md says where they come
// from. Thread: values. A sink is called by one thread at a time. Little endian; times and ticks as in wire/segment.h.

#include "capture/wire/segment.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace torchline {

/// What a frame holds. The numbers are those of the spool.
enum class FrameKind : uint16_t {
    Hello = 1, ///< JSON text of the message
    Bound = 2, ///< JSON text
    State = 3, ///< JSON text
    Note = 4, ///< JSON text; also notes of the reading side, of the same shape
    Arena = 5, ///< ArenaPart, then the bytes: whole entries
    Slot = 6, ///< SlotPart: a thread took this slot
    Records = 7, ///< RecordsPart, then whole records without padding, checked for size and ids
    Clock = 8, ///< ClockPart
    OpenOps = 9, ///< OpenOpsPart, then wire::OpenOp, outermost first: what runs on a thread at this moment
    Output = 10, ///< OutputPart, then what the program wrote
    Exit = 11, ///< ExitPart: the program ended
    Damage = 12, ///< DamagePart, then a sentence: this slot is not read any more
    Counts = 13, ///< CountsPart: the segment's counters, when they changed
};
constexpr uint16_t kLastFrameKind = 13;

/// Before each payload. A payload is followed by zeros up to a multiple of 8.
struct FrameHead {
    uint32_t bytes; ///< of the payload, without the zeros behind it
    uint16_t kind; ///< FrameKind
    uint16_t process; ///< in the order in which processes said hello, from 0
};
static_assert(sizeof(FrameHead) == 8);
constexpr uint32_t kMostFrameBytes = 64u << 20;

struct ArenaPart {
    uint32_t segment; ///< number of the segment in its process
    uint32_t reserved;
    uint64_t offset; ///< in the arena; parts of one segment follow each other
};

struct SlotPart {
    uint32_t segment;
    uint32_t slot;
    uint32_t tid;
    uint32_t generation;
    uint64_t torchThread;
    char threadName[16]; ///< ends at the first zero
};
static_assert(sizeof(SlotPart) == 40);

struct RecordsPart {
    uint32_t segment;
    uint32_t slot;
};

struct ClockMoment {
    uint64_t ticks;
    uint64_t monotonicNs;
    uint64_t realNs;
};

struct ClockPart {
    uint32_t segment;
    wire::ClockKind kind;
    ClockMoment first;
    ClockMoment last; ///< later than first
};
static_assert(sizeof(ClockPart) == 56);

struct OpenOpsPart {
    uint32_t segment;
    uint32_t slot;
    uint32_t depth; ///< open operators, more than are listed where the slot has no room for them
    uint32_t reserved;
};

enum class OutputStream : uint32_t { Standard = 1, Error = 2 };

struct OutputPart {
    OutputStream stream;
    uint32_t reserved;
    uint64_t monotonicNs;
};

struct ExitPart {
    int32_t waitStatus; ///< as waitpid has it; kUnknownStatus for a process that is not our child
    uint32_t reserved;
    uint64_t monotonicNs;
};
constexpr int32_t kUnknownStatus = -1;

struct DamagePart {
    uint32_t segment;
    uint32_t slot; ///< kWholeSegment: none of the slots is read any more
};
constexpr uint32_t kWholeSegment = 0xFFFFFFFF;

struct CountsPart {
    uint32_t segment;
    uint32_t reserved;
    uint64_t dropped; ///< records that found no room, of all slots
    uint64_t opsTooDeep;
    uint64_t threadsWithoutSlot;
    uint64_t namesRefused;
    uint64_t stacksRefused;
};
static_assert(sizeof(CountsPart) == 48);

struct Frame {
    FrameKind kind = FrameKind::Note;
    uint16_t process = 0;
    std::span<const std::byte> payload; ///< valid during the call only; may lie at any address
    uint64_t place = 0; ///< of the payload in the spool; 0 before a SpoolWriter has seen it
};

class FrameSink {
public:
    virtual ~FrameSink() = default;
    virtual void take(const Frame& frame) = 0;
};

/// Begins a payload: its fixed part, then what follows it.
template <typename Part> struct PartAndRest {
    Part part;
    std::span<const std::byte> rest;
};

template <typename Part> [[nodiscard]] std::optional<PartAndRest<Part>> readPart(std::span<const std::byte> payload)
{
    static_assert(std::is_trivially_copyable_v<Part>);
    if (payload.size() < sizeof(Part))
        return std::nullopt;
    PartAndRest<Part> result;
    std::memcpy(&result.part, payload.data(), sizeof(Part));
    result.rest = payload.subspan(sizeof(Part));
    return result;
}

[[nodiscard]] inline std::span<const std::byte> bytesOf(std::string_view text)
{
    return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] inline std::string_view textOf(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Part>
void appendPart(std::vector<std::byte>& payload, const Part& part, std::span<const std::byte> rest = {})
{
    static_assert(std::is_trivially_copyable_v<Part>);
    const std::span<const std::byte> fixed = std::as_bytes(std::span(&part, 1));
    payload.insert(payload.end(), fixed.begin(), fixed.end());
    payload.insert(payload.end(), rest.begin(), rest.end());
}

/// Sends one frame whose payload is a part and what follows it.
template <typename Part>
void sendPart(FrameSink& sink, FrameKind kind, uint16_t process, const Part& part, std::span<const std::byte> rest = {})
{
    std::vector<std::byte> payload;
    payload.reserve(sizeof(Part) + rest.size());
    appendPart(payload, part, rest);
    sink.take({kind, process, payload, 0});
}

/// Sends a frame of text: Hello, Bound, State, Note.
inline void sendText(FrameSink& sink, FrameKind kind, uint16_t process, std::string_view text)
{
    sink.take({kind, process, bytesOf(text), 0});
}

} // namespace torchline
