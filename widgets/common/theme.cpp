#include "common/theme.h"

#include <QFontInfo>

#include <algorithm>
#include <cmath>

namespace torchline {

namespace {

QColor rgb(uint32_t value)
{
    return QColor::fromRgb(0xFF000000u | value);
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

Theme makeLight()
{
    Theme t;
    t.mode = ThemeMode::Light;
    t.window = rgb(0xF1F3F5), t.panel = rgb(0xFFFFFF), t.bar = rgb(0xF8F9FA);
    t.lane = rgb(0xFFFFFF), t.laneHead = rgb(0xF8F9FA), t.group = rgb(0xE9ECF0);
    t.separator = rgb(0xDDE1E6), t.border = rgb(0xC6CCD4), t.field = rgb(0xFFFFFF);
    t.gridMajor = rgb(0xDFE3E8), t.gridMinor = rgb(0xF0F2F4), t.ruler = rgb(0xF8F9FA);
    t.text = rgb(0x1B1F24), t.text2 = rgb(0x4C5560), t.text3 = rgb(0x5F6873);
    t.accent = rgb(0x1860C4), t.accentFill = rgb(0x1860C4), t.onAccent = rgb(0xFFFFFF);
    t.selectedRow = rgb(0xD3E4FA), t.selectedRowInactive = rgb(0xE3E7EC), t.hoverRow = rgb(0xEDF3FB);
    t.selectionOuter = rgb(0x14171A), t.selectionInner = rgb(0xFFFFFF);
    t.rangeFill = rgb(0x1860C4), t.veil = rgb(0xE6E9ED), t.hit = rgb(0xC2006B), t.cursor = rgb(0x1B1F24);
    t.warn = rgb(0x8A5300), t.warnBackground = rgb(0xFFF2D9);
    t.error = rgb(0xB3261E), t.errorBackground = rgb(0xFCE9E7), t.record = rgb(0xC62828);
    t.ok = rgb(0x1D7443), t.idle = rgb(0xE6E9ED), t.tip = rgb(0xFFFFFF);
    t.memoryAllocated = rgb(0x2B63B5), t.memoryReserved = rgb(0x5F5A50), t.peak = rgb(0xB3261E);
    t.arrow = rgb(0x14171A), t.arrowForwardBackward = rgb(0xA30064);
    t.ink = rgb(0x14171A), t.paper = rgb(0xFFFFFF), t.cellBar = rgb(0xA9C6EC);
    const QColor ink = t.ink;
    const QColor paper = t.paper;
    t.classes = {{{rgb(0x485767), paper}, {rgb(0xD0C5B6), ink}, {rgb(0xADC0C6), ink}, {rgb(0x5980D8), ink},
        {rgb(0x11ABC4), ink}, {rgb(0xE6C741), ink}, {rgb(0xDA8124), ink}, {rgb(0x7DA86F), ink}, {rgb(0xB0EC9F), ink},
        {rgb(0x157652), paper}, {rgb(0x858779), ink}, {rgb(0x7E48A7), paper}, {rgb(0x9C9198), ink},
        {rgb(0xB32D3A), paper}}};
    t.stepTints = {rgb(0xD9E4F1), rgb(0xB4CAE5), rgb(0x88ADD8), rgb(0x5C8FC9), rgb(0x2C68AE)};
    return t;
}

Theme makeDark()
{
    Theme t;
    t.mode = ThemeMode::Dark;
    t.window = rgb(0x1C2025), t.panel = rgb(0x15181C), t.bar = rgb(0x20242A);
    t.lane = rgb(0x15181C), t.laneHead = rgb(0x1B1F24), t.group = rgb(0x262B32);
    t.separator = rgb(0x2C323A), t.border = rgb(0x3C444E), t.field = rgb(0x121519);
    t.gridMajor = rgb(0x2A3038), t.gridMinor = rgb(0x1D2126), t.ruler = rgb(0x1B1F24);
    t.text = rgb(0xE4E7EB), t.text2 = rgb(0xB3BBC5), t.text3 = rgb(0x929BA7);
    t.accent = rgb(0x7AB2FA), t.accentFill = rgb(0x2C68C4), t.onAccent = rgb(0xFFFFFF);
    t.selectedRow = rgb(0x21406C), t.selectedRowInactive = rgb(0x2C333C), t.hoverRow = rgb(0x242B34);
    t.selectionOuter = rgb(0xFFFFFF), t.selectionInner = rgb(0x0B0D10);
    t.rangeFill = rgb(0x7AB2FA), t.veil = rgb(0x0B0D10), t.hit = rgb(0xFF7FBE), t.cursor = rgb(0xE4E7EB);
    t.warn = rgb(0xF0B856), t.warnBackground = rgb(0x3A2E14);
    t.error = rgb(0xFF8A80), t.errorBackground = rgb(0x401D1B), t.record = rgb(0xE5484D);
    t.ok = rgb(0x6FCF97), t.idle = rgb(0x262B32), t.tip = rgb(0x262B32);
    t.memoryAllocated = rgb(0x7AB2FA), t.memoryReserved = rgb(0xB0A898), t.peak = rgb(0xFF8A80);
    t.arrow = rgb(0xFFFFFF), t.arrowForwardBackward = rgb(0xFF9BCF);
    t.ink = rgb(0x0B0D10), t.paper = rgb(0xFFFFFF), t.cellBar = rgb(0x2F5388);
    const QColor ink = t.ink;
    const QColor paper = t.paper;
    t.classes = {{{rgb(0x8788AF), ink}, {rgb(0x504C46), paper}, {rgb(0x4F5A6B), paper}, {rgb(0x4782E9), ink},
        {rgb(0x5AB3AA), ink}, {rgb(0xDBB749), ink}, {rgb(0xD37025), ink}, {rgb(0x6B9A6F), ink}, {rgb(0xA0DC98), ink},
        {rgb(0x275F4D), paper}, {rgb(0x70724E), paper}, {rgb(0x8D51A0), paper}, {rgb(0x857B86), ink},
        {rgb(0xCB1D24), paper}}};
    t.stepTints = {rgb(0x27323F), rgb(0x2F4765), rgb(0x3B628F), rgb(0x4E83C2), rgb(0x86B5EC)};
    return t;
}

} // namespace

const Theme& Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::dark()
{
    static const Theme theme = makeDark();
    return theme;
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, panel);
    p.setColor(QPalette::AlternateBase, panel);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, text3);
    p.setColor(QPalette::Button, bar);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, error);
    p.setColor(QPalette::ToolTipBase, tip);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, selectedRow);
    p.setColor(QPalette::HighlightedText, text);
    p.setColor(QPalette::Inactive, QPalette::Highlight, selectedRowInactive);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::Light, panel);
    p.setColor(QPalette::Midlight, separator);
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, border);
    p.setColor(QPalette::Shadow, blend(window, QColor(Qt::black), 0.5));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, blend(window, text3, 0.75));
    return p;
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor blend(const QColor& under, const QColor& over, double share)
{
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue()));
}

Metrics::Metrics(const QFont& base)
    : m_base(base)
    , m_basePx(QFontInfo(base).pixelSize())
    , m_unit(m_basePx / 13.0)
{
}

QFont Metrics::scaled(double factor, QFont::Weight weight) const
{
    QFont font = m_base;
    font.setPixelSize(std::max(10, static_cast<int>(std::lround(m_basePx * factor))));
    font.setWeight(weight);
    // Fonts put other signs in place of letters side by side: names of a file are shown as they are in it (not 2×4 for
    // 2x4). Scripts that need shaping get it all the same.
    font.setStyleStrategy(static_cast<QFont::StyleStrategy>(font.styleStrategy() | QFont::PreferNoShaping));
    return font;
}

} // namespace torchline
