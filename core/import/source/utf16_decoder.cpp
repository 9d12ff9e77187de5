#include "import/source/decoder.h"

#include "base/text.h"

#include <cstring>

namespace torchline {

namespace {

class Utf16Decoder : public Decoder {
public:
    explicit Utf16Decoder(bool bigEndian)
        : m_isBigEndian(bigEndian)
    {
    }

    [[nodiscard]] Step decode(std::span<const char> in, bool inEnds, std::span<char> out) override
    {
        const size_t given = in.size();
        size_t produced = 0;
        for (;;) {
            const size_t put = std::min(m_pending.size() - m_pendingDone, out.size() - produced);
            std::memcpy(out.data() + produced, m_pending.data() + m_pendingDone, put);
            produced += put;
            m_pendingDone += put;
            if (m_pendingDone < m_pending.size() || produced == out.size())
                break;
            m_pending.clear();
            m_pendingDone = 0;
            if (in.size() >= 2) {
                takeUnit(in);
            } else if (inEnds && (m_highSurrogate != 0 || !in.empty())) {
                m_oddByte = !in.empty();
                in = {};
                m_highSurrogate = 0;
                appendUtf8(m_pending, kReplacement);
            } else {
                return {given - in.size(), produced, inEnds};
            }
        }
        return {given - in.size(), produced, false};
    }
    [[nodiscard]] std::unique_ptr<Decoder> clone() const override { return std::make_unique<Utf16Decoder>(*this); }
    [[nodiscard]] std::optional<SourceTrouble> trouble() const override
    {
        if (m_oddByte)
            return SourceTrouble{"truncated-utf-16", "The UTF-16 text is truncated in the middle of a character"};
        return std::nullopt;
    }

private:
    static constexpr char32_t kReplacement = 0xFFFD;

    void takeUnit(std::span<const char>& in)
    {
        const auto first = static_cast<uint8_t>(in[0]);
        const auto second = static_cast<uint8_t>(in[1]);
        const char32_t unit = m_isBigEndian ? first * 256u + second : second * 256u + first;
        const bool isLow = unit >= 0xDC00 && unit <= 0xDFFF;
        if (m_highSurrogate != 0 && !isLow) {
            // The unit itself is looked at again in the next round.
            m_highSurrogate = 0;
            appendUtf8(m_pending, kReplacement);
            return;
        }
        in = in.subspan(2);
        if (m_highSurrogate != 0) {
            appendUtf8(m_pending, 0x10000 + ((m_highSurrogate - 0xD800) << 10) + (unit - 0xDC00));
            m_highSurrogate = 0;
        } else if (unit >= 0xD800 && unit <= 0xDBFF) {
            m_highSurrogate = unit;
        } else {
            appendUtf8(m_pending, unit); // U+FFFD for a low surrogate alone
        }
    }

    bool m_isBigEndian;
    bool m_oddByte = false;
    char32_t m_highSurrogate = 0;
    std::string m_pending;
    size_t m_pendingDone = 0;
};

} // namespace

std::unique_ptr<Decoder> makeUtf16Decoder(bool bigEndian)
{
    return std::make_unique<Utf16Decoder>(bigEndian);
}

} // namespace torchline
