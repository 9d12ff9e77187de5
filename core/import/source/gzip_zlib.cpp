#include "import/source/gzip_decoder.h"

#include <cstring>
#include <limits>

#include <zlib.h>

namespace torchline {

namespace {

class ZlibEngine {
public:
    ZlibEngine() { inflateInit2(&m_stream, kGzip); }
    ZlibEngine(const ZlibEngine& other)
        : m_skip(other.m_skip)
    {
        inflateCopy(&m_stream, const_cast<z_stream*>(&other.m_stream)); // NOLINT: not changed, only not declared so
    }
    ZlibEngine& operator=(const ZlibEngine&) = delete;
    ~ZlibEngine() { inflateEnd(&m_stream); }

    void reset() { inflateReset(&m_stream); }

    MemberState step(std::span<const char>& in, std::span<char>& out)
    {
        if (m_skip > 0) {
            const size_t skipped = std::min(m_skip, in.size());
            in = in.subspan(skipped);
            m_skip -= skipped;
            return m_skip == 0 ? MemberState::WrongChecksum : MemberState::Running;
        }
        const size_t given = std::min<size_t>(in.size(), kMost);
        const size_t room = std::min<size_t>(out.size(), kMost);
        m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data())); // NOLINT: zlib only reads it
        m_stream.avail_in = static_cast<uInt>(given);
        m_stream.next_out = reinterpret_cast<Bytef*>(out.data());
        m_stream.avail_out = static_cast<uInt>(room);
        const int result = inflate(&m_stream, Z_NO_FLUSH);
        in = in.subspan(given - m_stream.avail_in);
        out = out.subspan(room - m_stream.avail_out);
        switch (result) {
        case Z_STREAM_END:
            return MemberState::Complete;
        case Z_OK:
        case Z_BUF_ERROR:
            return MemberState::Running;
        default:
            break;
        }
        const char* message = m_stream.msg != nullptr ? m_stream.msg : "";
        if (std::strcmp(message, "incorrect length check") == 0)
            return MemberState::WrongChecksum;
        if (std::strcmp(message, "incorrect data check") == 0) {
            m_skip = kLengthField;
            return MemberState::Running;
        }
        return MemberState::Damaged;
    }

private:
    static constexpr int kGzip = 15 + 16;
    static constexpr size_t kMost = std::numeric_limits<uInt>::max();
    static constexpr size_t kLengthField = 4; ///< follows the checksum that zlib stops at

    z_stream m_stream{};
    size_t m_skip = 0;
};

} // namespace

std::unique_ptr<Decoder> makeZlibGzipDecoder()
{
    return std::make_unique<GzipDecoder<ZlibEngine>>();
}

#ifndef TORCHLINE_WITH_ISAL
std::unique_ptr<Decoder> makeGzipDecoder()
{
    return makeZlibGzipDecoder();
}
#endif

} // namespace torchline
