// The colour tokens against what they promise: classes can be told apart under each kind of colour vision, labels can
// be read on every fill, and the faintest pixel differs from the lane. Simulation: Machado, Oliveira, Fernandes 2009,
// severity 1, in linear RGB; distances: CIEDE2000.

#include "common/theme.h"
#include "timeline/timeline_style.h"

#include <QTest>

#include <cmath>

using namespace torchline;

namespace {

struct Rgb {
    double r, g, b; ///< linear, 0 to 1
};
struct Lab {
    double l, a, b;
};

constexpr double kPi = 3.14159265358979323846;

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Rgb linearOf(const QColor& color)
{
    return {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
}

using Matrix = std::array<double, 9>;

constexpr std::array<Matrix, 4> kVisions{{{1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}}};

Lab labOf(const QColor& color, const Matrix& m)
{
    const Rgb in = linearOf(color);
    const auto held = [](double v) { return std::clamp(v, 0.0, 1.0); };
    const Rgb c{held(m[0] * in.r + m[1] * in.g + m[2] * in.b), held(m[3] * in.r + m[4] * in.g + m[5] * in.b),
        held(m[6] * in.r + m[7] * in.g + m[8] * in.b)};
    const double x = (0.4124564 * c.r + 0.3575761 * c.g + 0.1804375 * c.b) / 0.95047;
    const double y = 0.2126729 * c.r + 0.7151522 * c.g + 0.0721750 * c.b;
    const double z = (0.0193339 * c.r + 0.1191920 * c.g + 0.9503041 * c.b) / 1.08883;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

double distance(const Lab& one, const Lab& two)
{
    const double meanC = (std::hypot(one.a, one.b) + std::hypot(two.a, two.b)) / 2;
    const double c7 = std::pow(meanC, 7);
    const double g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
    const double a1 = (1 + g) * one.a;
    const double a2 = (1 + g) * two.a;
    const double c1 = std::hypot(a1, one.b);
    const double c2 = std::hypot(a2, two.b);
    const auto hue = [](double b, double a) {
        const double h = std::atan2(b, a) * 180 / kPi;
        return a == 0 && b == 0 ? 0 : h < 0 ? h + 360 : h;
    };
    const double h1 = hue(one.b, a1);
    const double h2 = hue(two.b, a2);
    const double dl = two.l - one.l;
    const double dc = c2 - c1;
    double dh = 0;
    if (c1 * c2 != 0) {
        dh = h2 - h1;
        dh = dh > 180 ? dh - 360 : dh < -180 ? dh + 360 : dh;
    }
    const double dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * kPi / 180);
    const double ml = (one.l + two.l) / 2;
    const double mc = (c1 + c2) / 2;
    double mh = h1 + h2;
    if (c1 * c2 != 0)
        mh = std::abs(h1 - h2) <= 180 ? mh / 2 : mh < 360 ? (mh + 360) / 2 : (mh - 360) / 2;
    const auto cosine = [](double degrees) { return std::cos(degrees * kPi / 180); };
    const double t
        = 1 - 0.17 * cosine(mh - 30) + 0.24 * cosine(2 * mh) + 0.32 * cosine(3 * mh + 6) - 0.20 * cosine(4 * mh - 63);
    const double sl = 1 + 0.015 * (ml - 50) * (ml - 50) / std::sqrt(20 + (ml - 50) * (ml - 50));
    const double sc = 1 + 0.045 * mc;
    const double sh = 1 + 0.015 * mc * t;
    const double mc7 = std::pow(mc, 7);
    const double rc = 2 * std::sqrt(mc7 / (mc7 + std::pow(25.0, 7)));
    const double rt = -std::sin(2 * 30 * std::exp(-std::pow((mh - 275) / 25, 2)) * kPi / 180) * rc;
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dH / sh, 2) + rt * (dc / sc) * (dH / sh));
}

/// Copies and sets live on GPU lanes, Python frames and calls on CPU lanes: they never touch.
bool neverMeet(WorkClass one, WorkClass two)
{
    const auto isGpuOnly = [](WorkClass c) {
        return c == WorkClass::HostToDevice || c == WorkClass::DeviceToHost || c == WorkClass::Memset;
    };
    const auto isCpuOnly = [](WorkClass c) { return c == WorkClass::Python || c == WorkClass::Call; };
    return (isGpuOnly(one) && isCpuOnly(two)) || (isGpuOnly(two) && isCpuOnly(one));
}

constexpr int kClasses = static_cast<int>(WorkClass::Count);

} // namespace

