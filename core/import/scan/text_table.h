#pragma once
// TextTable: the distinct raw texts (names, categories, ids) that one scanner met, in the order in which it met them.
// Compared byte by byte as they stand in the file: escapes are decoded once per distinct text, when it enters the
// session's pool, not once per event.
// Thread: one.

#include <algorithm>
#include <array>
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

    /// 16 bytes from the text's begin on must be readable.
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
    /// The ends of a text, which overlap where it is short: all of it up to 32 bytes. No branch depends on the size.
    struct Ends {
        uint64_t words[4];

        friend bool operator==(const Ends& a, const Ends& b)
        {
            return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2])
                       | (a.words[3] ^ b.words[3]))
                == 0;
        }
    };
    static Ends endsOf(const char* p, size_t size);
    static uint64_t hash(const char* p, size_t size, const Ends& ends);
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
    static constexpr std::array<uint64_t, 9> kKept = [] {
        std::array<uint64_t, 9> kept = {};
        for (unsigned bytes = 1; bytes <= 8; ++bytes) {
            const unsigned shift = 8 * (8 - bytes);
            kept[bytes] = std::endian::native == std::endian::little ? ~uint64_t{0} >> shift : ~uint64_t{0} << shift;
        }
        return kept;
    }();
    std::memcpy(&first, p, sizeof first);
    std::memcpy(&second, p + 8, sizeof second);
    first &= kKept[std::min<size_t>(size, 8)];
    second &= kKept[std::max<size_t>(std::min<size_t>(size, 16), 8) - 8];
}

inline TextTable::Ends TextTable::endsOf(const char* p, size_t size)
{
    Ends ends;
    loadShort(p, size, ends.words[0], ends.words[1]);
    loadShort(size > 16 ? p + (size - 16) : p, size, ends.words[2], ends.words[3]);
    return ends;
}

inline uint64_t TextTable::hash(const char* p, size_t size, const Ends& ends)
{
    constexpr uint64_t kA = 0xA0761D6478BD642FULL;
    constexpr uint64_t kB = 0xE7037ED1A0B428DBULL;
    constexpr uint64_t kC = 0x8EBC6AF09C88C6E3ULL;
    uint64_t h = mix(ends.words[0] ^ kA ^ size, ends.words[1] ^ kB) + mix(ends.words[2] ^ kC, ends.words[3] ^ kA);
    for (size_t at = 16; at + 16 < size; at += 16) {
        uint64_t a = 0;
        uint64_t b = 0;
        std::memcpy(&a, p + at, sizeof a);
        std::memcpy(&b, p + at + 8, sizeof b);
        h = mix(a ^ h, b ^ kC);
    }
    return mix(h, kB);
}

inline LocalText TextTable::add(const char* data, size_t size, TextForm form)
{
    const Ends ends = endsOf(data, size);
    const uint64_t h = hash(data, size, ends) + static_cast<uint64_t>(form);
    const size_t mask = m_slots.size() - 1;
    const auto tag = static_cast<uint32_t>(h >> 32);
    for (size_t slot = h & mask;; slot = (slot + 1) & mask) {
        const Slot& found = m_slots[slot];
        if (found.text == 0)
            return append(data, size, form, h, slot);
        if (found.tag == tag) {
            const Entry& known = m_entries[found.text];
            if (known.size == size && known.form == form && endsOf(known.data, size) == ends
                && (size <= 32 || std::memcmp(known.data + 16, data + 16, size - 32) == 0))
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
