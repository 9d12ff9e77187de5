#pragma once
// Digits that line up: text drawn with every digit at the widest digit's advance where the font has uneven ones
// (Qt 6.4 cannot ask a font for its tabular figures). Thread: GUI thread only.

#include <QFont>
#include <QFontMetrics>
#include <QRect>
#include <QString>

class QPainter;

namespace torchline {

class NumberText {
public:
    explicit NumberText(const QFont& font);

    [[nodiscard]] const QFont& font() const { return m_font; }
    [[nodiscard]] int width(const QString& text) const;
    /// On one line, centred vertically, ending at the right edge; the painter's pen and font are used as they are set
    /// here: the font is this one's.
    void drawRight(QPainter* painter, const QRect& rect, const QString& text) const;

private:
    [[nodiscard]] int advance(QChar c) const;

    QFont m_font;
    QFontMetrics m_metrics;
    int m_digitAdvance = 0;
    bool m_isEven = true; ///< all digits of the font have one advance
};

} // namespace torchline
