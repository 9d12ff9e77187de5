#pragma once
// TextTable: the distinct raw texts (names, categories, ids) that one scanner met, in the order in which it met them.
// Compared byte by byte as they stand in the file: escapes are decoded once per distinct text, when it enters the
// session's pool, not once per event.
// Thread: one.

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace torchline {

/// Index of a text in its TextTable; 0: none.
using LocalText = uint32_t;

enum class TextForm : uint8_t {
    Quoted, ///< what stands between the quotes
    Bare, ///< a number, a word, an object: as written
};

class TextTable {
public:
    struct Entry {
        const char* data = nullptr;
        uint32_t size = 0;
        TextForm form = TextForm::Quoted;

        [[nodiscard]] std::string_view text() const { return {data, size}; }
    };

    TextTable();

    /// The last text of one field: fields like the process say the same again and again.
    struct Recent {
        uint64_t first = 0;
        uint64_t second = 0;
        size_t size = ~size_t{0};
        TextForm form = TextForm::Quoted;
        LocalText text = 0;
    };

    /// 16 bytes behind the text must be readable.
    LocalText add(const char* data, size_t size, TextForm form);
    LocalText add(const char* data, size_t size, TextForm form, Recent& recent);
    [[nodiscard]] const Entry& entry(LocalText text) const { return m_entries[text]; }
    [[nodiscard]] size_t size() const { return m_entries.size(); } ///< one more than the last LocalText
    [[nodiscard]] size_t memoryUsage() const;

private:
    static uint64_t mix(uint64_t a, uint64_t b)
    {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    static uint64_t hash(const char* p, size_t size);
    /// The first up to 16 bytes of a text, zeros behind.
    static void loadShort(const char* p, size_t size, uint64_t& first, uint64_t& second);
    LocalText append(const char* data, size_t size, TextForm form, uint64_t hash, size_t slot);
    void grow();

    struct Slot {
        uint32_t tag = 0; ///< upper half of the hash
        LocalText text = 0; ///< 0: free
    };
    std::vector<Slot> m_slots;
    std::vector<uint64_t> m_hashes; ///< by LocalText
    std::vector<Entry> m_entries;
    std::vector<std::unique_ptr<char[]>> m_blocks;
    size_t m_blockUsed = 0;
    size_t m_blockBytes = 0; ///< of the last block
    size_t m_bytes = 0; ///< of all blocks
};

inline void TextTable::loadShort(const char* p, size_t size, uint64_t& first, uint64_t& second)
{
    std::memcpy(&first, p, sizeof first);
    std::memcpy(&second, p + 8, sizeof second);
    const auto keep = [](uint64_t word, size_t bytes) {
        const auto shift = static_cast<unsigned>(8 * (8 - bytes));
        return std::endian::native == std::endian::little ? word & (~uint64_t{0} >> shift) : word >> shift;
    };
    if (size < 8) {
        first = size == 0 ? 0 : keep(first, size);
        second = 0;
    } else if (size < 16) {
        second = size == 8 ? 0 : keep(second, size - 8);
    }
}

inline uint64_t TextTable::hash(const char* p, size_t size)
{
    constexpr uint64_t kA = 0xA0761D6478BD642FULL;
    constexpr uint64_t kB = 0xE7037ED1A0B428DBULL;
    constexpr uint64_t kC = 0x8EBC6AF09C88C6E3ULL;
    uint64_t h = 0x9E3779B97F4A7C15ULL ^ size;
    uint64_t a = 0;
    uint64_t b = 0;
    while (size > 16) {
        std::memcpy(&a, p, sizeof a);
        std::memcpy(&b, p + 8, sizeof b);
        h = mix(a ^ h, b ^ kA);
        p += 16;
        size -= 16;
    }
    loadShort(p, size, a, b);
    return mix(a ^ h ^ kB, b ^ kC);
}

inline LocalText TextTable::add(const char* data, size_t size, TextForm form)
{
    const uint64_t h = hash(data, size) + static_cast<uint64_t>(form);
    const size_t mask = m_slots.size() - 1;
    const auto tag = static_cast<uint32_t>(h >> 32);
    for (size_t slot = h & mask;; slot = (slot + 1) & mask) {
        const Slot& found = m_slots[slot];
        if (found.text == 0)
            return append(data, size, form, h, slot);
        if (found.tag == tag) {
            const Entry& known = m_entries[found.text];
            if (known.size == size && known.form == form && std::memcmp(known.data, data, size) == 0)
                return found.text;
        }
    }
}

inline LocalText TextTable::add(const char* data, size_t size, TextForm form, Recent& recent)
{
    if (size > 16)
        return add(data, size, form);
    uint64_t first = 0;
    uint64_t second = 0;
    loadShort(data, size, first, second);
    if (first != recent.first || second != recent.second || size != recent.size || form != recent.form)
        recent = {first, second, size, form, add(data, size, form)};
    return recent.text;
}

} // namespace torchline
