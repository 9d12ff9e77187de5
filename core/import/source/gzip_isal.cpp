#include "import/source/gzip_decoder.h"

#ifdef TORCHLINE_WITH_ISAL

#include <limits>

#include <isa-l/igzip_lib.h>

namespace torchline {

namespace {

/// The whole state, its 32 KiB of history included, lies in one flat struct: copying it copies the place.
class IsalEngine {
public:
    IsalEngine() { start(); }

    void reset() { start(); }

    MemberState step(std::span<const char>& in, std::span<char>& out)
    {
        if (!m_hasHeader)
            return readHeader(in);
        const size_t given = give(in);
        const size_t room = std::min<size_t>(out.size(), kMost);
        m_state.next_out = reinterpret_cast<uint8_t*>(out.data());
        m_state.avail_out = static_cast<uint32_t>(room);
        const int result = isal_inflate(&m_state);
        takeBack(in, given);
        out = out.subspan(room - m_state.avail_out);
        if (result == ISAL_INCORRECT_CHECKSUM)
            return MemberState::WrongChecksum;
        if (result < 0)
            return MemberState::Damaged;
        return m_state.block_state == ISAL_BLOCK_FINISH ? MemberState::Complete : MemberState::Running;
    }

private:
    static constexpr size_t kMost = size_t{1} << 30;
    static constexpr uint32_t kReservedFlags = 0xE0; ///< RFC 1952: what follows may be something else than we think

    void start()
    {
        isal_inflate_init(&m_state);
        m_state.crc_flag = ISAL_GZIP_NO_HDR_VER;
        isal_gzip_header_init(&m_header);
        m_hasHeader = false;
    }

    /// isal_inflate() reads headers too, but forgets between two calls which fields one has and what they sum up to.
    MemberState readHeader(std::span<const char>& in)
    {
        const size_t given = give(in);
        const int result = isal_read_gzip_header(&m_state, &m_header);
        takeBack(in, given);
        if (result == ISAL_END_INPUT)
            return MemberState::Running;
        m_hasHeader = result == ISAL_DECOMP_OK && (m_header.flags & kReservedFlags) == 0;
        return m_hasHeader ? MemberState::Running : MemberState::Damaged;
    }

    size_t give(std::span<const char> in)
    {
        const size_t given = std::min<size_t>(in.size(), kMost);
        m_state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data())); // NOLINT: ISA-L only reads it
        m_state.avail_in = static_cast<uint32_t>(given);
        return given;
    }

    /// After damage ISA-L gives back bytes that it had read ahead in earlier calls, more than it was given in this one.
    void takeBack(std::span<const char>& in, size_t given) const
    {
        in = in.subspan(given - std::min<size_t>(given, m_state.avail_in));
    }

    inflate_state m_state{}; ///< zeros: damaged data can refer to text from before the beginning
    isal_gzip_header m_header{};
    bool m_hasHeader = false;
};

} // namespace

std::unique_ptr<Decoder> makeGzipDecoder()
{
    return std::make_unique<GzipDecoder<IsalEngine>>();
}

} // namespace torchline

#endif
