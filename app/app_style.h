#pragma once
// AppStyle: Fusion with the tokens of the theme: flat buttons and fields, tabs with an accent line and a badge, thin
// scroll bars and dock borders. The same on every desktop. Thread: GUI thread only.
//
// A tab whose text ends in kBadgeMark and a number shows the number in a badge.

#include "common/theme_host.h"

#include <QProxyStyle>

namespace torchline {

class AppStyle : public QProxyStyle {
    Q_OBJECT

public:
    static constexpr QChar kBadgeMark{0x2003}; ///< EM SPACE, read as a blank by screen readers

    explicit AppStyle(ThemeHost* themes);

    void drawPrimitive(
        PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(
        ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(
        ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const override;
    [[nodiscard]] QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
        const QWidget* widget) const override;
    [[nodiscard]] QRect subElementRect(
        SubElement element, const QStyleOption* option, const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(
        StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override;

private:
    [[nodiscard]] const Theme& theme() const { return m_themes->theme(); }
    void drawTab(const QStyleOption* option, QPainter* painter) const;
    void drawTabLabel(const QStyleOption* option, QPainter* painter) const;
    void drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
    void drawComboBox(const QStyleOptionComplex* option, QPainter* painter) const;

    ThemeHost* m_themes;
};

} // namespace torchline
