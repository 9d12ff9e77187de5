#pragma once
// TableModel: a ShownTable for Qt's views. Never sorts itself: whoever owns it gives it the rows in another order.
// Thread: GUI thread only. Cost: data() makes one text.

#include "common/shown_table.h"

#include <QAbstractTableModel>

#include <functional>

namespace torchline {

class TableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// What a column means: definition, denominator, where other tools differ.
    using ColumnHelp = std::function<QString(const std::string& key)>;

    explicit TableModel(QObject* parent = nullptr);

    void setColumnHelp(ColumnHelp help) { m_help = std::move(help); }
    /// Another result; null: none.
    void setTable(std::shared_ptr<const ShownTable> table);
    /// The rows of the present table in another order: selection and current row stay on their rows.
    void reorder(std::shared_ptr<const ShownTable> table);
    [[nodiscard]] const ShownTable* shown() const { return m_shown.get(); }
    [[nodiscard]] const std::shared_ptr<const ShownTable>& shownPtr() const { return m_shown; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const Cell& cell(int row, int column) const;
    [[nodiscard]] const ColumnFormat& format(int column) const;
    [[nodiscard]] const std::string& columnKey(int column) const;
    [[nodiscard]] QString columnTitle(int column) const;
    /// Definition of the column and what stands under it.
    [[nodiscard]] QString footerTip(int column) const;

private:
    [[nodiscard]] QString cellTip(int row, int column) const;

    std::shared_ptr<const ShownTable> m_shown;
    ColumnHelp m_help;
};

} // namespace torchline
