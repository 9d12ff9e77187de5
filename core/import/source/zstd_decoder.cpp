#include "import/source/decoder.h"
#include "import/source/zstd_magic.h"

#include <algorithm>
#include <string>
#include <string_view>
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
            std::string_view given;
            if (m_isAtFrameStart) {
                const size_t taken = std::min(kZstdMagicBytes - m_magic.size(), in.size() - used);
                m_magic.append(in.data() + used, taken);
                used += taken;
                if (m_magic.size() < kZstdMagicBytes && !inEnds)
                    break;
                given = m_magic;
                if (given.empty()) {
                    finish(Trouble::None);
                    break;
                }
                if (!beginsZstdFrame(given)) {
                    finish(m_hasFrame ? Trouble::Tail : Trouble::Damaged);
                    break;
                }
            } else if (m_isDrained) {
                given = std::string_view(in.data() + used, std::min(m_step, in.size() - used));
            }
            ZSTD_inBuffer from = {given.data(), given.size(), 0};
            const size_t before = to.pos;
            const size_t hint = ZSTD_decompressStream(m_context.get(), &to, &from);
            if (ZSTD_isError(hint) != 0U) {
                finish(Trouble::Damaged);
                break;
            }
            if (m_isAtFrameStart)
                m_magic.clear();
            else
                used += from.pos;
            m_isAtFrameStart = hint == 0;
            m_hasFrame |= m_isAtFrameStart;
            // The hint counts the head of the block after the next one.
            m_step = hint > kBlockHead ? hint - kBlockHead : std::max<size_t>(hint, 1);
            const bool wasDrained = std::exchange(m_isDrained, to.pos < to.size);
            if (from.pos == 0 && to.pos == before && wasDrained) {
                if (inEnds && used == in.size())
                    finish(Trouble::Truncated);
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

    void finish(Trouble trouble)
    {
        m_trouble = trouble;
        m_isFinished = true;
    }

    std::unique_ptr<ZSTD_DCtx, FreeContext> m_context;
    /// What is here of the bytes that a frame begins with. zstd gets them at once: it looks for its formats of before
    /// 2016 at the begin of whatever it is given, so that in pieces it would take other bytes for a frame.
    std::string m_magic;
    bool m_isAtFrameStart = true;
    bool m_hasFrame = false;
    bool m_isDrained = true; ///< nothing that is unpacked waits for room
    size_t m_step = 1; ///< bytes that the next step takes
    bool m_isFinished = false;
    Trouble m_trouble = Trouble::None;
};

} // namespace

std::unique_ptr<Decoder> makeZstdDecoder()
{
    return std::make_unique<ZstdDecoder>();
}

} // namespace torchline
