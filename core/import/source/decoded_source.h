#pragma once
// DecodedSource: the unpacked text of another source, readable from any place.
// Reading in order unpacks once, straight into the caller's buffer. On the way copies of the decoder's state are kept
// as access points (at most 256, so their distance grows with the text: about 90 KiB each). Reading elsewhere starts at
// the last one before the place, or goes on where an earlier such reading stopped, and keeps the latest 32 MiB
// unpacked. Formats without copies of their state are unpacked from the beginning again, once for each place followed.
// Thread: any; one of those that read waits for the other (a mutex inside).

#include "import/source/byte_source.h"
#include "import/source/decoder.h"

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

namespace torchline {

class DecodedSource : public ByteSource {
public:
    using MakeDecoder = std::function<std::unique_ptr<Decoder>()>;

    DecodedSource(std::shared_ptr<const ByteSource> packed, uint64_t packedBegin, MakeDecoder makeDecoder);
    ~DecodedSource() override;

    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override;
    [[nodiscard]] std::optional<uint64_t> size() const override;
    [[nodiscard]] uint64_t diskPosition() const override { return m_packed->diskPosition(); }
    [[nodiscard]] std::vector<SourceTrouble> troubles() const override;

private:
    struct Cursor;
    struct AccessPoint {
        uint64_t textOffset;
        uint64_t packedOffset;
        std::unique_ptr<Decoder> decoder;
    };
    using Segment = std::vector<char>;
    struct KeptSegment {
        std::shared_ptr<const Segment> bytes;
        std::list<uint64_t>::iterator use;
    };

    Result<size_t> readInOrder(std::span<char> to) const;
    Result<size_t> unpack(Cursor& cursor, std::span<char> to) const;
    Result<std::shared_ptr<const Segment>> segment(uint64_t index) const;
    Cursor& cursorFor(uint64_t textOffset) const;
    void keepAccessPoint() const;

    std::shared_ptr<const ByteSource> m_packed;
    uint64_t m_packedBegin;
    MakeDecoder m_makeDecoder;

    mutable std::mutex m_mutex;
    mutable std::unique_ptr<Cursor> m_front; ///< of reading in order
    mutable std::vector<AccessPoint> m_points; ///< by offset
    mutable uint64_t m_pointDistance;
    mutable bool m_hasPoints = true;
    mutable std::vector<std::unique_ptr<Cursor>> m_cursors; ///< of reading elsewhere, least recently used first
    mutable std::list<uint64_t> m_uses; ///< segment indexes, most recently used first
    mutable std::unordered_map<uint64_t, KeptSegment> m_segments;
    static constexpr uint64_t kUnknownSize = ~uint64_t{0};
    mutable std::atomic<uint64_t> m_size = kUnknownSize; ///< asked for while others unpack
    mutable std::vector<SourceTrouble> m_troubles;
};

} // namespace torchline
