#include "import/source/decoded_source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace torchline {

namespace {

constexpr size_t kPackedBuffer = 64 * 1024;
constexpr uint64_t kSegmentBytes = 256 * 1024;
constexpr size_t kMostSegments = 128;
constexpr uint64_t kFirstPointDistance = 16 * kSegmentBytes;
constexpr size_t kMostPoints = 256;
constexpr size_t kMostCursors = 8;
constexpr size_t kMostCursorsWithoutPoints = 3; ///< such a decoder can hold a window of many MiB

} // namespace

struct DecodedSource::Cursor {
    std::unique_ptr<Decoder> decoder;
    uint64_t textOffset = 0; ///< of the next byte that comes out
    uint64_t packedOffset = 0; ///< of the next byte to be read into the buffer
    std::vector<char> buffer;
    size_t used = 0; ///< bytes of the buffer that the decoder has taken
    bool packedEnds = false;
    bool isFinished = false;
};

DecodedSource::DecodedSource(std::shared_ptr<const ByteSource> packed, uint64_t packedBegin, MakeDecoder makeDecoder)
    : m_packed(std::move(packed))
    , m_packedBegin(packedBegin)
    , m_makeDecoder(std::move(makeDecoder))
    , m_front(std::make_unique<Cursor>())
    , m_pointDistance(kFirstPointDistance)
{
    m_front->decoder = m_makeDecoder();
    m_front->packedOffset = m_packedBegin;
}

DecodedSource::~DecodedSource() = default;

std::optional<uint64_t> DecodedSource::size() const
{
    const uint64_t size = m_size;
    return size == kUnknownSize ? std::nullopt : std::optional(size);
}

std::vector<SourceTrouble> DecodedSource::troubles() const
{
    std::vector<SourceTrouble> all = m_packed->troubles();
    const std::lock_guard lock(m_mutex);
    all.insert(all.end(), m_troubles.begin(), m_troubles.end());
    return all;
}

Result<size_t> DecodedSource::readAt(uint64_t offset, std::span<char> to) const
{
    const std::lock_guard lock(m_mutex);
    size_t done = 0;
    while (done < to.size()) {
        const uint64_t at = offset + done;
        if (m_front != nullptr && at == m_front->textOffset) {
            const auto got = readInOrder(to.subspan(done));
            if (!got)
                return got;
            return done + *got;
        }
        auto piece = segment(at / kSegmentBytes);
        if (!piece)
            return piece.error();
        const size_t begin = static_cast<size_t>(at % kSegmentBytes);
        if (begin >= (*piece)->size())
            break;
        size_t length = std::min(to.size() - done, (*piece)->size() - begin);
        if (m_front != nullptr && at < m_front->textOffset) // from there on in order again
            length = static_cast<size_t>(std::min<uint64_t>(length, m_front->textOffset - at));
        std::memcpy(to.data() + done, (*piece)->data() + begin, length);
        done += length;
    }
    return done;
}

Result<size_t> DecodedSource::readInOrder(std::span<char> to) const
{
    size_t done = 0;
    while (done < to.size() && !m_front->isFinished) {
        const uint64_t toNextPoint = m_pointDistance - m_front->textOffset % m_pointDistance;
        const auto got = unpack(*m_front, to.subspan(done, std::min<uint64_t>(to.size() - done, toNextPoint)));
        if (!got)
            return got.error();
        done += *got;
        if (*got == toNextPoint && m_hasPoints)
            keepAccessPoint();
    }
    if (m_front->isFinished) {
        m_size = m_front->textOffset;
        if (auto trouble = m_front->decoder->trouble()) {
            trouble->offset = m_front->textOffset;
            m_troubles.push_back(*trouble);
        }
        m_front.reset();
    }
    return done;
}

