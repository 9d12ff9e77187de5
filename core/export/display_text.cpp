#include "export/display_text.h"

#include "base/int128.h"

#include <algorithm>
#include <array>

namespace torchline {

namespace {

constexpr int64_t kKilo = 1024;
constexpr int64_t kMega = 1024 * kKilo;
constexpr int64_t kGiga = 1024 * kMega;

uint64_t magnitudeOf(int64_t value)
{
    return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

bool isContinuation(char c)
{
    return (static_cast<uint8_t>(c) & 0xC0u) == 0x80u;
}

} // namespace

std::string decimalText(int64_t value, int64_t divisor, int decimals)
{
    uint64_t scale = 1;
    for (int i = 0; i < decimals; ++i)
        scale *= 10;
    const UInt128 scaled = UInt128{magnitudeOf(value)} * scale;
    const auto wide = static_cast<UInt128>(static_cast<uint64_t>(divisor));
    UInt128 quotient = scaled / wide;
    const UInt128 rest = scaled % wide;
    if (rest > wide - rest || (rest == wide - rest && quotient % 2 != 0))
        ++quotient;
    std::string text = std::to_string(static_cast<uint64_t>(quotient / scale));
    if (decimals > 0) {
        const std::string fraction = std::to_string(static_cast<uint64_t>(quotient % scale));
        text += '.';
        text.append(static_cast<size_t>(decimals) - fraction.size(), '0');
        text += fraction;
    }
    return value < 0 ? "-" + text : text;
}

std::string torchTimeText(int64_t ns)
{
    const uint64_t magnitude = magnitudeOf(ns);
    if (magnitude >= 1'000'000'000)
        return decimalText(ns, 1'000'000'000, 3) + "s";
    if (magnitude >= 1'000'000)
        return decimalText(ns, 1'000'000, 3) + "ms";
    return decimalText(ns, 1000, 3) + "us";
}

std::string torchBytesText(int64_t bytes)
{
    const uint64_t magnitude = magnitudeOf(bytes);
    if (magnitude >= uint64_t{kGiga})
        return decimalText(bytes, kGiga, 2) + " GB";
    if (magnitude >= uint64_t{kMega})
        return decimalText(bytes, kMega, 2) + " MB";
    if (magnitude >= uint64_t{kKilo})
        return decimalText(bytes, kKilo, 2) + " KB";
    return std::to_string(bytes) + " B";
}

FlopsUnit torchFlopsUnit(const std::vector<int64_t>& values)
{
    static constexpr std::array<std::string_view, 6> kNames{"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
    int64_t least = 0;
    for (const int64_t value : values) {
        if (value > 0 && (least == 0 || value < least))
            least = value;
    }
    FlopsUnit unit{kNames[0], 1};
    for (size_t i = 1; i < kNames.size() && least / unit.divisor >= 1000; ++i)
        unit = {kNames[i], unit.divisor * 1000};
    return unit;
}

std::string torchFlopsText(int64_t flops, const FlopsUnit& unit)
{
    return flops > 0 ? decimalText(flops, unit.divisor, 3) : "--";
}

size_t textWidth(std::string_view text)
{
    return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return !isContinuation(c); }));
}

std::string elidedText(std::string_view text, size_t width)
{
    if (textWidth(text) <= width)
        return std::string(text);
    const size_t keep = width > 3 ? width - 3 : 0;
    size_t end = 0;
    for (size_t seen = 0; end < text.size(); ++end) {
        if (!isContinuation(text[end]) && seen++ == keep)
            break;
    }
    return std::string(text.substr(0, end)) + "...";
}

} // namespace torchline
