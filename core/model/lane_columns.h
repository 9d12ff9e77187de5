#pragma once
// LaneColumns: the columns of one lane while they can still be written: appended in file order, then put in order.
// Thread: one. Cost: O(1) a slice; sort() O(n log runs), nothing when they came in order.

#include "model/file_store.h"

#include <memory>
#include <vector>

namespace torchline {

/// One slice, all columns.
struct SliceRow {
    int64_t startNs = 0;
    int64_t durationNs = 0;
    NameId name;
    SliceKind kind = SliceKind::Other;
    uint8_t flags = 0;
    CategoryId category;
    uint32_t externalId = 0;
    uint32_t correlation = 0;
    uint64_t eventOffset = 0;
};

class LaneColumns {
public:
    void append(const SliceRow& row);
    void sort(); ///< by (start, longer first, event offset)
    [[nodiscard]] LaneColumns clone() const; ///< that shares nothing
    /// Hands the blocks over without their spare room; nothing is left here.
    [[nodiscard]] std::vector<std::shared_ptr<const SliceBlock>> take();

    [[nodiscard]] uint32_t size() const { return m_size; }
    [[nodiscard]] SliceRow row(uint32_t i) const;
    [[nodiscard]] int64_t startNs(uint32_t i) const { return block(i).startNs[i % SliceBlock::kRows]; }
    [[nodiscard]] int64_t durationNs(uint32_t i) const { return block(i).durationNs[i % SliceBlock::kRows]; }
    [[nodiscard]] int64_t endNs(uint32_t i) const { return addSaturated(startNs(i), durationNs(i)); }
    [[nodiscard]] NameId name(uint32_t i) const { return block(i).name[i % SliceBlock::kRows]; }
    [[nodiscard]] SliceKind kind(uint32_t i) const { return block(i).kind[i % SliceBlock::kRows]; }
    [[nodiscard]] uint8_t flags(uint32_t i) const { return block(i).flags[i % SliceBlock::kRows]; }
    [[nodiscard]] uint64_t eventOffset(uint32_t i) const { return block(i).eventOffset[i % SliceBlock::kRows]; }
    void addFlag(uint32_t i, SliceFlag flag);
    [[nodiscard]] size_t memoryUsage() const;

private:
    [[nodiscard]] const SliceBlock& block(uint32_t i) const { return *m_blocks[i / SliceBlock::kRows]; }
    [[nodiscard]] bool isBefore(uint32_t a, uint32_t b) const;
    [[nodiscard]] std::vector<uint32_t> mergedRuns() const;
    template <typename T> void permute(std::vector<T> SliceBlock::*column, const std::vector<uint32_t>& order);

    std::vector<std::shared_ptr<SliceBlock>> m_blocks; ///< all but the last are full
    std::vector<uint32_t> m_runs; ///< first slice of each ordered run but the first
    uint32_t m_size = 0;
};

} // namespace torchline
