#include "import/scan/text_table.h"

#include <algorithm>

namespace torchline {

namespace {

constexpr size_t kFirstSlots = 4096;
constexpr size_t kBlockBytes = 64 * 1024;
constexpr size_t kSlack = 16; ///< behind each text, to be read with it

} // namespace

TextTable::TextTable()
    : m_slots(kFirstSlots)
    , m_hashes(1)
    , m_entries(1)
{
}

LocalText TextTable::append(const char* data, size_t size, TextForm form, uint64_t hash, size_t slot)
{
    if (m_blocks.empty() || m_blockUsed + size + kSlack > m_blockBytes) {
        m_blockBytes = std::max(kBlockBytes, size + kSlack);
        m_blocks.push_back(std::make_unique<char[]>(m_blockBytes));
        m_blockUsed = 0;
        m_bytes += m_blockBytes;
    }
    char* copy = m_blocks.back().get() + m_blockUsed;
    std::memcpy(copy, data, size);
    m_blockUsed += size;
    const auto text = static_cast<LocalText>(m_entries.size());
    m_entries.push_back({copy, static_cast<uint32_t>(size), form});
    m_hashes.push_back(hash);
    m_slots[slot] = {static_cast<uint32_t>(hash >> 32), text};
    if (m_entries.size() * 2 > m_slots.size())
        grow();
    return text;
}

void TextTable::grow()
{
    std::vector<Slot> slots(m_slots.size() * 2);
    const size_t mask = slots.size() - 1;
    for (LocalText text = 1; text < m_entries.size(); ++text) {
        size_t slot = m_hashes[text] & mask;
        while (slots[slot].text != 0)
            slot = (slot + 1) & mask;
        slots[slot] = {static_cast<uint32_t>(m_hashes[text] >> 32), text};
    }
    m_slots = std::move(slots);
}

size_t TextTable::memoryUsage() const
{
    return m_bytes + m_slots.capacity() * sizeof(Slot) + m_hashes.capacity() * sizeof(uint64_t)
        + m_entries.capacity() * sizeof(Entry);
}

} // namespace torchline
