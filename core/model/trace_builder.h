#pragma once
// TraceBuilder: takes records in file order, gives immutable FileStores. A file loader fills it now; a live recording
// will. Thread: one owner at a time. No pointer that it hands out is changed later. What it does on finish(): moves
// slices of a lane that were out of order (merging the natural runs), pairs B with E and b with e in time order, nests,
// assigns rows, splits a (pid, tid) that carries both host and device slices into two lanes, matches arrows, links
// device work to calls and owners, and counts all that did not fit as notices. Cost: O(n) on ordered input, O(n log
// runs) else.

#include "base/string_pool.h"
#include "model/file_store.h"

#include <memory>
#include <optional>
#include <string_view>

namespace torchline {

/// A row of the file, before lanes are put in order.
struct SliceRecord {
    int64_t startNs = 0; ///< file axis (as written, times 1000); the builder subtracts the origin
    int64_t durationNs = 0; ///< negative values are clamped and counted
    bool hasDuration = true; ///< false: unfinished
    NameId name;
    CategoryId category;
    SliceKind kind = SliceKind::Other;
    uint32_t externalId = 0;
    uint32_t correlation = 0;
    uint64_t eventOffset = 0;
};

enum class FlowPhase : uint8_t { Start, Step, Finish };

struct FlowRecord {
    int64_t timeNs = 0; ///< file axis
    uint64_t eventOffset = 0;
    NameId name;
    FlowId id; ///< invalid: the event has none
    CategoryId category;
    FlowPhase phase = FlowPhase::Start;
    bool bindsEnclosing = true; ///< bp "e"; a finish without it binds to the next slice of its lane
};

enum class AsyncPhase : uint8_t { Begin, End, Point };

struct AsyncRecord {
    AsyncPhase phase = AsyncPhase::Begin;
    int64_t timeNs = 0; ///< file axis
    NameId name;
    CategoryId category;
    NameId id;
    NameId pid;
    NameId tid;
    uint64_t eventOffset = 0;
};

class TraceBuilder {
public:
    explicit TraceBuilder(std::shared_ptr<StringPool> pool);
    ~TraceBuilder();
    TraceBuilder(const TraceBuilder&) = delete;
    TraceBuilder& operator=(const TraceBuilder&) = delete;
    TraceBuilder(TraceBuilder&&) noexcept;

    [[nodiscard]] StringPool& pool() { return *m_pool; }

    /// Index of a category text (as written) in this store; its kind is sliceKindOf(text).
    CategoryId category(std::string_view text);
    [[nodiscard]] SliceKind kindOf(CategoryId category) const;
    /// A number that fits below 0xFF000000 is itself; other numbers and texts get stand-ins from there up. 0: none.
    uint32_t linkId(uint64_t number)
    {
        return number < kFirstStandIn ? static_cast<uint32_t>(number) : standInOf(number);
    }
    uint32_t linkId(std::string_view text);
    /// Handle of a (pid, tid) pair; both canonical texts (a number as decimal text). Stable until finish().
    uint32_t lane(NameId pid, NameId tid);

    void addSlice(uint32_t lane, const SliceRecord& slice);
    void addBegin(uint32_t lane, const SliceRecord& slice); ///< duration ignored
    void addEnd(uint32_t lane, int64_t timeNs, NameId name, uint64_t eventOffset); ///< name may be invalid
    void addFlow(uint32_t lane, const FlowRecord& flow);
    void addAsync(const AsyncRecord& record);
    void addInstant(const Instant& instant); ///< timeNs on the file axis
    /// timeNs on the file axis; the sample's own origin is not looked at.
    void addMemory(const MemorySample& sample, const MemoryOrigin& origin);
    /// Beside its addSlice, in file order; the work's own place is not looked at.
    void addDeviceWork(const DeviceWork& work, const DevicePlace& place);
    /// One numeric series value of a C event; call beginCounter once per event first.
    void beginCounter(NameId pid, NameId name, NameId id, int64_t timeNs);
    void addCounterValue(NameId series, double value, NameId text);

    void setProcessName(NameId pid, NameId name);
    void setProcessLabels(NameId pid, NameId labels);
    void setProcessSortIndex(NameId pid, int64_t index);
    void setThreadName(NameId pid, NameId tid, NameId name);
    void setThreadSortIndex(NameId pid, NameId tid, int64_t index);

    /// Adds to the notice of this code; text is a sentence in which %n stands for the count.
    void addNotice(std::string_view code, std::string_view text, std::optional<uint64_t> offset,
        std::string_view found = {}, NoticeSeverity severity = NoticeSeverity::Warning, uint64_t count = 1);

    /// Puts in order and nests what came so far, for clones to have it done. Cost: O(what came since, and what it
    /// changes of what was there).
    void settle();
    /// Forgets slices that begin and end before a time (file axis), in whole blocks; returns how many. Settles first.
    uint64_t forgetSlicesBefore(int64_t timeNs);
    /// A builder that goes on from here on its own; lanes and categories have the same handles. Slices, their nesting
    /// and memory samples are shared. Cost: O(blocks), and copies all other records.
    [[nodiscard]] TraceBuilder clone();

    /// Memory samples by time; those that came since the last call are put in their place. Returns the first sample
    /// that is not where it was.
    size_t sortMemory();
    [[nodiscard]] size_t memoryCount() const;
    [[nodiscard]] const MemorySample& memorySample(size_t i) const; ///< on the columns' axis
    [[nodiscard]] const MemoryOrigin& memoryOrigin(const MemorySample& sample) const;
    void setTotalAllocated(size_t i, int64_t bytes);
    /// Forgets samples before a time (file axis), of sorted ones; returns them.
    std::vector<MemorySample> forgetMemoryBefore(int64_t timeNs);

    [[nodiscard]] uint64_t sliceCount() const;
    [[nodiscard]] size_t memoryUsage() const;

    /// Ends the file. The builder is empty afterwards. The result does not depend on the number of threads, the
    /// caller's included.
    [[nodiscard]] std::shared_ptr<const FileStore> finish(
        FileInfo info, std::shared_ptr<const EventSource> source, size_t threads = 1);

private:
    static constexpr uint32_t kFirstStandIn = 0xFF000000;
    uint32_t standInOf(uint64_t number);

    struct Draft;
    std::shared_ptr<StringPool> m_pool;
    std::unique_ptr<Draft> m_draft;
};

} // namespace torchline
