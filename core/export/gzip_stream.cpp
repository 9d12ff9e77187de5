#include "export/gzip_stream.h"

#include <array>
#include <streambuf>
#include <zlib.h>

namespace torchline {

class GzipStream::Buffer : public std::streambuf {
public:
    explicit Buffer(std::ostream& target)
        : m_out(target)
    {
        constexpr int kGzip = 16;
        constexpr int kMemoryLevel = 8;
        m_isGood = deflateInit2(&m_packer, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemoryLevel,
                       Z_DEFAULT_STRATEGY)
            == Z_OK;
        setp(m_plain.data(), m_plain.data() + m_plain.size());
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() override { deflateEnd(&m_packer); }

    void finish() { pack(Z_FINISH); }

protected:
    int_type overflow(int_type c) override
    {
        if (!pack(Z_NO_FLUSH))
            return traits_type::eof();
        if (!traits_type::eq_int_type(c, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(c);
            pbump(1);
        }
        return traits_type::not_eof(c);
    }

    int sync() override { return pack(Z_NO_FLUSH) ? 0 : -1; }

private:
    bool pack(int flush)
    {
        m_packer.next_in = reinterpret_cast<Bytef*>(pbase());
        m_packer.avail_in = static_cast<uInt>(pptr() - pbase());
        int state = Z_OK;
        do {
            m_packer.next_out = m_packed.data();
            m_packer.avail_out = static_cast<uInt>(m_packed.size());
            state = m_isGood ? deflate(&m_packer, flush) : Z_STREAM_ERROR;
            m_isGood = m_isGood && state != Z_STREAM_ERROR;
            m_out.write(reinterpret_cast<const char*>(m_packed.data()),
                static_cast<std::streamsize>(m_packed.size() - m_packer.avail_out));
        } while (m_isGood && m_out && (m_packer.avail_out == 0 || (flush == Z_FINISH && state != Z_STREAM_END)));
        setp(m_plain.data(), m_plain.data() + m_plain.size());
        if (!m_isGood)
            m_out.setstate(std::ios::badbit);
        return m_isGood && m_out;
    }

    std::ostream& m_out;
    z_stream m_packer{};
    bool m_isGood = false;
    std::array<char, size_t{1} << 16> m_plain;
    std::array<Bytef, size_t{1} << 16> m_packed;
};

GzipStream::GzipStream(std::ostream& target)
    : std::ostream(nullptr)
    , m_buffer(std::make_unique<Buffer>(target))
{
    rdbuf(m_buffer.get());
}

GzipStream::~GzipStream() = default;

void GzipStream::finish()
{
    m_buffer->finish();
}

} // namespace torchline
