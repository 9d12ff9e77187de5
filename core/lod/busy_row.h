#pragma once
// BusyRow: the outermost work of a lane, as a row of its own: what a folded lane shows and its busy share counts.
// Work that overlaps counts once. 4 bytes a piece and a pyramid; nothing where it is just the lane's first row.
// Thread: const after construction; valid as long as the snapshot and the arrays given. Cost: O(slices), of a lane that
// grew O(slices behind those that are the same).

#include "lod/row_index.h"

namespace torchline::lod {

class BusyRow {
public:
    /// Which slices are work.
    struct Rule {
        bool isDevice = false; ///< device work; else what steps and Python frames are not
        bool isAll = false;

        [[nodiscard]] bool holds(const SliceRow& row, uint32_t laneIndex) const
        {
            if (isAll)
                return true;
            if (isDevice)
                return isDeviceWork(row.lane->kind(laneIndex));
            return isWork(static_cast<WorkClass>((*row.classes)[laneIndex]));
        }
        [[nodiscard]] static bool isWork(WorkClass cls) { return cls != WorkClass::Step && cls != WorkClass::Python; }
        friend bool operator==(const Rule&, const Rule&) = default;
    };
    BusyRow() = default;
    /// Pieces in order of start, what begins inside the last one only makes it longer. first: the lane's first row and
    /// its pyramid, taken over if it is the same. before: null, or the row of an earlier snapshot, slices of whose lane
    /// are the same up to an index.
    BusyRow(Rule rule, const SliceRow& first, const RowIndex* firstIndex,
        uint32_t sectionSlices = RowIndex::kOneSection, const BusyRow* before = nullptr, uint32_t sameUntil = 0);

    BusyRow(const BusyRow&) = delete;
    BusyRow& operator=(const BusyRow&) = delete;
    BusyRow(BusyRow&&) = default;
    BusyRow& operator=(BusyRow&&) = default;
    ~BusyRow() = default;

    [[nodiscard]] uint32_t size() const { return m_pieces.size(); }
    [[nodiscard]] int64_t startNs(uint32_t k) const { return m_pieces.startNs(k); }
    [[nodiscard]] int64_t durationNs(uint32_t k) const
    {
        return m_longer.empty() ? m_pieces.durationNs(k) : heldDurationNs(k);
    }
    [[nodiscard]] uint8_t classIndex(uint32_t k) const { return m_pieces.classIndex(k); }
    [[nodiscard]] const RowIndex& index() const { return m_shared ? *m_shared : m_own; }

    /// Before this time it is as the row before it.
    [[nodiscard]] int64_t sameUntilNs() const { return m_sameUntilNs; }

    /// Time of a range in which something of it runs: O(log n).
    [[nodiscard]] int64_t coveredNs(TimeRange range) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kSumEvery = 64;
    struct Longer {
        uint32_t piece;
        int64_t endNs;
    };
    [[nodiscard]] std::vector<uint32_t> collect(const Lane& lane, uint32_t from, uint32_t kept);
    void sumUp(const BusyRow* earlier, uint32_t kept);
    void compare(const BusyRow& earlier, uint32_t kept);
    [[nodiscard]] int64_t heldDurationNs(uint32_t k) const;
    [[nodiscard]] int64_t coveredBefore(int64_t timeNs) const;

    Rule m_rule;
    std::shared_ptr<const SliceList> m_order; ///< null where it is the lane's first row
    SliceRow m_pieces; ///< reads m_order, or the lane's first row
    SharedBlocks<Longer, 1024> m_longer; ///< pieces that others made longer
    SharedBlocks<int64_t, 1024> m_coveredNs; ///< by all pieces before each kSumEvery-th
    int64_t m_sameUntilNs = kMinNs;
    RowIndex m_own;
    const RowIndex* m_shared = nullptr;
};

} // namespace torchline::lod
