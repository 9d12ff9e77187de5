#include "common/number_text.h"

#include <QPainter>

#include <algorithm>

namespace torchline {

NumberText::NumberText(const QFont& font)
    : m_font(font)
    , m_metrics(font)
    , m_digitAdvance(m_metrics.horizontalAdvance(u'0'))
{
    for (char16_t digit = u'1'; digit <= u'9'; ++digit) {
        const int advance = m_metrics.horizontalAdvance(QChar(digit));
        m_isEven = m_isEven && advance == m_digitAdvance;
        m_digitAdvance = std::max(m_digitAdvance, advance);
    }
}

int NumberText::advance(QChar c) const
{
    return c >= u'0' && c <= u'9' ? m_digitAdvance : m_metrics.horizontalAdvance(c);
}

int NumberText::width(const QString& text) const
{
    if (m_isEven)
        return m_metrics.horizontalAdvance(text);
    int sum = 0;
    for (const QChar c : text)
        sum += advance(c);
    return sum;
}

void NumberText::drawRight(QPainter* painter, const QRect& rect, const QString& text) const
{
    painter->setFont(m_font);
    if (m_isEven) {
        painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, text);
        return;
    }
    const int baseline = rect.top() + (rect.height() - m_metrics.height()) / 2 + m_metrics.ascent();
    int x = rect.left() + rect.width() - width(text);
    for (const QChar c : text) {
        const int room = advance(c);
        painter->drawText(x + (room - m_metrics.horizontalAdvance(c)) / 2, baseline, QString(c));
        x += room;
    }
}

} // namespace torchline
