#pragma once
// gzipped: bytes as one gzip member. Thread: any.

#include <zlib.h>

namespace torchline {

/// Bytes: std::string or QByteArray.
template <typename Bytes> [[nodiscard]] Bytes gzipped(const Bytes& bytes, int level = 6)
{
    using Size = decltype(bytes.size());
    z_stream stream = {};
    deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    Bytes out(static_cast<Size>(deflateBound(&stream, static_cast<uLong>(bytes.size()))) + 64, '\0');
    Bytes in = bytes;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(static_cast<Size>(stream.total_out));
    deflateEnd(&stream);
    return out;
}

} // namespace torchline
