#pragma once
// RowView: the rows of a data table: whole rows hovered and selected, Enter and double click activate, no editing.
// Thread: GUI thread only.

#include <QTableView>

namespace torchline {

class RowView : public QTableView {
    Q_OBJECT

public:
    explicit RowView(QWidget* parent);

Q_SIGNALS:
    void hoverChanged(int row); ///< -1: none
    void rowActivated(int row);
    void copyRequested();
    void menuRequested(const QPoint& globalPos);

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void hover(int row);

    int m_hovered = -1;
};

} // namespace torchline
