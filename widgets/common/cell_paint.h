#pragma once
// Cells, titles and footer of a data table: their fonts, sizes and how they are painted.
// Thread: GUI thread only.

#include "common/number_text.h"
#include "common/table_model.h"
#include "common/theme_host.h"

#include <QStyledItemDelegate>

namespace torchline {

/// Sizes of look.md 5 and 6 at the font in use.
struct CellStyle {
    explicit CellStyle(const QFont& base);

    NumberText body;
    NumberText strong; ///< sorted title, footer
    int padding = 8;
    int swatch = 10;
    int gap = 8; ///< swatch to name, bar to figure
    int bar = 60;
    int barHeight = 8;
    int arrow = 12;
    int rowHeight = 22;
    int headHeight = 24;

    /// Room for the widest of cell, title and footer.
    [[nodiscard]] int widthFor(const ColumnFormat& format, const QString& title, const QString& footer) const;
    [[nodiscard]] int nameWidth(const QString& text, bool hasSwatch) const;
    [[nodiscard]] int textWidth(const QString& text) const;
};

class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CellDelegate(ThemeHost* themes, const TableModel* model, QObject* parent);

    void setStyle(const CellStyle& style) { m_style = style; }
    void setHoveredRow(int row) { m_hoveredRow = row; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintName(QPainter* painter, QRect rect, const QModelIndex& index, const QString& text) const;
    void paintShare(QPainter* painter, const QRect& rect, double share, bool isZero) const;

    ThemeHost* m_themes;
    const TableModel* m_model;
    CellStyle m_style;
    int m_hoveredRow = -1;
};

} // namespace torchline
