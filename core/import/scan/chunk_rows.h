#pragma once
// ChunkRows: what a scanner found in one stretch of text, before anybody has looked up a name: rows that are filled,
// taken over in file order and filled again, so that nothing is allocated per event.
// Thread: one at a time. Texts are indexes into the TextTable of the scanner.

#include "import/scan/text_table.h"

#include <cstdint>
#include <vector>

namespace torchline {

constexpr uint32_t kNoExtra = ~uint32_t{0};
constexpr int64_t kNoNumber = INT64_MIN;

enum EventFlag : uint8_t {
    EventHasTime = 1,
    EventHasDuration = 2,
    EventBindsEnclosing = 4, ///< bp "e"
    EventTimeSaturated = 8, ///< a time did not fit into 64 bits of nanoseconds
    EventTimeUnreadable = 16, ///< there is a ts, but it is no number
    EventDurationUnreadable = 32,
    EventIdIsNumber = 64, ///< the id is idNumber
};

/// An id in args that ties events together: a number, or a text where it is none.
struct LinkArg {
    uint64_t number = 0; ///< 0: none
    LocalText text = 0;
};

struct EventRow {
    uint64_t offset = 0; ///< first byte of the event in the text
    int64_t timeNs = 0;
    int64_t durationNs = 0; ///< as the file has it, may be negative
    LinkArg externalId;
    LinkArg correlation;
    LocalText name = 0;
    LocalText category = 0;
    LocalText pid = 0;
    LocalText tid = 0;
    LocalText id = 0;
    uint64_t idNumber = 0; ///< ids of arrows are nearly all different: numbers make no texts here
    uint32_t extra = kNoExtra; ///< into the rows that belong to the phase; of C: the first of its values
    uint32_t extraCount = 0; ///< of C: number of its values
    char phase = 0; ///< one of those that are read; others have no row
    char scope = 0; ///< 0: not given
    uint8_t flags = 0;
};

/// Arguments of work on a device, for slices that have any of them.
struct DeviceArgs {
    LocalText device = 0;
    LocalText stream = 0;
    int64_t bytes = kNoNumber;
    int32_t occupancyPercent = -1;
};

/// Arguments of a memory marker, for markers that have any of them.
struct MemoryArgs {
    int64_t bytes = kNoNumber;
    uint64_t address = 0;
    int64_t totalAllocated = kNoNumber;
    int64_t totalReserved = kNoNumber;
    int32_t deviceType = -1;
    int32_t deviceId = -1;
};

/// Arguments of M.
struct MetadataArgs {
    LocalText name = 0;
    LocalText labels = 0;
    int64_t sortIndex = kNoNumber;
};

/// One numeric value of C.
struct CounterArg {
    double value = 0;
    LocalText series = 0;
    LocalText digits = 0;
};

enum class Trouble : uint8_t {
    StrayComma,
    MissingComma,
    StrayBracket,
    NotAnEvent,
    UnknownPhase,
    OddWord,
    UnreadableNumber,
    CounterGap,
    OwnArrow,
    RepairedText,
};

struct TroubleRow {
    Trouble trouble = Trouble::NotAnEvent;
    uint32_t count = 1;
    uint64_t offset = 0;
    LocalText found = 0;
};

struct ChunkRows {
    std::vector<EventRow> events;
    std::vector<DeviceArgs> device;
    std::vector<MemoryArgs> memory;
    std::vector<MetadataArgs> metadata;
    std::vector<CounterArg> counters;
    std::vector<TroubleRow> troubles;

    void clear()
    {
        events.clear();
        device.clear();
        memory.clear();
        metadata.clear();
        counters.clear();
        troubles.clear();
    }
    [[nodiscard]] size_t memoryUsage() const
    {
        return events.capacity() * sizeof(EventRow) + device.capacity() * sizeof(DeviceArgs)
            + memory.capacity() * sizeof(MemoryArgs) + metadata.capacity() * sizeof(MetadataArgs)
            + counters.capacity() * sizeof(CounterArg) + troubles.capacity() * sizeof(TroubleRow);
    }
};

} // namespace torchline
