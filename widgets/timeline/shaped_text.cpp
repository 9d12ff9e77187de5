#include "timeline/shaped_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace torchline {

namespace {

constexpr QChar kEllipsis(0x2026);
constexpr QChar kRightToLeftMark(0x200F);

} // namespace

LabelFont::LabelFont(const QFont& font)
    : m_font(font)
    , m_raw(QRawFont::fromFont(font))
{
    const QFontMetricsF metrics(font);
    m_ascent = metrics.ascent();
    m_height = metrics.height();
    m_ellipsisWidth = metrics.horizontalAdvance(kEllipsis);
}

ShapedText::ShapedText(const LabelFont& font, const QString& text)
    : m_text(text)
{
    const bool isPlain = !text.isRightToLeft() && std::ranges::none_of(text, [](QChar c) {
        return c.isSurrogate() || c.isMark() || c.direction() == QChar::DirR || c.direction() == QChar::DirAL;
    });
    const QList<quint32> glyphs = isPlain ? font.raw().glyphIndexesForString(text) : QList<quint32>();
    if (glyphs.size() == text.size() && !glyphs.contains(0u))
        placeGlyphs(font, glyphs);
    else
        placeCharacters(font);
}

void ShapedText::placeGlyphs(const LabelFont& font, const QList<quint32>& glyphs)
{
    m_glyphs.assign(glyphs.begin(), glyphs.end());
    double x = 0;
    for (const QPointF& advance : font.raw().advancesForGlyphIndexes(glyphs)) {
        m_places.emplace_back(x, 0);
        x += advance.x();
        m_ends.push_back(x);
    }
}

void ShapedText::placeCharacters(const LabelFont& font)
{
    m_wholeWidth = QFontMetricsF(font.font()).horizontalAdvance(m_text);
    constexpr double kOneLine = 1e6;
    QTextLayout layout(m_text, font.font());
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid())
        line.setLineWidth(kOneLine);
    layout.endLayout();
    if (!line.isValid() || line.textLength() != m_text.size())
        return;
    const double origin = line.cursorToX(0);
    double begin = 0;
    for (int at = 0; at < m_text.size();) {
        const int next = layout.nextCursorPosition(at);
        const double end = std::abs(line.cursorToX(next) - origin);
        if (next <= at || end < begin) { // it turns round
            m_places.clear();
            m_ends.clear();
            return;
        }
        m_places.insert(m_places.end(), static_cast<size_t>(next - at), QPointF(begin, 0));
        m_ends.insert(m_ends.end(), static_cast<size_t>(next - at), end);
        begin = end;
        at = next;
    }
}

QString ShapedText::cutText(int head, int tail) const
{
    QString text = m_text.left(head) + kEllipsis + m_text.right(tail);
    // An ellipsis at the end stands where reading ends.
    if (tail == 0 && m_text.isRightToLeft())
        text += kRightToLeftMark;
    return text;
}

int ShapedText::headFitting(double width) const
{
    return static_cast<int>(std::ranges::upper_bound(m_ends, width) - m_ends.begin());
}

int ShapedText::tailFitting(double width) const
{
    const double from = this->width() - width;
    // First character that begins at or after `from`.
    const auto at = std::ranges::lower_bound(m_places, from, {}, [](const QPointF& place) { return place.x(); });
    return static_cast<int>(m_places.end() - at);
}

void ShapedText::drawGlyphs(QPainter& painter, QPointF pos, const LabelFont& font, int begin, int end) const
{
    if (begin >= end)
        return;
    QGlyphRun run;
    run.setRawFont(font.raw());
    run.setRawData(m_glyphs.data() + begin, m_places.data() + begin, end - begin);
    painter.drawGlyphRun(pos - m_places[static_cast<size_t>(begin)], run);
}

void ShapedText::draw(QPainter& painter, QPointF pos, const LabelFont& font, bool asText) const
{
    if (!m_glyphs.empty() && !asText) {
        drawGlyphs(painter, pos, font, 0, static_cast<int>(m_glyphs.size()));
        return;
    }
    painter.setFont(font.font());
    painter.drawText(pos, m_text);
}

void ShapedText::drawCut(QPainter& painter, QPointF pos, const LabelFont& font, int head, int tail, bool asText) const
{
    if (asText || m_glyphs.empty()) {
        painter.setFont(font.font());
        painter.drawText(pos, cutText(head, tail));
        return;
    }
    const int count = static_cast<int>(m_glyphs.size());
    drawGlyphs(painter, pos, font, 0, head);
    pos.rx() += headWidth(head);
    painter.setFont(font.font());
    painter.drawText(pos, QString(kEllipsis));
    pos.rx() += font.ellipsisWidth();
    drawGlyphs(painter, pos, font, count - tail, count);
}

} // namespace torchline