Result<size_t> DecodedSource::unpack(Cursor& cursor, std::span<char> to) const
{
    size_t done = 0;
    while (done < to.size() && !cursor.isFinished) {
        if (cursor.used == cursor.buffer.size() && !cursor.packedEnds) {
            cursor.buffer.resize(kPackedBuffer);
            const auto got = m_packed->readAt(cursor.packedOffset, cursor.buffer);
            if (!got)
                return got.error();
            cursor.packedEnds = *got < cursor.buffer.size();
            cursor.buffer.resize(*got);
            cursor.used = 0;
            cursor.packedOffset += *got;
        }
        const auto step = cursor.decoder->decode(
            std::span(cursor.buffer).subspan(cursor.used), cursor.packedEnds, to.subspan(done));
        cursor.used += step.consumed;
        done += step.produced;
        cursor.textOffset += step.produced;
        cursor.isFinished = step.isFinished
            || (step.consumed == 0 && step.produced == 0 && cursor.packedEnds); // a decoder that waits for ever
    }
    return done;
}

void DecodedSource::keepAccessPoint() const
{
    auto copy = m_front->decoder->clone();
    if (copy == nullptr) {
        m_hasPoints = false;
        return;
    }
    const uint64_t unread = m_front->buffer.size() - m_front->used;
    m_points.push_back({m_front->textOffset, m_front->packedOffset - unread, std::move(copy)});
    if (m_points.size() < kMostPoints)
        return;
    m_pointDistance *= 2;
    std::erase_if(m_points, [this](const AccessPoint& point) { return point.textOffset % m_pointDistance != 0; });
}

DecodedSource::Cursor& DecodedSource::cursorFor(uint64_t textOffset) const
{
    auto best = m_cursors.end();
    for (auto it = m_cursors.begin(); it != m_cursors.end(); ++it) {
        const bool isUsable = (*it)->textOffset <= textOffset && !(*it)->isFinished;
        if (isUsable && (best == m_cursors.end() || (*it)->textOffset > (*best)->textOffset))
            best = it;
    }
    const auto above = std::upper_bound(m_points.begin(), m_points.end(), textOffset,
        [](uint64_t offset, const AccessPoint& point) { return offset < point.textOffset; });
    const AccessPoint* point = above == m_points.begin() ? nullptr : &*(above - 1);
    const bool continues = best != m_cursors.end() && (point == nullptr || (*best)->textOffset >= point->textOffset);
    if (continues) {
        std::rotate(best, best + 1, m_cursors.end());
        return *m_cursors.back();
    }
    if (m_cursors.size() >= (m_hasPoints ? kMostCursors : kMostCursorsWithoutPoints))
        m_cursors.erase(m_cursors.begin());
    auto cursor = std::make_unique<Cursor>();
    cursor->decoder = point != nullptr ? point->decoder->clone() : m_makeDecoder();
    cursor->textOffset = point != nullptr ? point->textOffset : 0;
    cursor->packedOffset = point != nullptr ? point->packedOffset : m_packedBegin;
    m_cursors.push_back(std::move(cursor));
    return *m_cursors.back();
}

Result<std::shared_ptr<const DecodedSource::Segment>> DecodedSource::segment(uint64_t index) const
{
    if (const auto known = m_segments.find(index); known != m_segments.end()) {
        m_uses.splice(m_uses.begin(), m_uses, known->second.use);
        return known->second.bytes;
    }
    if (index * kSegmentBytes >= m_size)
        return std::make_shared<const Segment>();

    Cursor& cursor = cursorFor(index * kSegmentBytes);
    Segment bytes;
    // Cursors start at multiples of the segment size and are moved by whole segments.
    while (!cursor.isFinished && cursor.textOffset <= index * kSegmentBytes) {
        bytes.resize(kSegmentBytes);
        const auto got = unpack(cursor, bytes);
        if (!got) {
            cursor.isFinished = true; // nobody knows where it stands now
            return got.error();
        }
        bytes.resize(*got);
    }
    if (cursor.textOffset <= index * kSegmentBytes)
        bytes.clear(); // the text ends before
    // Of damaged data more can come out than when it was read in order: that is no part of the text.
    bytes.resize(std::min<uint64_t>(bytes.size(), m_size - index * kSegmentBytes));
    auto kept = std::make_shared<const Segment>(std::move(bytes));
    if (m_segments.size() >= kMostSegments) {
        m_segments.erase(m_uses.back());
        m_uses.pop_back();
    }
    m_uses.push_front(index);
    m_segments[index] = {kept, m_uses.begin()};
    return kept;
}

} // namespace torchline
