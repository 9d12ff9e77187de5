#include "import/source/decoder.h"

#include <algorithm>
#include <utility>

#include <zstd.h>

namespace torchline {

namespace {

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// zstd forgets what a call has unpacked when it meets damage later in the same call. So it gets no more at a time than
/// it needs to go one step on, and nothing before it has handed out all that it has.
class ZstdDecoder : public Decoder {
public:
    ZstdDecoder()
        : m_context(ZSTD_createDCtx())
    {
    }

    [[nodiscard]] Step decode(std::span<const char> in, bool inEnds, std::span<char> out) override
    {
        size_t used = 0;
        ZSTD_outBuffer to = {out.data(), out.size(), 0};
        while (!m_isFinished && to.pos < to.size) {
            if (m_isAtFrameStart && used == in.size()) {
                m_isFinished = inEnds;
                break;
            }
            const size_t step = m_isDrained ? std::min(m_step, in.size() - used) : 0;
            ZSTD_inBuffer from = {in.data() + used, step, 0};
            const size_t before = to.pos;
            const size_t hint = ZSTD_decompressStream(m_context.get(), &to, &from);
            if (ZSTD_isError(hint) != 0U) {
                m_trouble = m_frameBytes < kFrameMagic && m_hasFrame ? Trouble::Tail : Trouble::Damaged;
                m_isFinished = true;
                break;
            }
            used += from.pos;
            m_isAtFrameStart = hint == 0;
            m_hasFrame |= m_isAtFrameStart;
            m_frameBytes = m_isAtFrameStart ? 0 : m_frameBytes + from.pos;
            // The hint counts the head of the block after the next one.
            m_step = hint > kBlockHead ? hint - kBlockHead : std::max<size_t>(hint, 1);
            const bool wasDrained = std::exchange(m_isDrained, to.pos < to.size);
            if (from.pos == 0 && to.pos == before && wasDrained) {
                if (inEnds && used == in.size()) {
                    m_trouble = Trouble::Truncated;
                    m_isFinished = true;
                }
                break;
            }
        }
        return {used, to.pos, m_isFinished};
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
    static constexpr size_t kBlockHead = 3;
    static constexpr size_t kFrameMagic = 4;

    std::unique_ptr<ZSTD_DCtx, FreeContext> m_context;
    bool m_isAtFrameStart = true;
    bool m_hasFrame = false;
    bool m_isDrained = true; ///< nothing that is unpacked waits for room
    size_t m_step = 1; ///< bytes that the next step takes
    size_t m_frameBytes = 0; ///< taken of the frame at hand
    bool m_isFinished = false;
    Trouble m_trouble = Trouble::None;
};

} // namespace

std::unique_ptr<Decoder> makeZstdDecoder()
{
    return std::make_unique<ZstdDecoder>();
}

} // namespace torchline
