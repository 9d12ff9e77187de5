#include "common/table_header.h"

#include "common/control_paint.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace torchline {

TableHeader::TableHeader(ThemeHost* themes, const TableModel* model, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent)
    , m_themes(themes)
    , m_model(model)
    , m_style(QFont())
{
    setSectionsClickable(true);
    setSectionResizeMode(QHeaderView::Interactive);
    setMinimumSectionSize(24);
    setHighlightSections(false);
    setMouseTracking(true);
    setAccessibleName(tr("Columns"));
}

void TableHeader::setStyle(const CellStyle& style)
{
    m_style = style;
    updateGeometry();
    viewport()->update();
}

QSize TableHeader::sizeHint() const
{
    return {QHeaderView::sizeHint().width(), m_style.headHeight};
}

void TableHeader::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    const Theme& theme = m_themes->theme();
    painter.fillRect(viewport()->rect(), theme.bar);
    painter.setPen(theme.separator);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    painter.end();
    QHeaderView::paintEvent(event);
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Theme& theme = m_themes->theme();
    painter->save();
    painter->fillRect(rect, theme.bar);
    painter->setPen(theme.separator);
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    if (visualIndex(section) > 0)
        painter->drawLine(rect.left(), rect.top() + 5, rect.left(), rect.bottom() - 5);

    const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    const bool isNumber = m_model->format(section).isNumber();
    const NumberText& text = isSorted ? m_style.strong : m_style.body;
    QRect inner = rect.adjusted(m_style.padding, 0, -m_style.padding, 0);
    const QString title = m_model->columnTitle(section);
    painter->setPen(isSorted ? theme.text : theme.text2);
    painter->setFont(text.font());
    if (isSorted) {
        const int room = m_style.arrow + 4;
        const int titleWidth = std::min(text.width(title), inner.width() - room);
        const int left = isNumber ? inner.right() + 1 - m_style.arrow : inner.left() + titleWidth + 4;
        drawChevron(painter, QRect(left, inner.top(), m_style.arrow, inner.height()), theme.text2,
            sortIndicatorOrder() == Qt::AscendingOrder);
        inner.setRight(isNumber ? inner.right() - room : inner.left() + titleWidth);
    }
    painter->drawText(inner,
        static_cast<int>((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter) | Qt::TextSingleLine,
        QFontMetrics(text.font()).elidedText(title, Qt::ElideRight, inner.width() + 1));
    painter->restore();
}

TableFooter::TableFooter(ThemeHost* themes, const TableModel* model, const QHeaderView* header, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_model(model)
    , m_header(header)
    , m_style(QFont())
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    connect(header, &QHeaderView::sectionResized, this, qOverload<>(&QWidget::update));
    connect(model, &QAbstractItemModel::modelReset, this, qOverload<>(&QWidget::update));
}

void TableFooter::setStyle(const CellStyle& style)
{
    m_style = style;
    updateGeometry();
    update();
}

QSize TableFooter::sizeHint() const
{
    return {0, m_style.headHeight};
}

void TableFooter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    painter.fillRect(rect(), theme.bar);
    painter.setPen(theme.border);
    painter.drawLine(0, 0, width(), 0);
    if (m_model->shown() == nullptr)
        return;
    const TableTraits& traits = *m_model->shown()->traits;
    painter.setPen(theme.text);
    for (int column = 0; column < m_model->columnCount(); ++column) {
        if (m_header->isSectionHidden(column))
            continue;
        const QRect place(m_header->sectionViewportPosition(column), 1, m_header->sectionSize(column), height() - 1);
        const QRect inner = place.adjusted(m_style.padding, 0, -m_style.padding, 0);
        const Cell& cell = traits.footer[static_cast<size_t>(column)];
        if (column == 0) {
            const int indent = traits.classes.empty() ? 0 : m_style.swatch + m_style.gap;
            painter.setFont(m_style.strong.font());
            painter.drawText(inner.adjusted(indent, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                QFontMetrics(m_style.strong.font())
                    .elidedText(traits.footerTitle, Qt::ElideRight, inner.width() - indent));
        } else if (!std::holds_alternative<std::monostate>(cell)) {
            m_style.strong.drawRight(&painter, inner, shownText(cell, traits.formats[static_cast<size_t>(column)]));
        }
    }
}

bool TableFooter::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_model->shown() != nullptr) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int column = m_header->logicalIndexAt(help->pos().x());
        QToolTip::showText(help->globalPos(), column > 0 ? m_model->footerTip(column) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace torchline
