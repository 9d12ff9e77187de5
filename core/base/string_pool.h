#pragma once
// StringPool: every distinct text of a session once; id -> text without a lock.
// Thread: intern() and find() from any thread (a mutex inside); text() from any thread that learned the id through a
// happens-before edge (a published snapshot is one). Texts never move and are never removed.
// Texts are UTF-8: whoever interns bytes of a file has them cleaned first (see text.h).

#include "base/ids.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace torchline {

class StringPool {
public:
    StringPool();
    ~StringPool();
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;

    /// The id of this text; compares the whole text on a hash hit. The empty text always has id 0.
    NameId intern(std::string_view text);
    [[nodiscard]] std::optional<NameId> find(std::string_view text) const;
    /// Text of an id; the empty text for an invalid id.
    [[nodiscard]] std::string_view text(NameId id) const;
    [[nodiscard]] uint32_t size() const { return m_size.load(std::memory_order_acquire); }
    /// Bytes held, all counted.
    [[nodiscard]] size_t memoryUsage() const;

private:
    static constexpr uint32_t kFirstPage = 1024;
    static constexpr size_t kPages = 23;

    struct Place {
        size_t page;
        uint32_t at;
    };
    struct Slot {
        uint32_t hash = 0;
        NameId id; ///< invalid: free
    };
    static Place placeOf(uint32_t id);
    [[nodiscard]] size_t slotOf(std::string_view text, uint32_t hash) const;
    std::string_view store(std::string_view text);
    void grow();

    mutable std::mutex m_mutex;
    std::array<std::atomic<std::string_view*>, kPages> m_pages{}; ///< page k holds kFirstPage << k texts
    std::atomic<uint32_t> m_size{0};
    std::vector<Slot> m_slots; ///< open addressing
    std::vector<std::unique_ptr<char[]>> m_blocks;
    size_t m_blockUsed = 0;
    size_t m_blockSize = 0;
    size_t m_textBytes = 0;
};

} // namespace torchline
