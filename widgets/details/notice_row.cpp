#include "details/notice_row.h"

#include "common/icon.h"

#include <QPainter>

namespace torchline {

namespace {

constexpr int kEdge = 12;
constexpr int kPad = 7;
constexpr int kWrap = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap | Qt::TextWrapAnywhere;

} // namespace

NoticeRow::NoticeRow(ThemeHost* themes, QString icon, QColor Theme::*color, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_icon(std::move(icon))
    , m_color(color)
{
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void NoticeRow::setTexts(const QString& title, const QStringList& evidence, const QString& count)
{
    m_title = title;
    m_evidence = evidence;
    m_count = count;
    setAccessibleName(title);
    setAccessibleDescription(evidence.join(u'\n'));
    update();
}

void NoticeRow::setTarget(SliceRef target)
{
    if (!target.isValid())
        return;
    m_go = new PaneButton(m_themes, PaneButton::Look::Framed, {}, tr("Go to a slice it concerns"), this);
    m_go->setLabel(tr("Go to"));
    connect(m_go, &QAbstractButton::clicked, this, [this, target] { Q_EMIT targetRequested(target); });
    m_go->show();
}

QFont NoticeRow::titleFont() const
{
    return Metrics(font()).scaled(1.0, QFont::DemiBold);
}

QFont NoticeRow::textFont() const
{
    return Metrics(font()).tables();
}

int NoticeRow::textLeft() const
{
    return kEdge + Metrics(font()).px(16) + 8;
}

int NoticeRow::countWidth() const
{
    return m_count.isEmpty() ? 0 : QFontMetrics(textFont()).horizontalAdvance(m_count) + 12;
}

int NoticeRow::textWidth(int width) const
{
    const int button = m_go != nullptr ? m_go->sizeHint().width() + 6 : 0;
    return std::max(60, width - textLeft() - countWidth() - button - kEdge);
}

int NoticeRow::heightFor(int width) const
{
    const QRect room(0, 0, textWidth(width), 10'000);
    int height = QFontMetrics(titleFont()).boundingRect(room, kWrap, m_title).height();
    for (const QString& line : m_evidence)
        height += QFontMetrics(textFont()).boundingRect(room, kWrap, line).height() + 1;
    return height + 2 * kPad + 1;
}

void NoticeRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const int icon = Metrics(font()).px(16);
    const QFontMetrics title(titleFont());
    painter.drawPixmap(
        kEdge, kPad + (title.height() - icon) / 2, tintedPixmap(m_icon, theme.*m_color, icon, devicePixelRatioF()));
    QRect room(textLeft(), kPad, textWidth(width()), height());
    painter.setFont(titleFont());
    painter.setPen(theme.text);
    QRect used;
    painter.drawText(room, kWrap, m_title, &used);
    room.setTop(used.bottom() + 2);
    painter.setFont(textFont());
    painter.setPen(theme.text2);
    for (const QString& line : m_evidence) {
        painter.drawText(room, kWrap, line, &used);
        room.setTop(used.bottom() + 2);
    }
    if (!m_count.isEmpty()) {
        const int right = width() - kEdge - (m_go != nullptr ? m_go->sizeHint().width() + 6 : 0);
        painter.drawText(
            QRect(0, 0, right, height() - 1), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, m_count);
    }
    painter.setPen(theme.separator);
    painter.drawLine(kEdge, height() - 1, width() - kEdge, height() - 1);
}

void NoticeRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_go == nullptr)
        return;
    const QSize size = m_go->sizeHint();
    m_go->setGeometry(width() - kEdge - size.width() + 3, (height() - size.height()) / 2, size.width(), size.height());
}

} // namespace torchline
