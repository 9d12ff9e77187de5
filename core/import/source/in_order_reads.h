#pragma once
// InOrderReads: reads that go through a source from front to back and overlap a little: what two of them share is kept,
// so that the source itself is read strictly in order, which is the cheap way for packed ones.
// Thread: one at a time.

#include "import/source/byte_source.h"

namespace torchline {

class InOrderReads : public ByteSource {
public:
    /// `known`: text that was read before, ending at `end`; its last `overlap` bytes at least.
    InOrderReads(const ByteSource& source, std::span<const char> known, uint64_t end, size_t overlap);

    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override;
    [[nodiscard]] std::optional<uint64_t> size() const override { return m_source.size(); }
    [[nodiscard]] uint64_t diskPosition() const override { return m_source.diskPosition(); }

private:
    void keepTail(std::span<const char> read, uint64_t end) const;

    const ByteSource& m_source;
    size_t m_overlap;
    mutable std::vector<char> m_tail;
    mutable uint64_t m_end = 0; ///< of m_tail in the text
};

} // namespace torchline
