#pragma once
// TextWindow: the stretch of a text that is in memory, moved forward over it and grown for what does not fit.
// Thread: one. Cost: a move copies what both places share; memory is fetched once and used again.

#include "import/scan/event_scanner.h"
#include "import/source/byte_source.h"

namespace torchline {

class TextWindow {
public:
    TextWindow(const ByteSource& source, size_t chunkBytes);
    ~TextWindow();
    TextWindow(const TextWindow&) = delete;
    TextWindow& operator=(const TextWindow&) = delete;

    /// Makes the window begin at `offset` if its text from there on is shorter than `want` bytes and the file has more;
    /// reads at least `want` bytes, as far as there are. What cannot be read counts as the end of the text, see
    /// error().
    void reach(uint64_t offset, size_t want);
    /// The text from `offset` on, which must lie in the window.
    [[nodiscard]] TextSpan text(uint64_t offset) const;
    [[nodiscard]] bool covers(uint64_t offset) const { return offset >= m_offset && offset < m_offset + m_size; }
    /// How much of the text from this offset on is in memory.
    [[nodiscard]] size_t available(uint64_t offset) const;
    [[nodiscard]] std::span<const char> held() const { return {m_buffer, m_size}; }
    [[nodiscard]] bool textEnds() const { return m_textEnds; }
    [[nodiscard]] uint64_t end() const { return m_offset + m_size; }
    [[nodiscard]] size_t chunkBytes() const { return m_chunkBytes; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] size_t memoryUsage() const { return m_capacity; }

private:
    friend class ShortenedText;
    void reserve(size_t bytes);
    void release();
    void pad();

    const ByteSource& m_source;
    size_t m_chunkBytes;
    void* m_mapping = nullptr;
    size_t m_mapped = 0;
    char* m_buffer = nullptr;
    size_t m_capacity = 0; ///< padding not counted
    size_t m_size = 0;
    uint64_t m_offset = 0;
    bool m_textEnds = false;
    std::optional<Error> m_error;
};

/// The text of a window from `offset` on, at most `most` bytes of it, as if there were no more: what is decided on it
/// does not depend on how much the window happens to hold. The window must not be moved meanwhile.
class ShortenedText {
public:
    ShortenedText(TextWindow& window, uint64_t offset, size_t most);
    ~ShortenedText();
    ShortenedText(const ShortenedText&) = delete;
    ShortenedText& operator=(const ShortenedText&) = delete;

    [[nodiscard]] const TextSpan& span() const { return m_span; }

private:
    TextSpan m_span;
    char* m_limit;
    char m_saved[kTextPadding];
};

} // namespace torchline
