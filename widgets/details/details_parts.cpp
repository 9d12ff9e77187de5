#include "details/details_parts.h"

#include "common/control_paint.h"
#include "common/tool_tip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextLayout>
#include <QToolTip>

namespace torchline {

namespace {

constexpr qsizetype kMostShown = 1500;
constexpr int kMostLines = 3;
constexpr int kSwatch = 12;
constexpr int kGap = 8;

} // namespace

NameTitle::NameTitle(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
}

void NameTitle::setText(const QString& text, const QColor& swatch)
{
    m_text = text;
    m_swatch = swatch;
    setAccessibleName(text.left(kMostShown));
    update();
}

QFont NameTitle::titleFont() const
{
    return Metrics(font()).paneTitle();
}

int NameTitle::indent() const
{
    return m_swatch.isValid() ? Metrics(font()).px(kSwatch) + kGap : 0;
}

QStringList NameTitle::linesFor(int width) const
{
    const QFont bold = titleFont();
    const QFontMetrics metrics(bold);
    const int room = std::max(width - indent(), metrics.averageCharWidth() * 2);
    const QString text = m_text.left(kMostShown);
    QTextLayout layout(text, bold);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAnywhere);
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    for (;;) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(room);
        if (lines.size() == kMostLines - 1) {
            lines.append(metrics.elidedText(m_text.mid(line.textStart(), kMostShown), Qt::ElideMiddle, room));
            break;
        }
        lines.append(text.mid(line.textStart(), line.textLength()).trimmed());
    }
    layout.endLayout();
    return lines;
}

int NameTitle::heightFor(int width) const
{
    const int lines = std::max<int>(1, static_cast<int>(linesFor(width).size()));
    return lines * QFontMetrics(titleFont()).lineSpacing();
}

void NameTitle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFontMetrics metrics(titleFont());
    painter.setFont(titleFont());
    if (m_swatch.isValid()) {
        const int size = Metrics(font()).px(kSwatch);
        painter.fillRect(0, (metrics.lineSpacing() - size) / 2, size, size, m_swatch);
    }
    painter.setPen(m_themes->theme().text);
    int y = 0;
    for (const QString& line : linesFor(width())) {
        painter.drawText(QRect(indent(), y, width() - indent(), metrics.lineSpacing()),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line);
        y += metrics.lineSpacing();
    }
}

bool NameTitle::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainToolTip(m_text), this);
        return true;
    }
    return QWidget::event(event);
}

SectionTitle::SectionTitle(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void SectionTitle::setText(const QString& text)
{
    m_text = text;
    setAccessibleName(text);
    update();
}

QSize SectionTitle::sizeHint() const
{
    return {0, QFontMetrics(Metrics(font()).tables()).height() + 6};
}

void SectionTitle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFont strong = Metrics(font()).scaled(0.92, QFont::DemiBold);
    const int used = QFontMetrics(strong).horizontalAdvance(m_text);
    painter.setFont(strong);
    painter.setPen(m_themes->theme().text2);
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, m_text);
    painter.setPen(m_themes->theme().separator);
    if (used + kGap < width())
        painter.drawLine(used + kGap, height() / 2, width() - 1, height() / 2);
}

LinkRow::LinkRow(ThemeHost* themes, DetailLink link, QString key, int labelWidth, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_link(std::move(link))
    , m_key(std::move(key))
    , m_label(new LinkLabel(themes, this))
    , m_labelWidth(labelWidth)
{
    setFont(Metrics(parent->font()).tables());
    m_label->setText(m_link.text);
    m_label->setAccessibleDescription(m_link.label);
    connect(m_label, &LinkLabel::activated, this, [this] { Q_EMIT activated(m_link); });
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

QSize LinkRow::sizeHint() const
{
    return {0, m_label->sizeHint().height()};
}

int LinkRow::keyWidth() const
{
    return m_key.isEmpty() ? 0 : std::max(fontMetrics().horizontalAdvance(m_key) + 8, 16) + kGap;
}

int LinkRow::noteWidth() const
{
    return m_link.note.isEmpty() ? 0 : fontMetrics().horizontalAdvance(m_link.note) + kGap;
}

void LinkRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int left = m_labelWidth - LinkLabel::kInset;
    const int room = width() - left - keyWidth() - std::min(noteWidth(), width() / 3);
    m_label->setGeometry(left, 0, std::max(0, std::min(room, m_label->sizeHint().width())), height());
}

void LinkRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const QFontMetrics metrics = fontMetrics();
    painter.setPen(theme.text2);
    painter.drawText(QRect(0, 0, m_labelWidth - 4, height()), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        metrics.elidedText(m_link.label, Qt::ElideRight, m_labelWidth - 4));
    int right = width();
    if (!m_key.isEmpty()) {
        const int size = keyWidth() - kGap;
        const QRect frame(right - size, (height() - metrics.height()) / 2, size, metrics.height());
        drawControlFrame(&painter, frame, theme.panel, theme.border);
        painter.drawText(frame, Qt::AlignCenter | Qt::TextSingleLine, m_key);
        right -= size + kGap;
    }
    if (!m_link.note.isEmpty()) {
        const int left = m_label->geometry().right() + 1;
        painter.drawText(QRect(left, 0, right - left, height()), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
            metrics.elidedText(m_link.note, Qt::ElideRight, right - left));
    }
}

} // namespace torchline
