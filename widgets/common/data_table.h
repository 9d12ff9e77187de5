#pragma once
// DataTable: titles, rows and footer of one ShownTable; columns come and go with the room there is.
// Thread: GUI thread only.

#include "common/table_header.h"

#include <QTableView>

#include <map>
#include <set>

class QScrollBar;

namespace torchline {

class RowView;

/// Which columns a table shows when nobody chose otherwise. The first column is the name and always shown.
struct ColumnPolicy {
    std::vector<std::string> shown; ///< shown unless nothing but zeros and unknowns stands in them
    std::vector<std::string> always; ///< shown even then
    std::vector<std::string> leave; ///< leave in this order when there is no room
};

class DataTable : public QWidget {
    Q_OBJECT

public:
    explicit DataTable(ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] TableModel* model() { return m_model; }
    [[nodiscard]] QTableView* view();
    void setColumnPolicy(ColumnPolicy policy);
    /// Another result of the same kind: rows with the same key stay selected and in view.
    void setTable(std::shared_ptr<const ShownTable> table);
    /// The same rows in another order.
    void reorder(std::shared_ptr<const ShownTable> table);

    [[nodiscard]] bool isColumnWanted(int column) const;
    [[nodiscard]] bool isColumnInView(int column) const; ///< wanted and not left out for want of room
    void setColumnWanted(int column, bool wanted);
    void resetColumns();
    /// Columns chosen and sized by hand, by key: 1 shown, 0 hidden.
    [[nodiscard]] const std::map<std::string, bool>& chosenColumns() const { return m_chosen; }
    [[nodiscard]] const std::map<std::string, int>& handWidths() const { return m_handWidths; }
    void setColumnChoices(std::map<std::string, bool> chosen, std::map<std::string, int> widths);

    [[nodiscard]] std::vector<uint32_t> selectedRows() const; ///< rising
    /// Selects without selectionEdited(); scrolls there. Nothing: clears.
    void selectRow(std::optional<int> row);

Q_SIGNALS:
    void sortRequested(int column, bool descending);
    void rowActivated(int row); ///< Enter or double click
    void copyRequested();
    void selectionEdited(); ///< by the person in front of it
    void menuRequested(const QPoint& globalPos);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyStyle();
    void applyTheme();
    void layoutColumns();
    void sortByClick(int column);
    [[nodiscard]] int leaveRank(const std::string& key) const;
    void restoreRows(const std::set<uint64_t>& selected, std::optional<uint64_t> current, std::optional<uint64_t> top);

    ThemeHost* m_themes;
    TableModel* m_model;
    RowView* m_view;
    TableHeader* m_header;
    TableFooter* m_footer;
    QScrollBar* m_across;
    CellDelegate* m_delegate;
    CellStyle m_style;
    ColumnPolicy m_policy;
    std::map<std::string, bool> m_chosen;
    std::map<std::string, int> m_handWidths;
    bool m_isPlacing = false; ///< sections move by our hand
    bool m_isRestoring = false; ///< the selection moves by our hand
};

} // namespace torchline
