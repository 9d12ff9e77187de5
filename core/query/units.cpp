#include "query/units.h"

#include "base/int128.h"
#include "query/fold.h"

#include <charconv>
#include <limits>
#include <span>
#include <string>

namespace torchline {

namespace {

struct Unit {
    std::string_view name; ///< folded
    int64_t size;
};

constexpr Unit kTimeUnits[] = {
    {"ns", 1},
    {"us", 1000},
    {"\xC2\xB5s", 1000}, // micro sign
    {"\xCE\xBCs", 1000}, // Greek mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
};

constexpr Unit kByteUnits[] = {
    {"b", 1},
    {"kb", int64_t{1} << 10},
    {"mb", int64_t{1} << 20},
    {"gb", int64_t{1} << 30},
    {"tb", int64_t{1} << 40},
    {"kib", int64_t{1} << 10},
    {"mib", int64_t{1} << 20},
    {"gib", int64_t{1} << 30},
    {"tib", int64_t{1} << 40},
};

std::optional<int64_t> sizeOf(std::span<const Unit> units, std::string_view name)
{
    for (const Unit& unit : units) {
        if (equalsFolded(name, unit.name))
            return unit.size;
    }
    return std::nullopt;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// What figures on the screen are written with: they can be typed again as they stand.
constexpr std::string_view kThinSpace = "\xE2\x80\x89"; // between groups of digits
constexpr std::string_view kNoBreakSpace = "\xC2\xA0"; // before the unit
constexpr std::string_view kMinusSign = "\xE2\x88\x92";

bool take(std::string_view& text, std::string_view what)
{
    if (!text.starts_with(what))
        return false;
    text.remove_prefix(what.size());
    return true;
}

std::string takeDigits(std::string_view& text)
{
    std::string digits;
    while (!text.empty()) {
        std::string_view next = text;
        if (!digits.empty())
            take(next, kThinSpace);
        if (next.empty() || !isDigit(next.front()))
            break;
        digits += next.front();
        text = next.substr(1);
    }
    return digits;
}

enum class Rest { MustBeNone, IsRounded };

/// "whole.decimals" x size; nothing if that does not fit, or leaves a rest that must not be.
std::optional<int64_t> scaled(std::string_view whole, std::string_view decimals, int64_t size, Rest rest)
{
    constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
    constexpr size_t kMostDecimals = 18;
    Int128 value = 0;
    for (const char c : whole) {
        value = value * 10 + (c - '0');
        if (value > kMost)
            return std::nullopt;
    }
    while (!decimals.empty() && decimals.back() == '0')
        decimals.remove_suffix(1);
    if (decimals.size() > kMostDecimals)
        return std::nullopt;
    Int128 fraction = 0;
    Int128 divisor = 1;
    for (const char c : decimals) {
        fraction = fraction * 10 + (c - '0');
        divisor *= 10;
    }
    fraction *= size;
    if (rest == Rest::MustBeNone && fraction % divisor != 0)
        return std::nullopt;
    value = value * size + (fraction + divisor / 2) / divisor;
    if (value > kMost)
        return std::nullopt;
    return static_cast<int64_t>(value);
}

std::optional<int64_t> parseQuantity(std::string_view text, std::span<const Unit> units, int64_t plainUnit, Rest rest)
{
    const bool isNegative = take(text, "-") || take(text, kMinusSign);
    if (!isNegative)
        take(text, "+");
    const std::string whole = takeDigits(text);
    const std::string decimals = take(text, ".") ? takeDigits(text) : std::string();
    if (whole.empty() && decimals.empty())
        return std::nullopt;
    while (take(text, " ") || take(text, kNoBreakSpace)) { }
    const auto size = text.empty() ? std::optional(plainUnit) : sizeOf(units, text);
    if (!size)
        return std::nullopt;
    const auto value = scaled(whole, decimals, *size, rest);
    return value && isNegative ? -*value : value;
}

} // namespace

std::optional<int64_t> parseTime(std::string_view text)
{
    return parseQuantity(text, kTimeUnits, 1000, Rest::MustBeNone);
}

std::optional<int64_t> parseBytes(std::string_view text)
{
    return parseQuantity(text, kByteUnits, 1, Rest::IsRounded);
}

std::optional<int64_t> parseInteger(std::string_view text)
{
    if (text.starts_with('+') && text.size() > 1 && isDigit(text[1]))
        text.remove_prefix(1);
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || text.empty())
        return std::nullopt;
    return value;
}

bool isTimeUnit(std::string_view text)
{
    return sizeOf(kTimeUnits, text).has_value();
}

bool isByteUnit(std::string_view text)
{
    return sizeOf(kByteUnits, text).has_value();
}

} // namespace torchline
