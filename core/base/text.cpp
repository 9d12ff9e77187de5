#include "base/text.h"

#include <cstdint>

namespace torchline {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Decoded {
    char32_t codePoint; ///< valid only if ok
    size_t length; ///< bytes consumed, at least 1
    bool ok;
};

/// Decodes one code point; on ill-formed input consumes the maximal ill-formed part (Unicode 3.9, table 3-8).
Decoded decodeOne(std::string_view bytes)
{
    const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
    const uint8_t lead = at(0);
    if (lead < 0x80)
        return {lead, 1, true};
    size_t length = 0;
    char32_t codePoint = 0;
    uint8_t low = 0x80;
    uint8_t high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
        codePoint = lead & 0x1Fu;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        codePoint = lead & 0x0Fu;
        if (lead == 0xE0)
            low = 0xA0;
        if (lead == 0xED)
            high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        codePoint = lead & 0x07u;
        if (lead == 0xF0)
            low = 0x90;
        if (lead == 0xF4)
            high = 0x8F;
    } else {
        return {0, 1, false};
    }
    for (size_t i = 1; i < length; ++i) {
        if (i >= bytes.size() || at(i) < low || at(i) > high)
            return {0, i, false};
        codePoint = codePoint << 6 | (at(i) & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    return {codePoint, length, true};
}

bool mustEscape(char32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069);
}

void appendEscaped(std::string& out, char32_t c)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    switch (c) {
    case U'\n':
        out += "\\n";
        return;
    case U'\r':
        out += "\\r";
        return;
    case U'\t':
        out += "\\t";
        return;
    default:
        break;
    }
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += kHex[(c >> shift) & 0xFu];
}

} // namespace

bool isValidUtf8(std::string_view bytes)
{
    while (!bytes.empty()) {
        const Decoded one = decodeOne(bytes);
        if (!one.ok)
            return false;
        bytes.remove_prefix(one.length);
    }
    return true;
}

std::string toValidUtf8(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const Decoded one = decodeOne(bytes);
        out += one.ok ? bytes.substr(0, one.length) : kReplacement;
        bytes.remove_prefix(one.length);
    }
    return out;
}

std::string escapeControls(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Decoded one = decodeOne(text);
        if (!one.ok)
            out += kReplacement;
        else if (mustEscape(one.codePoint))
            appendEscaped(out, one.codePoint);
        else
            out += text.substr(0, one.length);
        text.remove_prefix(one.length);
    }
    return out;
}

void appendUtf8(std::string& out, char32_t c)
{
    const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0u | c >> 6);
        put(0x80u | (c & 0x3Fu));
    } else if ((c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF) {
        out += kReplacement;
    } else if (c < 0x10000) {
        put(0xE0u | c >> 12);
        put(0x80u | (c >> 6 & 0x3Fu));
        put(0x80u | (c & 0x3Fu));
    } else {
        put(0xF0u | c >> 18);
        put(0x80u | (c >> 12 & 0x3Fu));
        put(0x80u | (c >> 6 & 0x3Fu));
        put(0x80u | (c & 0x3Fu));
    }
}

} // namespace torchline
