#pragma once
// SliceBlock: at most kRows slices of one lane, a column a member, all of them in one piece of memory that grows with
// the slices. Every block of a lane but the last is full, so slice i is in block i / kRows.
// Thread: one while it is filled; any once nobody writes to it.

#include "base/ids.h"
#include "model/slice_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace torchline {

class SliceBlock {
public:
    static constexpr uint32_t kRows = 1u << 16;

    /// One slice, all columns.
    struct Row {
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
    /// One value a slice.
    template <typename T> class Column {
    public:
        [[nodiscard]] T& operator[](size_t i) { return m_values[i]; }
        [[nodiscard]] const T& operator[](size_t i) const { return m_values[i]; }
        [[nodiscard]] T* data() { return m_values; }
        [[nodiscard]] const T* data() const { return m_values; }

    private:
        friend class SliceBlock;
        T* m_values = nullptr;
    };

    // Sorted by (start, longer first, event offset).
    Column<int64_t> startNs;
    Column<int64_t> durationNs; ///< never negative
    Column<uint64_t> eventOffset; ///< first byte of the event's object in the decoded text
    Column<NameId> name;
    Column<uint32_t> externalId; ///< 0: none. Ids beyond 0xFEFFFFFF or not numeric have stand-ins above that
    Column<uint32_t> correlation; ///< likewise
    Column<CategoryId> category;
    Column<SliceKind> kind;
    Column<uint8_t> flags; ///< SliceFlag bits

    SliceBlock() = default;
    SliceBlock(const SliceBlock& other); ///< without spare room
    SliceBlock& operator=(const SliceBlock&) = delete;
    ~SliceBlock() = default;

    [[nodiscard]] size_t size() const { return m_size; }
    template <typename T> [[nodiscard]] std::span<const T> values(const Column<T>& column) const
    {
        return {column.data(), m_size};
    }
    [[nodiscard]] Row row(size_t i) const
    {
        return {startNs[i], durationNs[i], name[i], kind[i], flags[i], category[i], externalId[i], correlation[i],
            eventOffset[i]};
    }

    /// At most kRows of them.
    void push_back(const Row& row)
    {
        if (m_size == m_room)
            setRoom(std::min(kRows, std::max(kLeastRoom, 2 * m_size)));
        startNs[m_size] = row.startNs;
        durationNs[m_size] = row.durationNs;
        eventOffset[m_size] = row.eventOffset;
        name[m_size] = row.name;
        externalId[m_size] = row.externalId;
        correlation[m_size] = row.correlation;
        category[m_size] = row.category;
        kind[m_size] = row.kind;
        flags[m_size] = row.flags;
        ++m_size;
    }
    void shrinkToFit();
    [[nodiscard]] size_t memoryUsage() const { return m_room * kRowBytes; }

private:
    static constexpr uint32_t kLeastRoom = 16;
    static constexpr size_t kRowBytes = 2 * sizeof(int64_t) + sizeof(uint64_t) + sizeof(NameId) + 2 * sizeof(uint32_t)
        + sizeof(CategoryId) + sizeof(SliceKind) + sizeof(uint8_t);

    void setRoom(uint32_t room);
    void placeColumns(uint32_t room);

    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); } // NOLINT: it may be taken further by realloc()
    };

    std::unique_ptr<std::byte, Free> m_memory;
    uint32_t m_size = 0;
    uint32_t m_room = 0;
};

} // namespace torchline
