#pragma once
// Single events of a store as Kineto JSON: one object each, with the members and in the order that torch.profiler has.
// Private to the Kineto JSON writer. Thread: any; const after construction.

#include "model/trace_snapshot.h"

#include <string>
#include <string_view>

namespace torchline {

/// The value of "args" of an event's text, or nothing if the text is no JSON or has none.
[[nodiscard]] std::string_view argsOfText(std::string_view eventText);
/// A value of an ArgList as JSON: what is a number, list, object or word as it is, all else as text.
void appendArgValue(std::string& out, std::string_view value);

class EventJson {
public:
    EventJson(const TraceSnapshot& trace, uint32_t fileIndex);

    // Each appends one object. `text`: the event as its source has it, empty where there is none.
    void addSlice(std::string& out, uint32_t lane, uint32_t index, std::string_view text) const;
    void addPairEnd(std::string& out, uint32_t lane, uint32_t index, std::string_view text) const;
    void addMemory(std::string& out, const MemorySample& sample, std::string_view text) const;
    void addInstant(std::string& out, const Instant& instant, std::string_view text) const;
    void addAsync(std::string& out, const AsyncSlice& slice, bool isEnd, std::string_view text) const;
    void addArrow(std::string& out, const StoreArrow& arrow, bool isEnd) const;
    /// Samples of all series of one counter at one time, by series; null where it has none then.
    void addCounter(std::string& out, const Counter& counter, std::span<const CounterSample* const> samples) const;
    void addProcessNames(std::string& out, const ProcessInfo& process) const; ///< objects with commas between, or none
    void addThreadNames(std::string& out, const LaneStore& lane) const;

private:
    void addTime(std::string& out, std::string_view key, int64_t columnNs) const;
    void addCategoryAndName(std::string& out, CategoryId category, NameId name) const;
    void addPlace(std::string& out, NameId pid, NameId tid) const; ///< pid and tid, where they are valid
    void addLanePlace(std::string& out, StoreRef slice) const;
    void addMetadata(std::string& out, std::string_view what, NameId pid, NameId tid, std::string_view key,
        std::string_view value) const;

    const TraceSnapshot& m_trace;
    const FileStore& m_store;
    std::vector<Lane> m_lanes; ///< of the store, on the columns' axis
    bool m_isRecording;
};

} // namespace torchline
