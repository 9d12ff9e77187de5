#include "common/format.h"

#include "base/int128.h"
#include "base/text.h"

#include <QCoreApplication>

#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr QChar kThin(0x2009);
constexpr QChar kNoBreak(0x00A0);
constexpr QChar kMinus(0x2212);

QString grouped(const QString& digits)
{
    QString out;
    for (qsizetype i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            out += kThin;
        out += digits[i];
    }
    return out;
}

uint64_t magnitude(int64_t n)
{
    return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

/// n / divisor with this many decimals, rounded half up, thousands grouped.
QString decimal(int64_t n, uint64_t divisor, int decimals)
{
    uint64_t power = 1;
    for (int i = 0; i < decimals; ++i)
        power *= 10;
    const UInt128 scaled = (static_cast<UInt128>(magnitude(n)) * power + divisor / 2) / divisor;
    const auto whole = static_cast<uint64_t>(scaled / power);
    const auto rest = static_cast<uint64_t>(scaled % power);
    QString text = grouped(QString::number(whole));
    if (decimals > 0)
        text += u'.' + QString::number(rest).rightJustified(decimals, u'0');
    if (n < 0 && scaled != 0)
        text.prepend(kMinus);
    return text;
}

/// A figure of a column: what is not zero does not look like it.
QString inUnit(int64_t n, uint64_t divisor, int decimals, const QString& suffix)
{
    if (n == 0)
        return u"0"_s;
    uint64_t steps = 1;
    for (int i = 0; i < decimals; ++i)
        steps *= 10;
    if (n > 0 && static_cast<UInt128>(magnitude(n)) * steps * 2 < divisor)
        return u'<' + decimal(static_cast<int64_t>((divisor + steps - 1) / steps), divisor, decimals) + kNoBreak
            + suffix;
    return decimal(n, divisor, decimals) + kNoBreak + suffix;
}

struct Step {
    uint64_t ns;
    QStringView suffix;
};
constexpr std::array<Step, 4> kTimeSteps{{{1'000'000'000, u"s"}, {1'000'000, u"ms"}, {1'000, u"µs"}, {1, u"ns"}}};

Step timeStepFor(uint64_t ns)
{
    for (const Step& step : kTimeSteps) {
        if (ns >= step.ns)
            return step;
    }
    return kTimeSteps.back();
}

} // namespace

TimeUnit timeUnitFor(int64_t largestNs)
{
    const Step step = timeStepFor(magnitude(largestNs));
    const int decimals = step.ns == 1 ? 0 : step.ns == 1000 ? 1 : 3;
    return {static_cast<int64_t>(step.ns), decimals, step.suffix.toString()};
}

QString formatTime(int64_t ns, const TimeUnit& unit)
{
    return inUnit(ns, static_cast<uint64_t>(unit.nsPerUnit), unit.decimals, unit.suffix);
}

QString formatDuration(int64_t ns)
{
    const uint64_t size = magnitude(ns);
    if (size == 0)
        return u"0"_s;
    const Step step = timeStepFor(size);
    const int decimals = step.ns == 1 ? 0 : size >= step.ns * 100 ? 1 : 2;
    return decimal(ns, step.ns, decimals) + kNoBreak + step.suffix;
}

QString formatExact(int64_t ns)
{
    if (ns == 0)
        return u"0"_s;
    const Step step = timeStepFor(magnitude(ns));
    const int decimals = step.ns == 1 ? 0 : step.ns == 1000 ? 3 : step.ns == 1'000'000 ? 6 : 9;
    QString text = decimal(ns, step.ns, decimals);
    const qsizetype point = text.indexOf(u'.');
    if (point >= 0) {
        for (qsizetype at = point + 4; at < text.size(); at += 4)
            text.insert(at, kThin);
    }
    return text + kNoBreak + step.suffix;
}

QString formatCount(int64_t n)
{
    return decimal(n, 1, 0);
}

QString formatCounted(int64_t n, const QString& one, const QString& many)
{
    return formatCount(n) + u' ' + (n == 1 ? one : many);
}

QString formatBytes(int64_t bytes)
{
    static constexpr std::array<QStringView, 6> kUnits{u"B", u"KiB", u"MiB", u"GiB", u"TiB", u"PiB"};
    uint64_t divisor = 1;
    size_t unit = 0;
    while (unit + 1 < kUnits.size() && magnitude(bytes) / divisor >= 1024) {
        divisor *= 1024;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : magnitude(bytes) >= divisor * 100 ? 1 : 2;
    return decimal(bytes, divisor, decimals) + kNoBreak + kUnits[unit];
}

ScaledUnit byteUnitFor(int64_t largest)
{
    static constexpr std::array<QStringView, 6> kUnits{u"B", u"KiB", u"MiB", u"GiB", u"TiB", u"PiB"};
    ScaledUnit unit;
    size_t at = 0;
    for (; at + 1 < kUnits.size() && magnitude(largest) / unit.divisor >= 1024; ++at)
        unit.divisor *= 1024;
    unit.decimals = at == 0 ? 0 : at < 3 ? 1 : 2;
    unit.suffix = kUnits[at].toString();
    return unit;
}

ScaledUnit flopUnitFor(int64_t largest)
{
    static constexpr std::array<QStringView, 6> kUnits{u"FLOP", u"kFLOP", u"MFLOP", u"GFLOP", u"TFLOP", u"PFLOP"};
    ScaledUnit unit;
    size_t at = 0;
    for (; at + 1 < kUnits.size() && magnitude(largest) / unit.divisor >= 1000; ++at)
        unit.divisor *= 1000;
    unit.decimals = at == 0 ? 0 : 2;
    unit.suffix = kUnits[at].toString();
    return unit;
}

QString formatScaled(int64_t n, const ScaledUnit& unit)
{
    return inUnit(n, unit.divisor, unit.decimals, unit.suffix);
}

QString formatHundredths(int64_t hundredths)
{
    return decimal(hundredths, 100, 2);
}

QString displayText(std::string_view utf8)
{
    QString text = QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
    for (QChar& c : text) {
        if (c.unicode() < 0x20)
            c = QChar(0x2400 + c.unicode());
        else if (c.unicode() == 0x7F)
            c = QChar(0x2421);
        else if ((c.unicode() >= 0x80 && c.unicode() < 0xA0) || c.unicode() == 0x2028 || c.unicode() == 0x2029
            || (c.unicode() >= 0x202A && c.unicode() <= 0x202E) || (c.unicode() >= 0x2066 && c.unicode() <= 0x2069))
            c = QChar(QChar::ReplacementCharacter);
    }
    return text;
}

QString fileNameText(std::string_view path)
{
    if (path == "-")
        return QCoreApplication::translate("fileNameText", "standard input");
    return displayText(toValidUtf8(path.substr(path.rfind('/') + 1)));
}

} // namespace torchline
