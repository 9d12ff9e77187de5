#pragma once
// EventFields: what one event says, with texts still in the file's bytes; and the keys that are read of an event.
// Thread: any.

#include "import/scan/chunk_rows.h"
#include "import/scan/decimal.h"
#include "import/scan/json_walk.h"

#include <utility>

namespace torchline {

struct EventFields {
    enum class TimeState : uint8_t { Absent, Known, Unreadable };

    Token name;
    Token category;
    Token pid;
    Token tid;
    Token id;
    Token phaseText;
    FileTime time;
    FileTime duration;
    TimeState timeState = TimeState::Absent;
    TimeState durationState = TimeState::Absent;
    char phase = 0;
    char scope = 0;
    bool bindsEnclosing = false;
    bool hasOwnArrows = false; ///< flow_in, flow_out: the second form of arrows, without events of their own
    bool hasMembers = false;
    bool hasMemoryArgs = false;
    bool hasDeviceArgs = false;
    uint32_t unreadableNumbers = 0;

    const char* args = nullptr; ///< the last args object
    uint64_t externalNumber = 0;
    uint64_t correlationNumber = 0;
    Token externalText;
    Token correlationText;
    Token device;
    Token stream;
    Token argName;
    Token labels;
    DeviceArgs deviceArgs;
    MemoryArgs memory;
    int64_t sortIndex = kNoNumber;

    /// As new. Only what somebody reads of an event without it is set back: this is done for each of them.
    void reset()
    {
        for (Token* token : {&name, &category, &pid, &tid, &id, &phaseText, &externalText, &correlationText, &device,
                 &stream, &argName, &labels})
            token->begin = nullptr;
        time = {};
        duration = {};
        timeState = TimeState::Absent;
        durationState = TimeState::Absent;
        phase = 0;
        scope = 0;
        bindsEnclosing = false;
        hasOwnArrows = false;
        hasMembers = false;
        unreadableNumbers = 0;
        args = nullptr;
        externalNumber = 0;
        correlationNumber = 0;
        sortIndex = kNoNumber;
        memory.address = 0; // it alone makes no memory args
        if (std::exchange(hasMemoryArgs, false))
            memory = {};
        if (std::exchange(hasDeviceArgs, false))
            deviceArgs = {};
    }
};

/// A key that is read; all others are Other.
enum class Member : uint8_t {
    Other,
    // of the event
    Phase,
    Time,
    Duration,
    Name,
    Category,
    Pid,
    Tid,
    Id,
    SecondId, ///< id2
    Scope,
    BindPoint,
    OwnArrow,
    Args, ///< an object is walked in turn; anything else is skipped
    // of its args
    External,
    Correlation,
    Device,
    Stream,
    DeviceBytes,
    Occupancy,
    Address,
    MemoryBytes,
    DeviceType,
    DeviceId,
    TotalAllocated,
    TotalReserved,
    ArgName,
    Labels,
    SortIndex,
};

[[nodiscard]] Member eventMember(std::string_view key);
[[nodiscard]] Member argMember(std::string_view key);

/// A token with something in it.
[[nodiscard]] inline bool isGiven(const Token& token)
{
    return token.begin != nullptr && (*token.begin != 'n' || !token.isNull());
}

/// Reads the event at p (a `{`) member by member. Returns the place behind it, or null with the fault set.
template <typename Rules> [[nodiscard]] const char* readEvent(const char* p, Walk& walk, EventFields& fields);
extern template const char* readEvent<StrictText>(const char*, Walk&, EventFields&);
extern template const char* readEvent<RepairedText>(const char*, Walk&, EventFields&);

} // namespace torchline
