#include "timeline/tip_widget.h"

#include "common/text_cut.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QScreen>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLeastWidth = 300;
constexpr int kMostWidth = 420;
constexpr int kPadding = 12;
constexpr int kShadow = 4;
constexpr int kRadius = 3;
constexpr int kMostTitleLines = 3;
constexpr int kAway = 16; ///< from the pointer

/// Lines of at most this width, broken anywhere; the last one cut in its middle if more would follow.
QStringList brokenLines(const QFontMetrics& metrics, const QString& text, int width, int mostLines)
{
    QStringList lines;
    for (const QString& paragraph : text.split(u'\n')) {
        QString rest = paragraph;
        while (!rest.isEmpty() && lines.size() < mostLines) {
            if (metrics.horizontalAdvance(rest) <= width) {
                lines.append(rest);
                rest.clear();
                break;
            }
            if (lines.size() + 1 == mostLines) {
                lines.append(metrics.elidedText(rest, Qt::ElideMiddle, width));
                rest.clear();
                break;
            }
            qsizetype count = 1;
            while (count < rest.size() && metrics.horizontalAdvance(rest.left(count + 1)) <= width)
                ++count;
            count = std::max(cutBefore(rest, count), cutAfter(rest, 1));
            // Preferably behind a blank or a sign.
            for (qsizetype at = count; at > count * 2 / 3; --at) {
                if (!rest[at - 1].isLetterOrNumber() && rest[at - 1] != u'_' && cutBefore(rest, at) == at) {
                    count = at;
                    break;
                }
            }
            lines.append(rest.left(count).trimmed());
            rest = rest.mid(count);
        }
    }
    return lines;
}

/// All but the corners.
QRegion bodyRegion(QSize size)
{
    QPainterPath path;
    path.addRoundedRect(QRectF(QPointF(), QSizeF(size)), kRadius, kRadius);
    return QRegion(path.toFillPolygon().toPolygon());
}

} // namespace

TipWidget::TipWidget(QWidget* parent)
    : QWidget(
        parent, Qt::ToolTip | Qt::FramelessWindowHint | Qt::NoDropShadowWindowHint | Qt::WindowTransparentForInput)
    , m_isBlended(QGuiApplication::platformName() != u"xcb"_s) // X11 may have no compositor: black would show
{
    setAttribute(Qt::WA_TranslucentBackground, m_isBlended);
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
}

TipWidget::Lines TipWidget::measure() const
{
    const QFontMetrics titleMetrics(m_style->groupFont());
    const QFontMetrics metrics(m_style->noteFont());
    const QFontMetrics hintMetrics(m_style->laneFont());
    const int swatch = m_content.swatch ? 18 : 0;
    int inner = std::max(
        titleMetrics.horizontalAdvance(m_content.title) + swatch, hintMetrics.horizontalAdvance(m_content.hint));
    for (const auto& [label, value] : m_content.pairs)
        inner = std::max(inner, metrics.horizontalAdvance(label) + 24 + metrics.horizontalAdvance(value));
    inner = std::max(inner, std::min(metrics.horizontalAdvance(m_content.text), kMostWidth));
    Lines lines;
    const bool isSmall = m_content.pairs.empty();
    inner = std::clamp(inner, isSmall ? 40 : kLeastWidth - 2 * kPadding, kMostWidth - 2 * kPadding);
    constexpr int kMostTextLines = 8;
    lines.title = brokenLines(titleMetrics, m_content.title, inner - swatch, kMostTitleLines);
    lines.text = brokenLines(metrics, m_content.text, inner, kMostTextLines);
    const int pairLine = metrics.height() + 4;
    int height = 2 * (kPadding - 2) + static_cast<int>(lines.title.size()) * titleMetrics.height();
    height += static_cast<int>(lines.text.size()) * metrics.height()
        + (lines.title.isEmpty() || lines.text.isEmpty() ? 0 : 4);
    if (!m_content.pairs.empty())
        height += 6 + static_cast<int>(m_content.pairs.size()) * pairLine;
    if (!m_content.hint.isEmpty())
        height += 11 + hintMetrics.height();
    lines.width = inner + 2 * kPadding;
    lines.height = height;
    return lines;
}

