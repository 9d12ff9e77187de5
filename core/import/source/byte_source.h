#pragma once
// ByteSource: bytes that can be read from any place, as often as wanted: a file, a part of one, the unpacked text of
// one. Thread: all functions from any thread; calls block on the disk.

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace torchline {

/// Something that went wrong while unpacking; what came out before it is kept.
struct SourceTrouble {
    std::string code; ///< as Notice::code
    std::string text; ///< as for TraceBuilder::addNotice: %n stands for the count
    uint64_t offset = 0; ///< byte of the text where it shows
    uint64_t count = 1;
};

class ByteSource {
public:
    virtual ~ByteSource() = default;

    /// Fills `to` with the bytes from `offset` on. Fewer than asked for: the text ends there. Reading from the start
    /// to the end in order is the cheap way for packed sources.
    [[nodiscard]] virtual Result<size_t> readAt(uint64_t offset, std::span<char> to) const = 0;
    /// Length of the text, where it is known without unpacking all of it.
    [[nodiscard]] virtual std::optional<uint64_t> size() const = 0;
    /// Whether reading anywhere, also from several threads at once, costs no more than reading in order.
    [[nodiscard]] virtual bool readsAnywhere() const { return false; }
    /// How far into the file on disk reading in order has come.
    [[nodiscard]] virtual uint64_t diskPosition() const = 0;
    /// Complete once the text was read to its end.
    [[nodiscard]] virtual std::vector<SourceTrouble> troubles() const { return {}; }
};

/// A part of another source, without copying it.
class PartSource : public ByteSource {
public:
    PartSource(std::shared_ptr<const ByteSource> whole, uint64_t begin, uint64_t size)
        : m_whole(std::move(whole))
        , m_begin(begin)
        , m_size(size)
    {
    }

    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override
    {
        if (offset >= m_size)
            return size_t{0};
        return m_whole->readAt(m_begin + offset, to.first(std::min<uint64_t>(to.size(), m_size - offset)));
    }
    [[nodiscard]] std::optional<uint64_t> size() const override { return m_size; }
    [[nodiscard]] bool readsAnywhere() const override { return m_whole->readsAnywhere(); }
    [[nodiscard]] uint64_t diskPosition() const override { return m_whole->diskPosition(); }

private:
    std::shared_ptr<const ByteSource> m_whole;
    uint64_t m_begin;
    uint64_t m_size;
};

} // namespace torchline
