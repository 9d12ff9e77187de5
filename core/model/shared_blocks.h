#pragma once
// SharedBlocks: a long list that grows at its end, in blocks that its copies share. A block that is shared is never
// written to again: whoever changes something in it gets a block of its own. So a copy costs 16 bytes a block, and two
// copies that hold the same block hold the same values there.
// Thread: values; whoever has a copy that no one writes to may read and copy it on any thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace torchline {

template <typename T, uint32_t kBlockSize> class SharedBlocks {
    static_assert(std::is_trivially_copyable_v<T> && (kBlockSize & (kBlockSize - 1)) == 0);

public:
    static constexpr uint32_t kBlock = kBlockSize;

    class Iterator {
    public:
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        Iterator() = default;
        Iterator(const SharedBlocks* list, size_t at)
            : m_list(list)
            , m_at(at)
        {
        }
        reference operator*() const { return (*m_list)[m_at]; }
        pointer operator->() const { return &(*m_list)[m_at]; }
        reference operator[](difference_type n) const { return *(*this + n); }
        Iterator& operator++() { return *this += 1; }
        Iterator operator++(int) { return std::exchange(*this, *this + 1); }
        Iterator& operator--() { return *this -= 1; }
        Iterator operator--(int) { return std::exchange(*this, *this - 1); }
        Iterator& operator+=(difference_type n)
        {
            m_at += static_cast<size_t>(n);
            return *this;
        }
        Iterator& operator-=(difference_type n) { return *this += -n; }
        friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
        friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
        friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(const Iterator& a, const Iterator& b)
        {
            return static_cast<difference_type>(a.m_at - b.m_at);
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.m_at == b.m_at; }
        friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.m_at <=> b.m_at; }

    private:
        const SharedBlocks* m_list = nullptr;
        size_t m_at = 0;
    };
    using value_type = T;
    using const_iterator = Iterator;

    SharedBlocks() = default;
    ~SharedBlocks() = default;
    SharedBlocks(const SharedBlocks& other) { *this = other; }
    SharedBlocks& operator=(const SharedBlocks& other)
    {
        other.giveUpBlocks();
        m_blocks = other.m_blocks;
        m_size = other.m_size;
        m_firstOwned = m_blocks.size();
        m_room = other.m_room;
        return *this;
    }
    SharedBlocks(SharedBlocks&& other) noexcept { *this = std::move(other); }
    SharedBlocks& operator=(SharedBlocks&& other) noexcept
    {
        m_blocks = std::move(other.m_blocks);
        other.m_blocks.clear();
        m_size = std::exchange(other.m_size, 0);
        m_firstOwned = std::exchange(other.m_firstOwned, 0);
        m_room = std::exchange(other.m_room, 0);
        return *this;
    }

    [[nodiscard]] size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const T& operator[](size_t i) const { return m_blocks[i / kBlock][i % kBlock]; }
    [[nodiscard]] const T& front() const { return (*this)[0]; }
    [[nodiscard]] const T& back() const { return (*this)[m_size - 1]; }
    [[nodiscard]] Iterator begin() const { return {this, 0}; }
    [[nodiscard]] Iterator end() const { return {this, m_size}; }

    [[nodiscard]] size_t blockCount() const { return m_blocks.size(); }
    [[nodiscard]] std::span<const T> block(size_t b) const
    {
        return {m_blocks[b].get(), std::min<size_t>(m_size - b * kBlock, kBlock)};
    }
    /// True if both have the same block there, so that all that both hold of it is equal.
    [[nodiscard]] bool sharesBlock(const SharedBlocks& other, size_t b) const
    {
        return b < m_blocks.size() && b < other.m_blocks.size() && m_blocks[b] == other.m_blocks[b];
    }

    void push_back(const T& value)
    {
        const size_t at = m_size % kBlock;
        if (at == 0) {
            m_room = std::min(kBlock, m_blocks.empty() ? kLeastRoom : kLaterRoom);
            m_blocks.push_back(std::make_shared_for_overwrite<T[]>(m_room));
            m_firstOwned = std::min(m_firstOwned, m_blocks.size() - 1);
        } else if (m_firstOwned == m_blocks.size() || at == m_room) {
            m_room = static_cast<uint32_t>(std::min<size_t>(kBlock, std::max<size_t>(kLeastRoom, 2 * at)));
            own(m_blocks.size() - 1, m_room);
        }
        m_blocks.back()[at] = value;
        ++m_size;
    }
    /// As push_back() of each of them.
    void append(std::span<const T> values)
    {
        while (!values.empty()) {
            push_back(values.front()); // where there is no room it makes some
            const size_t used = m_size % kBlock;
            const size_t more = used == 0 ? 0 : std::min<size_t>(values.size() - 1, m_room - used);
            std::copy_n(values.data() + 1, more, m_blocks.back().get() + used);
            m_size += more;
            values = values.subspan(1 + more);
        }
    }
    /// Keeps the first so many; at most size().
    void truncate(size_t size)
    {
        const size_t blocks = (size + kBlock - 1) / kBlock;
        if (blocks < m_blocks.size()) {
            m_blocks.resize(blocks);
            m_firstOwned = std::min(m_firstOwned, blocks);
            m_room = kBlock; // only full ones have others behind them
        }
        m_size = size;
    }
    /// To be written to, as all behind it.
    [[nodiscard]] T& writable(size_t i)
    {
        for (size_t b = m_firstOwned; b-- > i / kBlock;)
            own(b, b + 1 == m_blocks.size() ? m_room : kBlock);
        return m_blocks[i / kBlock][i % kBlock];
    }
    /// Gives spare room back, unless it is shared.
    void shrinkToFit()
    {
        const size_t used = m_size % kBlock;
        if (used == 0 || used == m_room || m_firstOwned == m_blocks.size())
            return;
        m_room = static_cast<uint32_t>(used);
        own(m_blocks.size() - 1, m_room);
    }

    [[nodiscard]] size_t memoryUsage() const
    {
        if (m_blocks.empty())
            return 0;
        return m_blocks.capacity() * sizeof(m_blocks[0]) + ((m_blocks.size() - 1) * kBlock + m_room) * sizeof(T);
    }

    friend bool operator==(const SharedBlocks& a, const SharedBlocks& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    static constexpr uint32_t kLeastRoom = 16;
    static constexpr uint32_t kLaterRoom = 1u << 12; ///< at first, of blocks behind others: a long list goes on growing

    /// Those of what a copy is made of: it has none of its own any more. What is read by many has none anyway.
    void giveUpBlocks() const
    {
        if (m_firstOwned != m_blocks.size())
            m_firstOwned = m_blocks.size();
    }
    /// Replaces a block by one of our own; all behind it are our own already.
    void own(size_t b, uint32_t room)
    {
        std::shared_ptr<T[]> copy = std::make_shared_for_overwrite<T[]>(room);
        std::copy_n(m_blocks[b].get(), std::min<size_t>(m_size - b * kBlock, kBlock), copy.get());
        m_blocks[b] = std::move(copy);
        m_firstOwned = std::min(m_firstOwned, b);
    }

    std::vector<std::shared_ptr<T[]>> m_blocks; ///< all but the last are full
    size_t m_size = 0;
    mutable size_t m_firstOwned = 0; ///< this block and those behind it are held by no copy
    uint32_t m_room = 0; ///< of the last block
};

/// Indexes of slices of a lane, rising.
using SliceList = SharedBlocks<uint32_t, 1u << 12>;

} // namespace torchline
