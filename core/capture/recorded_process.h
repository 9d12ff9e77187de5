#pragma once
// RecordedProcess: what one process told, as one store of the model. See ingest.h.
// Thread: one owner.

#include "capture/block_book.h"
#include "capture/forward_backward.h"
#include "capture/frames.h"
#include "capture/ingest.h"
#include "capture/spool_source.h"
#include "capture/tick_clock.h"
#include "model/trace_builder.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace torchline {

class RecordedProcess {
public:
    static constexpr int32_t kCpu = 0; ///< c10::DeviceType

    RecordedProcess(
        std::shared_ptr<StringPool> pool, std::shared_ptr<const SpoolBytes> spool, IngestCounters& counters);

    void take(const Frame& frame);
    [[nodiscard]] bool hasRecords() const { return m_hasRecords; }
    /// Unix time minus CLOCK_MONOTONIC, once it is known.
    [[nodiscard]] std::optional<int64_t> realOffsetNs() const;
    [[nodiscard]] std::shared_ptr<const FileStore> publish(
        const std::string& path, std::optional<int64_t> baseTimeNs, bool isEnd);
    [[nodiscard]] size_t memoryUsage() const;
    [[nodiscard]] TimeRange timeNs() const { return m_range; } ///< of what is there, CLOCK_MONOTONIC
    /// Forgets what is older; leaves a mark where the rest begins.
    void forgetBefore(int64_t timeNs);

private:
    struct Name {
        NameId id;
        NameId evaluated; ///< of an evaluate_function operator: the name of the operator inside it
        bool isStep = false;
    };
    struct OpenOp {
        wire::OpenOp op;
        uint64_t place;
    };
    struct Backward { ///< the latest operator with a forward thread on a thread
        NameId name;
        uint64_t start = 0;
        uint64_t place = 0;
        uint16_t depth = 0;
    };
    struct Slot {
        bool isTaken = false;
        uint32_t index = 0;
        uint32_t lane = 0;
        NameId tid;
        uint64_t torchThread = 0;
        Backward backward;
        int64_t firstNs = kMaxNs; ///< earliest start of an operator since the last step began
        std::vector<OpenOp> open;
        std::array<uint32_t, 16> endedLast{}; ///< numbers of the latest operators that ended, plus one
        size_t endedCount = 0;
    };
    struct Segment {
        uint32_t number = 0;
        std::vector<Name> names; ///< by id - 1
        uint32_t shapes = 0;
        uint32_t stacks = 0;
        std::unordered_map<uint32_t, Slot> slots;
        CountsPart counts{};
    };
    struct AsyncHalf {
        uint64_t ticks = 0;
        uint64_t place = 0;
        SliceRecord slice; ///< of the beginning
        uint32_t lane = 0;
    };
    struct PendingRecords {
        std::vector<std::byte> payload;
        uint64_t place;
    };

    Segment& segment(uint32_t number);
    void takeHello(std::string_view json);
    void takeArena(const Frame& frame);
    void takeSlot(const SlotPart& part);
    void takeClock(const ClockPart& clock);
    void takeRecords(std::span<const std::byte> payload, uint64_t place);
    void takeOpenOps(const Frame& frame);
    void takeDamage(const Frame& frame);

    void addRecord(Segment& from, Slot& slot, std::span<const std::byte> bytes, uint64_t place);
    void addOperator(const Segment& from, Slot& slot, const wire::OpRecord& op, uint64_t place);
    void addMemory(Slot& slot, const wire::MemoryRecord& record, uint64_t place);
    void addAsync(const Segment& from, Slot& slot, const wire::AsyncRecord& record, uint64_t place);
    void addStep(const Segment& from, Slot& slot, const wire::StepRecord& step, uint64_t place);
    void addDropped(Slot& slot, const wire::DroppedRecord& dropped, uint64_t place);
    [[nodiscard]] SliceRecord sliceOf(const Name& name, uint8_t scope, int64_t startNs, uint64_t place) const;
    [[nodiscard]] const Name& nameOf(const Segment& from, uint32_t id) const;

    void addLinks(TraceBuilder& builder, bool all);
    void sumUpMemory();
    void addOpenOps(TraceBuilder& builder);
    [[nodiscard]] std::optional<uint64_t> asyncEndOf(const wire::OpenOp& op) const;
    void addNotices(TraceBuilder& builder, bool isEnd) const;
    [[nodiscard]] FileInfo fileInfo(const std::string& path, std::optional<int64_t> baseTimeNs) const;

    std::shared_ptr<StringPool> m_pool;
    IngestCounters& m_counters;
    std::shared_ptr<SpoolSource> m_source; ///< null without a spool
    TraceBuilder m_builder;
    TickClock m_clock;
    std::vector<std::unique_ptr<Segment>> m_segments;
    std::vector<PendingRecords> m_pending; ///< until the clock is known
    BlockBook m_blocks;
    ForwardBackward m_arrows;
    std::vector<ForwardBackward::Link> m_links;
    std::unordered_multimap<uint64_t, AsyncHalf> m_asyncOpen; ///< by key
    std::unordered_multimap<uint64_t, AsyncHalf> m_asyncEnd;
    std::vector<std::string> m_damages;
    bool m_hasRecords = false;

    NameId m_pid;
    Name m_noName;
    CategoryId m_opCategory;
    CategoryId m_annotationCategory;
    CategoryId m_arrowCategory;
    CategoryId m_memoryCategory;
    CategoryId m_lostCategory;
    NameId m_arrowName;
    NameId m_memoryName;
    std::optional<int64_t> m_rank;
    ArgList m_header;
    struct OpenStep {
        int64_t startNs;
        uint64_t number;
    };
    std::optional<OpenStep> m_step;
    uint64_t m_lost = 0;
    uint64_t m_forgotten = 0;
    TimeRange m_range{kMaxNs, kMinNs};
    int64_t m_forgottenHostBytes = 0; ///< total of the host's memory where what is left begins
    std::optional<Instant> m_forgottenMark;
    uint64_t m_strayOps = 0; ///< records without a thread
};

} // namespace torchline
