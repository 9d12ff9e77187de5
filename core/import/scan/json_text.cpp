#include "import/scan/json_text.h"

#include "base/text.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace torchline {

namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool isControl(char c)
{
    return static_cast<uint8_t>(c) < 0x20;
}

std::optional<char32_t> hexUnit(std::string_view digits)
{
    if (digits.size() < 4)
        return std::nullopt;
    char32_t unit = 0;
    for (const char c : digits.substr(0, 4)) {
        unit <<= 4;
        if (c >= '0' && c <= '9')
            unit |= static_cast<char32_t>(c - '0');
        else if (c >= 'a' && c <= 'f')
            unit |= static_cast<char32_t>(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            unit |= static_cast<char32_t>(c - 'A' + 10);
        else
            return std::nullopt;
    }
    return unit;
}

char simpleEscape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

/// raw begins behind `\u`. Appends what it means and returns how many bytes were used; 0: not four hex digits.
size_t appendUnicode(std::string& out, std::string_view raw, uint8_t& flaws)
{
    const auto unit = hexUnit(raw);
    if (!unit)
        return 0;
    const bool isHigh = *unit >= 0xD800 && *unit <= 0xDBFF;
    if (isHigh && raw.substr(4).starts_with("\\u")) {
        const auto low = hexUnit(raw.substr(6));
        if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
            appendUtf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
            return 10;
        }
    }
    if (*unit >= 0xD800 && *unit <= 0xDFFF)
        flaws |= TextLoneSurrogate;
    appendUtf8(out, *unit);
    return 4;
}

/// The longest prefix of at most `most` bytes that ends no character in two.
std::string cutTo(std::string text, size_t most)
{
    size_t size = std::min(most, text.size());
    while (size > 0 && size < text.size() && (static_cast<uint8_t>(text[size]) & 0xC0u) == 0x80)
        --size;
    text.resize(size);
    text += kEllipsis;
    return text;
}

} // namespace

bool isPlainString(std::string_view raw)
{
    constexpr uint64_t kOnes = 0x0101010101010101ULL;
    constexpr uint64_t kUpper = 0x80 * kOnes;
    const auto isPlain = [](uint64_t word) {
        // Exact for words without upper bits, and those are no ASCII.
        const uint64_t controls = word - 0x20 * kOnes;
        const uint64_t backslashes = (word ^ ('\\' * kOnes)) - kOnes;
        return ((word | controls | backslashes) & kUpper) == 0;
    };
    size_t at = 0;
    uint64_t word = 0;
    for (; at + sizeof word <= raw.size(); at += sizeof word) {
        std::memcpy(&word, raw.data() + at, sizeof word);
        if (!isPlain(word))
            return false;
    }
    if (at == raw.size())
        return true;
    word = ' ' * kOnes;
    std::memcpy(&word, raw.data() + at, raw.size() - at);
    return isPlain(word);
}

DecodedText decodeString(std::string_view raw)
{
    DecodedText result;
    if (isPlainString(raw)) {
        result.text = raw;
        return result;
    }
    std::string& out = result.text;
    if (raw.find('\\') == std::string_view::npos) {
        out = raw;
    } else {
        out.reserve(raw.size());
        for (size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] != '\\') {
                out += raw[i];
                continue;
            }
            const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
            if (const char plain = simpleEscape(next); plain != '\0') {
                out += plain;
                ++i;
            } else if (const size_t used = next == 'u' ? appendUnicode(out, raw.substr(i + 2), result.flaws) : 0;
                       used > 0) {
                i += 1 + used;
            } else {
                out += '\\';
                result.flaws |= TextBadEscape;
            }
        }
    }
    if (std::any_of(raw.begin(), raw.end(), isControl))
        result.flaws |= TextControl;
    if (!isValidUtf8(out)) {
        out = toValidUtf8(out);
        result.flaws |= TextBadUtf8;
    }
    return result;
}

std::string shownString(std::string_view raw, bool isCut)
{
    // An escape takes at most six bytes for each byte that it means.
    constexpr size_t kMostRaw = kMostValueBytes * 6;
    std::string text = decodeString(raw.substr(0, kMostRaw)).text;
    if (isCut || text.size() > kMostValueBytes)
        return cutTo(std::move(text), kMostValueBytes);
    return text;
}

std::string shownValue(std::string_view raw, bool isCut)
{
    std::string text;
    bool inString = false;
    for (size_t i = 0; i < raw.size() && text.size() <= kMostValueBytes; ++i) {
        const char c = raw[i];
        if (!inString && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
            continue;
        text += c;
        if (inString && c == '\\' && i + 1 < raw.size())
            text += raw[++i];
        else if (c == '"')
            inString = !inString;
    }
    const bool isTooLong = isCut || text.size() > kMostValueBytes;
    if (!isValidUtf8(text))
        text = toValidUtf8(text);
    return isTooLong ? cutTo(std::move(text), kMostValueBytes) : text;
}

} // namespace torchline
