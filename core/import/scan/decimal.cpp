#include "import/scan/decimal.h"

#include "base/time.h"

#include <charconv>
#include <cmath>

namespace torchline {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Digits without a point, and where the point is: value = 0.DIGITS x 10^point.
struct Digits {
    bool isNegative = false;
    std::string_view whole;
    std::string_view decimals;
    int64_t point = 0;

    [[nodiscard]] size_t size() const { return whole.size() + decimals.size(); }
    /// 0 beyond the digits.
    [[nodiscard]] int at(int64_t index) const
    {
        if (index < 0 || index >= static_cast<int64_t>(size()))
            return 0;
        const auto i = static_cast<size_t>(index);
        return (i < whole.size() ? whole[i] : decimals[i - whole.size()]) - '0';
    }
    [[nodiscard]] bool isZeroFrom(int64_t index) const
    {
        for (int64_t i = std::max<int64_t>(index, 0); i < static_cast<int64_t>(size()); ++i) {
            if (at(i) != 0)
                return false;
        }
        return true;
    }
};

std::optional<Digits> parseDigits(std::string_view text)
{
    text = trimmed(text);
    Digits result;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        result.isNegative = text[0] == '-';
        text.remove_prefix(1);
    }
    size_t length = 0;
    while (length < text.size() && isDigit(text[length]))
        ++length;
    result.whole = text.substr(0, length);
    text.remove_prefix(length);
    if (!text.empty() && text[0] == '.') {
        length = 1;
        while (length < text.size() && isDigit(text[length]))
            ++length;
        result.decimals = text.substr(1, length - 1);
        text.remove_prefix(length);
    }
    if (result.size() == 0)
        return std::nullopt;
    int64_t exponent = 0;
    if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
        text.remove_prefix(1);
        const bool isNegative = !text.empty() && text[0] == '-';
        if (!text.empty() && (text[0] == '-' || text[0] == '+'))
            text.remove_prefix(1);
        if (text.empty())
            return std::nullopt;
        while (!text.empty() && isDigit(text[0])) {
            exponent = std::min<int64_t>(exponent * 10 + (text[0] - '0'), 1'000'000'000);
            text.remove_prefix(1);
        }
        exponent = isNegative ? -exponent : exponent;
    }
    if (!text.empty())
        return std::nullopt;
    result.point = static_cast<int64_t>(result.whole.size()) + exponent;
    return result;
}

/// The digits before position `end` as a number; no value if it does not fit.
std::optional<uint64_t> wholeNumber(const Digits& digits, int64_t end)
{
    uint64_t value = 0;
    int64_t i = 0;
    const auto size = static_cast<int64_t>(digits.size());
    for (; i < std::min(end, size); ++i) {
        if (__builtin_mul_overflow(value, 10U, &value)
            || __builtin_add_overflow(value, static_cast<uint64_t>(digits.at(i)), &value))
            return std::nullopt;
    }
    for (; i < end && value != 0; ++i) {
        if (__builtin_mul_overflow(value, 10U, &value))
            return std::nullopt;
    }
    return value;
}

} // namespace

std::optional<FileTime> parseMicroseconds(std::string_view text)
{
    const auto digits = parseDigits(text);
    if (!digits)
        return std::nullopt;
    const int64_t end = digits->point + 3;
    const auto whole = wholeNumber(*digits, end);
    if (!whole || *whole > static_cast<uint64_t>(kMaxNs))
        return FileTime{digits->isNegative ? kMinNs : kMaxNs, 0, true};
    const auto ps = static_cast<uint16_t>(digits->at(end) * 100 + digits->at(end + 1) * 10 + digits->at(end + 2));
    const auto ns = static_cast<int64_t>(*whole);
    if (!digits->isNegative)
        return FileTime{ns, ps, false};
    if (ps == 0)
        return FileTime{-ns, 0, false};
    return FileTime{-ns - 1, static_cast<uint16_t>(1000 - ps), false};
}

std::optional<uint64_t> parseUnsigned(std::string_view text)
{
    const auto digits = parseDigits(text);
    if (!digits || !digits->isZeroFrom(digits->point))
        return std::nullopt;
    const auto value = wholeNumber(*digits, digits->point);
    if (!value || (digits->isNegative && *value != 0))
        return std::nullopt;
    return value;
}

std::optional<int64_t> parseSigned(std::string_view text)
{
    const auto digits = parseDigits(text);
    if (!digits || !digits->isZeroFrom(digits->point))
        return std::nullopt;
    const auto value = wholeNumber(*digits, digits->point);
    constexpr uint64_t kLimit = uint64_t{1} << 63;
    if (!value || *value > kLimit || (!digits->isNegative && *value == kLimit))
        return std::nullopt;
    return digits->isNegative ? static_cast<int64_t>(uint64_t{0} - *value) : static_cast<int64_t>(*value);
}

std::optional<double> parseDouble(std::string_view text)
{
    text = trimmed(text);
    const auto digits = parseDigits(text);
    if (!digits)
        return std::nullopt;
    if (text[0] == '+')
        text.remove_prefix(1);
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    // Beyond the range of a double from_chars says so and leaves the value alone: what is too small is 0.
    if (result.ec == std::errc::result_out_of_range) {
        int64_t leadingZeros = 0;
        while (leadingZeros < static_cast<int64_t>(digits->size()) && digits->at(leadingZeros) == 0)
            ++leadingZeros;
        return digits->point < leadingZeros ? std::optional(0.0) : std::nullopt;
    }
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

int64_t roundedNs(const FileTime& time)
{
    return time.ps >= 500 ? addSaturated(time.ns, 1) : time.ns;
}

int64_t roundedDurationNs(const FileTime& begin, const FileTime& duration)
{
    if (begin.ps == 0 && duration.ps == 0)
        return duration.ns;
    const int ps = begin.ps + duration.ps;
    FileTime end;
    end.ns = addSaturated(addSaturated(begin.ns, duration.ns), ps / 1000);
    end.ps = static_cast<uint16_t>(ps % 1000);
    return subSaturated(roundedNs(end), roundedNs(begin));
}

} // namespace torchline
