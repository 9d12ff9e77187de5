#include "import/source/decoder.h"

#include <zstd.h>

namespace torchline {

namespace {

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdDecoder : public Decoder {
public:
    ZstdDecoder()
        : m_context(ZSTD_createDCtx())
    {
    }

    [[nodiscard]] Step decode(std::span<const char> in, bool inEnds, std::span<char> out) override
    {
        ZSTD_inBuffer from = {in.data(), in.size(), 0};
        ZSTD_outBuffer to = {out.data(), out.size(), 0};
        while (!m_isFinished && to.pos < to.size) {
            if (m_isAtFrameStart && from.pos == from.size) {
                m_isFinished = inEnds;
                break;
            }
            const size_t before = from.pos + to.pos;
            const size_t hint = ZSTD_decompressStream(m_context.get(), &to, &from);
            if (ZSTD_isError(hint) != 0U) {
                m_trouble = m_isAtFrameStart && m_hasFrame ? Trouble::Tail : Trouble::Damaged;
                m_isFinished = true;
                break;
            }
            m_isAtFrameStart = hint == 0;
            m_hasFrame |= m_isAtFrameStart;
            if (from.pos + to.pos == before) {
                if (inEnds && from.pos == from.size) {
                    m_trouble = Trouble::Truncated;
                    m_isFinished = true;
                }
                break;
            }
        }
        return {from.pos, to.pos, m_isFinished};
    }
    [[nodiscard]] std::unique_ptr<Decoder> clone() const override { return nullptr; }
    [[nodiscard]] std::optional<SourceTrouble> trouble() const override
    {
        switch (m_trouble) {
        case Trouble::Truncated:
            return SourceTrouble{"truncated-zstd", "The zstd data is truncated; what could be unpacked was read"};
        case Trouble::Damaged:
            return SourceTrouble{
                "damaged-zstd", "The zstd data is corrupt; what could be unpacked before that place was read"};
        case Trouble::Tail:
            return SourceTrouble{"zstd-trailing-bytes", "Bytes after the zstd data were skipped"};
        case Trouble::None:
            break;
        }
        return std::nullopt;
    }

private:
    enum class Trouble : uint8_t { None, Damaged, Truncated, Tail };

    std::unique_ptr<ZSTD_DCtx, FreeContext> m_context;
    bool m_isAtFrameStart = true;
    bool m_hasFrame = false;
    bool m_isFinished = false;
    Trouble m_trouble = Trouble::None;
};

} // namespace

std::unique_ptr<Decoder> makeZstdDecoder()
{
    return std::make_unique<ZstdDecoder>();
}

} // namespace torchline
