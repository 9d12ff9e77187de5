// Numbers: every reading of a text equals what exact arithmetic on its digits says, and what has no value there has
// none here.

#include "base/int128.h"
#include "base/time.h"
#include "import/scan/decimal.h"
#include "require.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

using namespace torchline;
using torchline::test::require;

namespace {

/// DIGITS x 10^exponent, no zeros in front.
struct Exact {
    bool isNegative = false;
    std::string digits;
    int64_t exponent = 0;
};

std::optional<Exact> exactOf(std::string text)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && isBlank(text.back()))
        text.pop_back();
    size_t i = 0;
    while (i < text.size() && isBlank(text[i]))
        ++i;
    const auto is
        = [&](std::string_view any) { return i < text.size() && any.find(text[i]) != std::string_view::npos; };
    constexpr std::string_view kDigits = "0123456789";
    Exact value;
    if (is("+-"))
        value.isNegative = text[i++] == '-';
    while (is(kDigits))
        value.digits += text[i++];
    if (is(".")) {
        ++i;
        for (; is(kDigits); --value.exponent)
            value.digits += text[i++];
    }
    if (value.digits.empty())
        return std::nullopt;
    if (is("eE")) {
        ++i;
        const bool isDown = is("-");
        if (is("+-"))
            ++i;
        if (i == text.size())
            return std::nullopt;
        int64_t exponent = 0;
        for (; is(kDigits); ++i)
            exponent = std::min<int64_t>(exponent * 10 + (text[i] - '0'), 1'000'000'000);
        value.exponent += isDown ? -exponent : exponent;
    }
    if (i != text.size())
        return std::nullopt;
    value.digits.erase(0, value.digits.find_first_not_of('0'));
    return value;
}

/// The whole part of |value| x 10^scale; none if it has more than 30 digits.
std::optional<Int128> scaled(const Exact& value, int64_t scale, bool* isExact)
{
    *isExact = true;
    if (value.digits.empty())
        return Int128{0};
    const int64_t size = static_cast<int64_t>(value.digits.size()) + value.exponent + scale;
    if (size > 30)
        return std::nullopt;
    Int128 whole = 0;
    for (int64_t i = 0; i < std::max<int64_t>(size, static_cast<int64_t>(value.digits.size())); ++i) {
        const int digit
            = i < static_cast<int64_t>(value.digits.size()) ? value.digits[static_cast<size_t>(i)] - '0' : 0;
        if (i < size)
            whole = whole * 10 + digit;
        else
            *isExact = *isExact && digit == 0;
    }
    return whole;
}

void checkMicroseconds(const std::string& text, const std::optional<Exact>& exact)
{
    const auto time = parseMicroseconds(text);
    require(time.has_value() == exact.has_value(), "a time is read exactly where there is a number");
    if (!time)
        return;
    bool isExact = false;
    const auto ps = scaled(*exact, 6, &isExact);
    if (!ps || *ps / 1000 > kMaxNs) {
        require(time->isSaturated && time->ns == (exact->isNegative ? kMinNs : kMaxNs), "a time too large is held");
        return;
    }
    const Int128 read = Int128{time->ns} * 1000 + time->ps;
    require(!time->isSaturated && time->ps < 1000, "picoseconds are below 1000");
    require(read == (exact->isNegative ? -*ps : *ps), "a time is exact to the picosecond");
    require(std::abs(static_cast<double>(Int128{roundedNs(*time)} * 1000 - read)) <= 500, "rounding is to the nearest");
}

void checkIntegers(const std::string& text, const std::optional<Exact>& exact)
{
    bool isExact = false;
    constexpr Int128 kNone = Int128{1} << 100;
    Int128 whole = exact ? scaled(*exact, 0, &isExact).value_or(kNone) : kNone;
    if (!isExact)
        whole = kNone;
    else if (exact && exact->isNegative)
        whole = -whole;
    const bool fitsUnsigned = whole >= 0 && whole <= Int128{UINT64_MAX};
    const auto number = parseUnsigned(text);
    require(number.has_value() == fitsUnsigned, "an unsigned number is read exactly where there is one");
    require(!number || Int128{*number} == whole, "an unsigned number is exact");
    const bool fitsSigned = whole >= INT64_MIN && whole <= INT64_MAX;
    const auto signedNumber = parseSigned(text);
    require(signedNumber.has_value() == fitsSigned, "a signed number is read exactly where there is one");
    require(!signedNumber || Int128{*signedNumber} == whole, "a signed number is exact");
}

void checkDouble(const std::string& text, const std::optional<Exact>& exact)
{
    const auto value = parseDouble(text);
    if (!exact) {
        require(!value, "no double where there is no number");
        return;
    }
    const double expected = std::strtod(text.c_str() + text.find_first_not_of(" \t\r\n"), nullptr);
    require(value.has_value() == std::isfinite(expected), "a double is read where the number is in its range");
    require(!value || *value == expected, "a double is the nearest one");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto exact = exactOf(text);
    checkMicroseconds(text, exact);
    checkIntegers(text, exact);
    checkDouble(text, exact);
    return 0;
}
