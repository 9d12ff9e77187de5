#include "common/table_model.h"

#include "common/let_go.h"
#include "common/tool_tip.h"

#include <algorithm>
#include <utility>

namespace torchline {

TableModel::TableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void TableModel::setTable(std::shared_ptr<const ShownTable> table)
{
    beginResetModel();
    letGo(std::exchange(m_shown, std::move(table)));
    endResetModel();
}

void TableModel::reorder(std::shared_ptr<const ShownTable> table)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<uint32_t>& sources = table->table.sourceRows;
    std::vector<int> rowOfSource;
    const QModelIndexList before = persistentIndexList();
    if (!before.isEmpty() && !sources.empty())
        rowOfSource.resize(*std::ranges::max_element(sources) + size_t{1}, -1);
    for (size_t row = 0; row < sources.size() && !rowOfSource.empty(); ++row)
        rowOfSource[sources[row]] = static_cast<int>(row);
    QModelIndexList after;
    after.reserve(before.size());
    for (const QModelIndex& index : before) {
        const uint32_t source = m_shown->table.sourceRows[static_cast<size_t>(index.row())];
        after.append(createIndex(rowOfSource[source], index.column()));
    }
    letGo(std::exchange(m_shown, std::move(table)));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_shown ? 0 : static_cast<int>(m_shown->table.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_shown ? 0 : static_cast<int>(m_shown->table.columns.size());
}

const Cell& TableModel::cell(int row, int column) const
{
    return m_shown->table.rows[static_cast<size_t>(row)][static_cast<size_t>(column)];
}

const ColumnFormat& TableModel::format(int column) const
{
    return m_shown->traits->formats[static_cast<size_t>(column)];
}

const std::string& TableModel::columnKey(int column) const
{
    return m_shown->table.columns[static_cast<size_t>(column)].key;
}

QString TableModel::columnTitle(int column) const
{
    return displayText(m_shown->table.columns[static_cast<size_t>(column)].title);
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_shown)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return shownText(*m_shown, static_cast<size_t>(index.row()), static_cast<size_t>(index.column()));
    case Qt::ToolTipRole:
        return cellTip(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (format(index.column()).isNumber() ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::AccessibleDescriptionRole:
        if (index.column() == 0 && !m_shown->traits->classes.empty())
            return displayText(workClassTitle(m_shown->rowClass(static_cast<size_t>(index.row()))));
        return {};
    default:
        return {};
    }
}

QString TableModel::cellTip(int row, int column) const
{
    const Cell& value = cell(row, column);
    if (const auto* text = std::get_if<std::string>(&value)) {
        QString tip = displayText(*text);
        if (column == 0 && !m_shown->traits->classes.empty())
            tip += u'\n'
                + tr("Kind of work: %1").arg(displayText(workClassTitle(m_shown->rowClass(static_cast<size_t>(row)))));
        return plainToolTip(tip);
    }
    const bool isKnown = !std::holds_alternative<std::monostate>(value);
    const QString figure = isKnown ? exactText(value, format(column).unit) : tr("not known from this trace");
    return titledToolTip(columnTitle(column) + u": " + figure, m_help ? m_help(columnKey(column)) : QString());
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return columnTitle(section);
    case Qt::ToolTipRole: {
        const QString help = m_help ? m_help(columnKey(section)) : QString();
        return titledToolTip(columnTitle(section), help);
    }
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (format(section).isNumber() ? Qt::AlignRight : Qt::AlignLeft)));
    default:
        return {};
    }
}

QString TableModel::footerTip(int column) const
{
    const Cell& value = m_shown->traits->footer[static_cast<size_t>(column)];
    if (std::holds_alternative<std::monostate>(value))
        return {};
    const QString help = m_help ? m_help(columnKey(column)) : QString();
    return titledToolTip(tr("All rows: %1").arg(exactText(value, format(column).unit)), help);
}

} // namespace torchline
