#pragma once
// What TraceBuilder holds between its first record and finish(). Times are on the columns' axis (from the first
// record). Thread: that of the builder.

#include "model/arrows.h"
#include "model/lane_columns.h"
#include "model/lane_nester.h"
#include "model/notice_book.h"
#include "model/outliers.h"
#include "model/pairing.h"
#include "model/trace_builder.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace torchline {

struct LaneDraft {
    NameId pid;
    NameId tid;
    NameId name;
    std::optional<int64_t> sortIndex;
    LaneColumns columns;
    LaneNester nester; ///< of the columns, as far as settle() came
    bool carriesSteps = false; ///< some operator has the name of a profiler step
    std::vector<PairEvent> pairEvents;
    std::vector<SliceRow> unfinished; ///< complete events without a duration
};

/// A number can stand for a host process and for a device. Recorders describe the host before the devices: the first is
/// the host's, the last the device's.
template <typename T> struct FirstAndLast {
    std::optional<T> first;
    std::optional<T> last;

    void set(T value)
    {
        last = value;
        if (!first)
            first = value;
    }
};

struct ProcessDraft {
    FirstAndLast<NameId> name;
    FirstAndLast<NameId> labels;
    FirstAndLast<int64_t> sortIndex;
};

/// Values that many records have in common, each once.
template <typename T> struct Distinct {
    std::vector<T> values; ///< in order of first appearance
    std::map<T, uint32_t> indexes;
    uint32_t last = 0; ///< asked for; many records in a row have the same

    uint32_t indexOf(const T& value)
    {
        if (last < values.size() && values[last] == value)
            return last;
        const auto [known, isNew] = indexes.try_emplace(value, static_cast<uint32_t>(values.size()));
        if (isNew)
            values.push_back(value);
        last = known->second;
        return last;
    }
};

struct TraceBuilder::Draft {
    explicit Draft(StringPool& strings)
        : pool(strings)
    {
    }

    /// File axis to columns' axis; the first time sets the origin. Counts as part of the recording.
    int64_t place(int64_t fileNs, uint64_t eventOffset);
    void noteStep(LaneDraft& lane, const SliceRecord& slice);
    /// Returns the first sample that changed its place or is new since the last call.
    size_t sortMemory();
    std::shared_ptr<FileStore> finish(size_t threads);

    StringPool& pool;
    std::optional<int64_t> originNs;
    int64_t recordingEndNs = kMinNs; ///< latest time of any record
    std::vector<NameId> categories;
    std::vector<SliceKind> kinds; ///< by CategoryId
    std::unordered_map<NameId, CategoryId> categoryOf;
    std::unordered_map<uint64_t, uint32_t> numberIds; ///< stand-ins of numbers that are too large
    std::unordered_map<NameId, uint32_t> textIds;
    std::vector<LaneDraft> lanes;
    std::unordered_map<uint64_t, uint32_t> laneOf;
    std::unordered_map<NameId, ProcessDraft> processes;
    Flows flows;
    std::vector<AsyncRecord> async;
    std::vector<Instant> instants;
    Distinct<MemoryOrigin> memoryOrigins;
    MemorySamples memory;
    size_t memoryInOrder = 0; ///< samples before this one are
    Distinct<DevicePlace> devicePlaces;
    std::vector<DeviceWork> deviceWork;
    std::vector<Counter> counters;
    std::map<std::array<NameId, 3>, size_t> counterOf;
    size_t currentCounter = 0;
    int64_t currentCounterNs = 0;
    bool currentCounterIsEmpty = true; ///< no value of the current C event was a number so far
    uint64_t sliceCount = 0;
    NoticeBook notices;

    /// Of an id that is no number below the stand-ins.
    template <typename Id> uint32_t standIn(std::unordered_map<Id, uint32_t>& known, Id id);

private:
    struct Side;

    void pairEvents(FileStore& store);
    void addLanes(FileStore& store, size_t threads);
    [[nodiscard]] std::vector<Side> sidesOf(LaneDraft& lane) const;
    [[nodiscard]] Side makeSide(LaneColumns columns, LaneNester nester, bool isDevice) const;
    uint32_t addLane(FileStore& store, const LaneDraft& draft, Side side);
    uint32_t processIndex(FileStore& store, NameId pid, bool isDevice);
    void nameProcesses(FileStore& store) const;
    void linkAll(FileStore& store, size_t threads);
    std::vector<uint64_t> addMarkers(FileStore& store);
    void noteArrows(const ArrowFaults& faults);
    void noteAsync(const FileStore& store, const std::vector<uint64_t>& strayEnds);
    void noteFit(const FitRange& fit);
    void addNotices(std::string_view code, std::string_view text, const std::vector<uint64_t>& offsets,
        NoticeSeverity severity = NoticeSeverity::Warning);

    void addSliceNotices(
        std::string_view code, std::string_view text, const LaneColumns& lane, const std::vector<uint32_t>& slices);

    std::vector<LaneSides> m_sides; ///< by lane handle
    std::vector<uint32_t> m_flowOrder; ///< see orderById()
    std::map<std::pair<NameId, bool>, uint32_t> m_processIndexes;
    std::vector<bool> m_isStepName; ///< by NameId, of the names that were looked at
};

} // namespace torchline