int TipWidget::shadow() const
{
    return m_isBlended ? kShadow : 0;
}

void TipWidget::showAt(const TipContent& content, QPoint pointer, const QRect& avoid)
{
    m_content = content;
    m_lines = measure();
    resize(m_lines.width + shadow(), m_lines.height + shadow());
    if (!m_isBlended)
        setMask(bodyRegion(size()));
    const QScreen* screen = QGuiApplication::screenAt(pointer);
    if (!screen)
        screen = QGuiApplication::primaryScreen();
    const QRect room = screen->availableGeometry();
    QPoint at = pointer + QPoint(kAway, kAway);
    if (at.x() + width() > room.right())
        at.setX(pointer.x() - kAway / 2 - width());
    at.setX(std::clamp(at.x(), room.left(), std::max(room.right() - width(), room.left())));
    if (QRect(at, size()).intersects(avoid))
        at.setY(avoid.bottom() + kAway / 2);
    if (at.y() + height() > room.bottom())
        at.setY(std::min(pointer.y(), avoid.isNull() ? pointer.y() : avoid.top()) - kAway / 2 - height());
    at.setY(std::clamp(at.y(), room.top(), std::max(room.bottom() - height(), room.top())));
    move(at);
    setAccessibleName(content.title);
    show();
    update();
}

void TipWidget::paintEvent(QPaintEvent* event)
{
    Q_UNUSED(event)
    const Theme& theme = m_style->theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF body(0.5, 0.5, m_lines.width - 1, m_lines.height - 1);
    painter.setPen(Qt::NoPen);
    for (int i = shadow(); i > 0; --i) {
        painter.setBrush(QColor(0, 0, 0, 10));
        painter.drawRoundedRect(body.translated(i / 2.0, i / 1.5).adjusted(0, 0, i / 2.0, i / 2.0), kRadius, kRadius);
    }
    painter.setPen(theme.border);
    painter.setBrush(theme.tip);
    painter.drawRoundedRect(body, kRadius, kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const QFontMetrics titleMetrics(m_style->groupFont());
    const QFontMetrics metrics(m_style->noteFont());
    const QFontMetrics hintMetrics(m_style->laneFont());
    const int right = m_lines.width - kPadding;
    int y = kPadding - 2;
    int left = kPadding;
    if (m_content.swatch) {
        painter.fillRect(QRect(left, y + (titleMetrics.height() - 10) / 2, 10, 10), *m_content.swatch);
        left += 18;
    }
    painter.setFont(m_style->groupFont());
    painter.setPen(theme.text);
    for (const QString& line : m_lines.title) {
        painter.drawText(left, y + titleMetrics.ascent(), line);
        y += titleMetrics.height();
    }
    painter.setFont(m_style->noteFont());
    if (!m_lines.text.isEmpty() && !m_lines.title.isEmpty())
        y += 4;
    painter.setPen(m_lines.title.isEmpty() ? theme.text : theme.text2);
    for (const QString& line : m_lines.text) {
        painter.drawText(kPadding, y + metrics.ascent(), line);
        y += metrics.height();
    }
    if (!m_content.pairs.empty())
        y += 6;
    for (const auto& [label, value] : m_content.pairs) {
        const int labelWidth = metrics.horizontalAdvance(label);
        const QString shown = metrics.elidedText(value, Qt::ElideMiddle, right - kPadding - labelWidth - 16);
        painter.setPen(theme.text2);
        painter.drawText(kPadding, y + 2 + metrics.ascent(), label);
        painter.setPen(theme.text);
        painter.drawText(right - metrics.horizontalAdvance(shown), y + 2 + metrics.ascent(), shown);
        y += metrics.height() + 4;
    }
    if (m_content.hint.isEmpty())
        return;
    y += 5;
    painter.fillRect(kPadding, y, right - kPadding, 1, theme.separator);
    y += 6;
    painter.setFont(m_style->laneFont());
    painter.setPen(theme.text2);
    painter.drawText(kPadding, y + hintMetrics.ascent(), m_content.hint);
}

} // namespace torchline
