#pragma once
// BytesSource: a text in memory, as a ByteSource. The bytes are the caller's and must stay.
// Thread: any.

#include "import/source/byte_source.h"

#include <string_view>

namespace torchline::test {

class BytesSource : public ByteSource {
public:
    explicit BytesSource(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override
    {
        return offset < m_bytes.size() ? m_bytes.copy(to.data(), to.size(), offset) : 0;
    }
    [[nodiscard]] std::optional<uint64_t> size() const override { return m_bytes.size(); }
    [[nodiscard]] uint64_t diskPosition() const override { return 0; }

private:
    std::string_view m_bytes;
};

} // namespace torchline::test
