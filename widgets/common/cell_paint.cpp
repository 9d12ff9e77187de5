#include "common/cell_paint.h"

#include <QPainter>

#include <algorithm>

namespace torchline {

CellStyle::CellStyle(const QFont& base)
    : body(Metrics(base).tables())
    , strong(Metrics(base).scaled(0.92, QFont::DemiBold))
{
    const Metrics metrics(base);
    for (int* size : {&padding, &swatch, &gap, &bar, &barHeight, &arrow, &rowHeight, &headHeight})
        *size = metrics.px(*size);
}

int CellStyle::widthFor(const ColumnFormat& format, const QString& title, const QString& footer) const
{
    int content = format.isNumber() ? body.width(format.widest) : std::min(textWidth(format.widest), 30 * padding);
    if (!footer.isEmpty())
        content = std::max(content, strong.width(footer));
    if (format.unit == ColumnUnit::Percent)
        content += bar + gap;
    return std::max(content, strong.width(title) + arrow + 4) + 2 * padding;
}

int CellStyle::nameWidth(const QString& text, bool hasSwatch) const
{
    return textWidth(text) + 2 * padding + (hasSwatch ? swatch + gap : 0);
}

/// Words are drawn as the font sets them; only figures have digits of one width.
int CellStyle::textWidth(const QString& text) const
{
    return QFontMetrics(body.font()).horizontalAdvance(text) + 2;
}

CellDelegate::CellDelegate(ThemeHost* themes, const TableModel* model, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_themes(themes)
    , m_model(model)
    , m_style(QFont())
{
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    return {m_style.nameWidth(index.data().toString(), false), m_style.rowHeight};
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = m_themes->theme();
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isActive = option.state.testFlag(QStyle::State_Active);
    const bool hasFocus = option.state.testFlag(QStyle::State_HasFocus);
    if (isSelected)
        painter->fillRect(option.rect, isActive ? theme.selectedRow : theme.selectedRowInactive);
    else if (index.row() == m_hoveredRow)
        painter->fillRect(option.rect, theme.hoverRow);

    const Cell& cell = m_model->cell(index.row(), index.column());
    const ColumnFormat& format = m_model->format(index.column());
    const bool isUnknown = std::holds_alternative<std::monostate>(cell);
    const auto row = static_cast<size_t>(index.row());
    const auto column = static_cast<size_t>(index.column());
    const QString text = shownText(*m_model->shown(), row, column);
    painter->setPen(isUnknown ? (isSelected ? theme.text2 : theme.text3) : theme.text);
    QRect inner = option.rect.adjusted(m_style.padding, 0, -m_style.padding, 0);
    if (index.column() == 0) {
        paintName(painter, inner, index, text);
    } else if (!format.isNumber()) {
        painter->setFont(m_style.body.font());
        painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
            QFontMetrics(m_style.body.font()).elidedText(text, Qt::ElideMiddle, inner.width()));
    } else {
        m_style.body.drawRight(painter, inner, text);
        if (const std::optional<double> share = shareOf(cell, format.unit)) {
            inner.setRight(inner.right() - m_style.body.width(format.widest) - m_style.gap);
            paintShare(painter, inner, *share, isZeroShare(*m_model->shown(), row, column));
        }
    }
    if (hasFocus && !isSelected) { // the current row, moved with Ctrl
        painter->setPen(theme.accent);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    }
}

void CellDelegate::paintName(QPainter* painter, QRect rect, const QModelIndex& index, const QString& text) const
{
    const ShownTable& shown = *m_model->shown();
    if (!shown.traits->classes.empty()) {
        const WorkClass cls = shown.rowClass(static_cast<size_t>(index.row()));
        const QRect square(
            rect.left(), rect.top() + (rect.height() - m_style.swatch) / 2, m_style.swatch, m_style.swatch);
        painter->fillRect(square, m_themes->theme().of(cls).fill);
        rect.setLeft(square.right() + 1 + m_style.gap);
    }
    painter->setFont(m_style.body.font());
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
        QFontMetrics(m_style.body.font()).elidedText(text, Qt::ElideMiddle, rect.width()));
}

void CellDelegate::paintShare(QPainter* painter, const QRect& rect, double share, bool isZero) const
{
    const Theme& theme = m_themes->theme();
    const QRect track(rect.right() + 1 - m_style.bar, rect.top() + (rect.height() - m_style.barHeight) / 2, m_style.bar,
        m_style.barHeight);
    painter->fillRect(track, theme.idle);
    if (isZero)
        return;
    QRect filled = track;
    filled.setWidth(std::max(1, static_cast<int>(share * track.width() + 0.5)));
    painter->fillRect(filled, theme.cellBar);
}

} // namespace torchline
