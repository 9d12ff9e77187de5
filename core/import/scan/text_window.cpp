#include "import/scan/text_window.h"

#include "base/huge_pages.h"

#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace torchline {

TextWindow::TextWindow(const ByteSource& source, size_t chunkBytes)
    : m_source(source)
    , m_chunkBytes(chunkBytes)
{
    reserve(chunkBytes);
    pad();
}

TextWindow::~TextWindow()
{
    release();
}

void TextWindow::reserve(size_t bytes)
{
    if (bytes <= m_capacity && m_buffer != nullptr)
        return;
    const size_t total = bytes + kTextPadding;
    // Mapped: the allocator would keep it when it is given back, and in future take large blocks from its heap.
    const size_t mapped = total + (total >= kHugePage ? kHugePage : 0);
    void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        throw std::bad_alloc();
    auto* buffer = static_cast<char*>(mapping);
    if (total >= kHugePage) {
        buffer += kHugePage - reinterpret_cast<uintptr_t>(mapping) % kHugePage;
        preferHugePages(buffer, total);
    }
    if (m_size > 0)
        std::memcpy(buffer, m_buffer, m_size);
    release();
    m_mapping = mapping;
    m_mapped = mapped;
    m_buffer = buffer;
    m_capacity = bytes;
}

void TextWindow::release()
{
    if (m_mapping != nullptr)
        munmap(m_mapping, m_mapped);
}

void TextWindow::pad()
{
    std::memset(m_buffer + m_size, '"', kTextPadding);
}

size_t TextWindow::available(uint64_t offset) const
{
    return covers(offset) ? static_cast<size_t>(m_offset + m_size - offset) : 0;
}

void TextWindow::reach(uint64_t offset, size_t want)
{
    const size_t kept = available(offset);
    if (kept >= want || (m_textEnds && (kept > 0 || offset == m_offset + m_size)))
        return;
    if (kept > 0)
        std::memmove(m_buffer, m_buffer + (offset - m_offset), kept);
    m_offset = offset;
    m_size = kept;
    const size_t wanted = std::max(want, m_chunkBytes);
    reserve(wanted);
    const auto got = m_source.readAt(m_offset + m_size, std::span(m_buffer + m_size, wanted - m_size));
    if (!got)
        m_error = got.error();
    const size_t read = got ? *got : 0;
    m_textEnds = read < wanted - m_size;
    m_size += read;
    pad();
}

TextSpan TextWindow::text(uint64_t offset) const
{
    return {m_buffer + (offset - m_offset), m_buffer + m_size, offset, m_textEnds};
}

ShortenedText::ShortenedText(TextWindow& window, uint64_t offset, size_t most)
    : m_span(window.text(offset))
    , m_limit(window.m_buffer + window.m_size)
{
    const auto size = static_cast<size_t>(m_span.limit - m_span.begin);
    if (size > most) {
        m_limit = window.m_buffer + (offset - window.m_offset) + most;
        m_span.limit = m_limit;
        m_span.textEnds = false;
    }
    std::memcpy(m_saved, m_limit, kTextPadding);
    std::memset(m_limit, '"', kTextPadding);
}

ShortenedText::~ShortenedText()
{
    std::memcpy(m_limit, m_saved, kTextPadding);
}

} // namespace torchline
