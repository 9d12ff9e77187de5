#pragma once
// LaneColumns: the columns of one lane while they can still be written: appended in file order, then put in order.
// Blocks that a copy shares are copied before they are written to.
// Thread: one. Cost: O(1) a slice; sort() O(n log runs), nothing when they came in order; a second sort() only costs
// what came since the first, and what that has to be merged with.

#include "model/file_store.h"

#include <memory>
#include <vector>

namespace torchline {

using SliceRow = SliceBlock::Row;

class LaneColumns {
public:
    void append(const SliceRow& row);
    /// By (start, longer first, event offset). Returns the first index at which something changed since the last sort.
    uint32_t sort();
    /// Forgets whole blocks of slices that begin and end before a time; those that last longer stay. In order. Returns
    /// how many went; all others have other indexes then.
    [[nodiscard]] uint32_t forgetBefore(int64_t timeNs);
    void shareBlocks(); ///< before a copy is made
    /// Of each block. Cost: O(what changed since the last call).
    [[nodiscard]] const std::vector<BlockFacts>& facts();
    /// Hands the blocks over, those that are not shared without their spare room; nothing is left here.
    [[nodiscard]] std::vector<std::shared_ptr<const SliceBlock>> take();

    [[nodiscard]] uint32_t size() const { return m_size; }
    [[nodiscard]] std::shared_ptr<const SliceBlock> blockOf(uint32_t i) const
    {
        return m_blocks[i / SliceBlock::kRows];
    }
    [[nodiscard]] SliceRow row(uint32_t i) const { return block(i).row(i % SliceBlock::kRows); }
    [[nodiscard]] int64_t startNs(uint32_t i) const { return block(i).startNs[i % SliceBlock::kRows]; }
    [[nodiscard]] int64_t durationNs(uint32_t i) const { return block(i).durationNs[i % SliceBlock::kRows]; }
    [[nodiscard]] int64_t endNs(uint32_t i) const { return addSaturated(startNs(i), durationNs(i)); }
    [[nodiscard]] NameId name(uint32_t i) const { return block(i).name[i % SliceBlock::kRows]; }
    [[nodiscard]] SliceKind kind(uint32_t i) const { return block(i).kind[i % SliceBlock::kRows]; }
    [[nodiscard]] uint8_t flags(uint32_t i) const { return block(i).flags[i % SliceBlock::kRows]; }
    [[nodiscard]] uint64_t eventOffset(uint32_t i) const { return block(i).eventOffset[i % SliceBlock::kRows]; }
    void setFlag(uint32_t i, SliceFlag flag, bool isSet);
    [[nodiscard]] size_t memoryUsage() const;

private:
    [[nodiscard]] const SliceBlock& block(uint32_t i) const { return *m_blocks[i / SliceBlock::kRows]; }
    [[nodiscard]] bool isBefore(uint32_t a, uint32_t b) const;
    [[nodiscard]] SliceBlock& writable(size_t block);
    [[nodiscard]] std::vector<uint32_t> mergedRuns() const;
    [[nodiscard]] std::vector<uint32_t> mergedTail() const;
    void permute(uint32_t first, const std::vector<uint32_t>& order);
    template <typename T>
    void permute(SliceBlock::Column<T> SliceBlock::*column, uint32_t first, const std::vector<uint32_t>& order);

    std::vector<std::shared_ptr<SliceBlock>> m_blocks; ///< all but the last are full
    std::vector<bool> m_isShared; ///< by block: never written to again
    uint32_t m_sorted = 0; ///< slices before this one are in order
    std::vector<BlockFacts> m_facts;
    uint32_t m_withFacts = 0; ///< slices before this one count there
    std::vector<uint32_t> m_runs; ///< first slice of each ordered run but the first
    uint32_t m_size = 0;
};

} // namespace torchline
