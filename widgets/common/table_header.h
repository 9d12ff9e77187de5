#pragma once
// TableHeader: titles of a data table: the sorted one strong with its arrow; a click asks for a sort.
// TableFooter: the figures of all rows under their columns; in view while the rows scroll.
// Thread: GUI thread only.

#include "common/cell_paint.h"

#include <QHeaderView>

namespace torchline {

class TableHeader : public QHeaderView {
    Q_OBJECT

public:
    TableHeader(ThemeHost* themes, const TableModel* model, QWidget* parent);

    void setStyle(const CellStyle& style);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    const TableModel* m_model;
    CellStyle m_style;
};

class TableFooter : public QWidget {
    Q_OBJECT

public:
    TableFooter(ThemeHost* themes, const TableModel* model, const QHeaderView* header, QWidget* parent);

    void setStyle(const CellStyle& style);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    ThemeHost* m_themes;
    const TableModel* m_model;
    const QHeaderView* m_header;
    CellStyle m_style;
};

} // namespace torchline
