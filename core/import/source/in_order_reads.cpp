#include "import/source/in_order_reads.h"

#include <algorithm>
#include <cstring>

namespace torchline {

InOrderReads::InOrderReads(const ByteSource& source, std::span<const char> known, uint64_t end, size_t overlap)
    : m_source(source)
    , m_overlap(overlap)
{
    keepTail(known, end);
}

Result<size_t> InOrderReads::readAt(uint64_t offset, std::span<char> to) const
{
    size_t known = 0;
    if (offset < m_end && offset >= m_end - m_tail.size()) {
        known = std::min<size_t>(to.size(), static_cast<size_t>(m_end - offset));
        std::memcpy(to.data(), m_tail.data() + (m_tail.size() - (m_end - offset)), known);
    }
    if (known == to.size())
        return known;
    const auto got = m_source.readAt(offset + known, to.subspan(known));
    if (!got)
        return got;
    keepTail(to.first(known + *got), offset + known + *got);
    return known + *got;
}

void InOrderReads::keepTail(std::span<const char> read, uint64_t end) const
{
    const auto tail = read.last(std::min(read.size(), m_overlap));
    m_tail.assign(tail.begin(), tail.end());
    m_end = end;
}

} // namespace torchline