class TestPalette : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void distanceIsCiede2000();
    void classesCanBeToldApart_data();
    void classesCanBeToldApart();
    void classesStandOutFromTheLane();
    void labelsCanBeRead();
    void textsCanBeRead();
    void numbersOnStepsCanBeRead();
};

/// Two pairs of the published test data of Sharma, Wu, Dalal 2005.
void TestPalette::distanceIsCiede2000()
{
    QVERIFY(std::abs(distance({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
    QVERIFY(std::abs(distance({22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}) - 2.0373) < 1e-4);
}

void TestPalette::classesCanBeToldApart_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<int>("vision");
    QTest::addColumn<double>("least");
    const std::array<double, 8> least{14.6, 11.3, 11.4, 11.3, 11.7, 11.3, 11.3, 11.5};
    for (size_t i = 0; i < least.size(); ++i) {
        static constexpr std::array<const char*, 4> kNames{"normal", "protanopia", "deuteranopia", "tritanopia"};
        QTest::addRow("%s, %s", i < 4 ? "light" : "dark", kNames[i % 4])
            << (i >= 4) << static_cast<int>(i % 4) << least[i];
    }
}

void TestPalette::classesCanBeToldApart()
{
    QFETCH(bool, isDark);
    QFETCH(int, vision);
    QFETCH(double, least);
    const Theme& theme = isDark ? Theme::dark() : Theme::light();
    const Matrix& matrix = kVisions[static_cast<size_t>(vision)];
    double smallest = 1000;
    for (int i = 0; i < kClasses; ++i) {
        for (int k = i + 1; k < kClasses; ++k) {
            const auto one = static_cast<WorkClass>(i);
            const auto two = static_cast<WorkClass>(k);
            if (!neverMeet(one, two))
                smallest = std::min(
                    smallest, distance(labOf(theme.of(one).fill, matrix), labOf(theme.of(two).fill, matrix)));
        }
    }
    QVERIFY2(std::abs(smallest - least) < 0.06, qPrintable(QString::number(smallest)));
}

void TestPalette::classesStandOutFromTheLane()
{
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        const CellColors cells(*theme);
        for (const Matrix& matrix : kVisions) {
            const Lab lane = labOf(theme->lane, matrix);
            for (int c = 0; c < kClasses; ++c) {
                const auto cls = static_cast<WorkClass>(c);
                const double full = distance(labOf(theme->of(cls).fill, matrix), lane);
                QVERIFY2(full >= (theme->mode == ThemeMode::Light ? 14.45 : 17.95), qPrintable(QString::number(full)));
                const double faintest
                    = distance(labOf(QColor::fromRgb(cells.fill[lod::makeCell(1, cls)]), matrix), lane);
                QVERIFY2(faintest >= 4.85, qPrintable(QStringLiteral("%1: %2").arg(c).arg(faintest)));
            }
        }
    }
}

void TestPalette::labelsCanBeRead()
{
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        for (const ClassColor& color : theme->classes) {
            QVERIFY(contrastRatio(color.fill, color.label) >= (theme->mode == ThemeMode::Light ? 4.715 : 4.785));
            const QColor veiled = blend(color.fill, theme->veil, 0.5);
            const double best = std::max(contrastRatio(veiled, theme->ink), contrastRatio(veiled, theme->paper));
            QVERIFY2(best >= 5.1, qPrintable(QString::number(best)));
        }
    }
}

void TestPalette::textsCanBeRead()
{
    for (const Theme* t : {&Theme::light(), &Theme::dark()}) {
        for (const QColor& text : {t->text, t->text2, t->text3, t->accent, t->warn, t->error, t->ok}) {
            for (const QColor& under : {t->window, t->panel, t->bar, t->laneHead, t->group, t->hoverRow}) {
                const double contrast = contrastRatio(text, under);
                QVERIFY2(
                    contrast >= (t->mode == ThemeMode::Light ? 4.765 : 5.065), qPrintable(QString::number(contrast)));
            }
        }
        for (const QColor& line :
            {t->arrow, t->arrowForwardBackward, t->memoryAllocated, t->memoryReserved, t->hit, t->rangeFill})
            QVERIFY(contrastRatio(line, t->lane) >= (t->mode == ThemeMode::Light ? 5.85 : 7.45));
    }
}

/// A step's number is ink or paper, whichever can be read; look.md promises 4.96.
void TestPalette::numbersOnStepsCanBeRead()
{
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        for (const QColor& tint : theme->stepTints)
            QVERIFY(std::max(contrastRatio(theme->ink, tint), contrastRatio(theme->paper, tint)) >= 4.955);
    }
}

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
