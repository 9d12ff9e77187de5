#include "model/slice_block.h"

#include "base/huge_pages.h"

#include <array>
#include <cstring>
#include <new>
#include <tuple>
#include <utility>

namespace torchline {

namespace {

/// The widest first, so that each begins at a multiple of its size.
constexpr std::tuple kColumns{&SliceBlock::startNs, &SliceBlock::durationNs, &SliceBlock::eventOffset,
    &SliceBlock::name, &SliceBlock::externalId, &SliceBlock::correlation, &SliceBlock::category, &SliceBlock::kind,
    &SliceBlock::flags};

} // namespace

SliceBlock::SliceBlock(const SliceBlock& other)
{
    setRoom(other.m_size);
    m_size = other.m_size;
    const auto copy = [this](const auto& from, auto& to) { std::copy_n(from.data(), m_size, to.data()); };
    std::apply([&](auto... column) { (copy(other.*column, this->*column), ...); }, kColumns);
}

void SliceBlock::shrinkToFit()
{
    if (m_room > m_size)
        setRoom(m_size);
}

// In its place where the system can: pages once written to are not fetched anew.
void SliceBlock::setRoom(uint32_t room)
{
    if (room < m_room)
        placeColumns(room);
    const size_t bytes = std::max<size_t>(room * kRowBytes, 1);
    auto* memory = static_cast<std::byte*>(std::realloc(m_memory.get(), bytes)); // NOLINT
    if (memory == nullptr)
        throw std::bad_alloc();
    static_cast<void>(m_memory.release());
    m_memory.reset(memory);
    preferHugePages(memory, bytes);
    placeColumns(room);
}

/// Moves the columns to where they are in a block with so much room.
void SliceBlock::placeColumns(uint32_t room)
{
    size_t to = 0;
    size_t from = 0;
    constexpr size_t kCount = std::tuple_size_v<decltype(kColumns)>;
    std::array<std::pair<size_t, size_t>, kCount> places; ///< to, from
    std::array<size_t, kCount> widths;
    size_t column = 0;
    const auto place = [&]<typename T>(Column<T>& values) {
        places[column] = {to, from};
        widths[column++] = sizeof(T);
        values.m_values = reinterpret_cast<T*>(m_memory.get() + to);
        to += room * sizeof(T);
        from += m_room * sizeof(T);
    };
    std::apply([&](auto... each) { (place(this->*each), ...); }, kColumns);
    const auto move = [&](size_t i) {
        std::memmove(m_memory.get() + places[i].first, m_memory.get() + places[i].second, m_size * widths[i]);
    };
    // None onto one that has not been moved yet.
    for (size_t i = 0; i < kCount && room < m_room; ++i)
        move(i);
    for (size_t i = kCount; i > 0 && room > m_room; --i)
        move(i - 1);
    m_room = room;
}

} // namespace torchline
