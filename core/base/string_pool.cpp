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
    : m_slots(kFirstSlots, 0)
    , m_hashes(kFirstSlots, 0)
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

size_t StringPool::findSlot(std::string_view text, uint32_t hash) const
{
    const size_t mask = m_slots.size() - 1;
    for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        if (m_slots[slot] == 0)
            return slot;
        if (m_hashes[slot] == hash && this->text(NameId(m_slots[slot] - 1)) == text)
            return slot;
    }
}

NameId StringPool::intern(std::string_view text)
{
    const std::lock_guard lock(m_mutex);
    const uint32_t hash = hashOf(text);
    size_t slot = findSlot(text, hash);
    if (m_slots[slot] != 0)
        return NameId(m_slots[slot] - 1);

    const uint32_t id = m_size.load(std::memory_order_relaxed);
    if ((size_t{id} + 1) * 2 > m_slots.size()) {
        grow();
        slot = findSlot(text, hash);
    }
    const Place place = placeOf(id);
    std::string_view* page = m_pages[place.page].load(std::memory_order_relaxed);
    if (page == nullptr) {
        page = new std::string_view[size_t{kFirstPage} << place.page];
        m_pages[place.page].store(page, std::memory_order_release);
    }
    page[place.slot] = store(text);
    m_slots[slot] = id + 1;
    m_hashes[slot] = hash;
    m_size.store(id + 1, std::memory_order_release);
    return NameId(id);
}

std::optional<NameId> StringPool::find(std::string_view text) const
{
    const std::lock_guard lock(m_mutex);
    const size_t slot = findSlot(text, hashOf(text));
    if (m_slots[slot] == 0)
        return std::nullopt;
    return NameId(m_slots[slot] - 1);
}

std::string_view StringPool::text(NameId id) const
{
    if (!id.isValid())
        return {};
    const Place place = placeOf(id.value());
    return m_pages[place.page].load(std::memory_order_acquire)[place.slot];
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
    std::vector<uint32_t> slots(m_slots.size() * 2, 0);
    std::vector<uint32_t> hashes(slots.size(), 0);
    const size_t mask = slots.size() - 1;
    for (size_t from = 0; from < m_slots.size(); ++from) {
        if (m_slots[from] == 0)
            continue;
        size_t slot = m_hashes[from] & mask;
        while (slots[slot] != 0)
            slot = (slot + 1) & mask;
        slots[slot] = m_slots[from];
        hashes[slot] = m_hashes[from];
    }
    m_slots = std::move(slots);
    m_hashes = std::move(hashes);
}

size_t StringPool::memoryUsage() const
{
    const std::lock_guard lock(m_mutex);
    size_t bytes = m_slots.size() * sizeof(uint32_t) * 2 + m_blocks.size() * kBlockSize;
    for (size_t page = 0; page < kPages; ++page) {
        if (m_pages[page].load(std::memory_order_relaxed) != nullptr)
            bytes += (size_t{kFirstPage} << page) * sizeof(std::string_view);
    }
    return std::max(bytes, m_textBytes);
}

} // namespace torchline
