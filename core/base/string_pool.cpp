#include "base/string_pool.h"

#include <bit>
#include <cstring>

namespace torchline {

namespace {

constexpr size_t kBlockSize = 64 * 1024;
constexpr size_t kFirstSlots = 1024;

uint32_t hashOf(std::string_view text)
{
    return static_cast<uint32_t>(std::hash<std::string_view>()(text));
}

} // namespace

StringPool::StringPool()
    : m_slots(kFirstSlots)
{
    intern({});
}

StringPool::~StringPool()
{
    for (auto& page : m_pages)
        delete[] page.load(std::memory_order_relaxed);
}

StringPool::Place StringPool::placeOf(uint32_t id)
{
    const uint64_t shifted = uint64_t{id} + kFirstPage;
    const size_t page = static_cast<size_t>(std::bit_width(shifted / kFirstPage)) - 1;
    return {page, static_cast<uint32_t>(shifted - (uint64_t{kFirstPage} << page))};
}

size_t StringPool::slotOf(std::string_view text, uint32_t hash) const
{
    const size_t mask = m_slots.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = m_slots[at];
        if (!slot.id.isValid() || (slot.hash == hash && this->text(slot.id) == text))
            return at;
    }
}

NameId StringPool::intern(std::string_view text)
{
    const std::lock_guard lock(m_mutex);
    const uint32_t hash = hashOf(text);
    size_t at = slotOf(text, hash);
    if (m_slots[at].id.isValid())
        return m_slots[at].id;

    const uint32_t id = m_size.load(std::memory_order_relaxed);
    if ((size_t{id} + 1) * 2 > m_slots.size()) {
        grow();
        at = slotOf(text, hash);
    }
    const Place place = placeOf(id);
    std::string_view* page = m_pages[place.page].load(std::memory_order_relaxed);
    if (page == nullptr) {
        page = new std::string_view[size_t{kFirstPage} << place.page];
        m_pages[place.page].store(page, std::memory_order_release);
    }
    page[place.at] = store(text);
    m_slots[at] = {hash, NameId(id)};
    m_size.store(id + 1, std::memory_order_release);
    return NameId(id);
}

std::optional<NameId> StringPool::find(std::string_view text) const
{
    const std::lock_guard lock(m_mutex);
    const Slot& slot = m_slots[slotOf(text, hashOf(text))];
    return slot.id.isValid() ? std::optional(slot.id) : std::nullopt;
}

std::string_view StringPool::text(NameId id) const
{
    if (!id.isValid())
        return {};
    const Place place = placeOf(id.value());
    return m_pages[place.page].load(std::memory_order_acquire)[place.at];
}

std::string_view StringPool::store(std::string_view text)
{
    m_textBytes += text.size();
    if (text.size() > kBlockSize / 4) {
        m_blocks.insert(m_blocks.begin(), std::make_unique<char[]>(text.size()));
        std::memcpy(m_blocks.front().get(), text.data(), text.size());
        return {m_blocks.front().get(), text.size()};
    }
    if (m_blockUsed + text.size() > m_blockSize) {
        m_blocks.push_back(std::make_unique<char[]>(kBlockSize));
        m_blockSize = kBlockSize;
        m_blockUsed = 0;
    }
    if (text.empty())
        return {};
    char* to = m_blocks.back().get() + m_blockUsed;
    std::memcpy(to, text.data(), text.size());
    m_blockUsed += text.size();
    return {to, text.size()};
}

void StringPool::grow()
{
    std::vector<Slot> slots(m_slots.size() * 2);
    const size_t mask = slots.size() - 1;
    for (const Slot& slot : m_slots) {
        if (!slot.id.isValid())
            continue;
        size_t at = slot.hash & mask;
        while (slots[at].id.isValid())
            at = (at + 1) & mask;
        slots[at] = slot;
    }
    m_slots = std::move(slots);
}

size_t StringPool::memoryUsage() const
{
    const std::lock_guard lock(m_mutex);
    size_t bytes = m_slots.size() * sizeof(Slot) + m_blocks.size() * kBlockSize;
    for (size_t page = 0; page < kPages; ++page) {
        if (m_pages[page].load(std::memory_order_relaxed) != nullptr)
            bytes += (size_t{kFirstPage} << page) * sizeof(std::string_view);
    }
    return std::max(bytes, m_textBytes);
}

} // namespace torchline
