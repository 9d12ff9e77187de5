#pragma once
// BusyRow: the outermost work of a lane, as a row of its own: what a folded lane shows and its busy share counts.
// Work that overlaps counts once. 4 bytes a piece and a pyramid; nothing where it is just the lane's first row.
// Thread: const after construction; valid as long as the snapshot and the arrays given.

#include "lod/row_index.h"

#include <utility>

namespace torchline::lod {

class BusyRow {
public:
    BusyRow() = default;
    /// isWork by lane index; pieces in order of start, what begins inside the last one only makes it longer. first: the
    /// lane's first row and its pyramid, taken over if it is the same.
    BusyRow(const Lane& lane, const uint8_t* classes, const std::vector<bool>& isWork, const SliceRow& first,
        const RowIndex* firstIndex);

    BusyRow(const BusyRow&) = delete; // reads its own array
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

    /// Time of a range in which something of it runs: O(log n).
    [[nodiscard]] int64_t coveredNs(TimeRange range) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kSumEvery = 64;
    [[nodiscard]] int64_t heldDurationNs(uint32_t k) const;
    [[nodiscard]] int64_t coveredBefore(int64_t timeNs) const;

    std::vector<uint32_t> m_order;
    SliceRow m_pieces; ///< reads m_order, or the lane's first row
    std::vector<std::pair<uint32_t, int64_t>> m_longer; ///< piece, end: those that others made longer
    std::vector<int64_t> m_coveredNs; ///< by all pieces before each kSumEvery-th
    RowIndex m_own;
    const RowIndex* m_shared = nullptr;
};

} // namespace torchline::lod
