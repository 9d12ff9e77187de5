#include "common/row_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>

namespace torchline {

RowView::RowView(QWidget* parent)
    : QTableView(parent)
{
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    // Rows are as high as the default: a least height that grows would resize one after the other.
    verticalHeader()->setMinimumSectionSize(1);
}

void RowView::hover(int row)
{
    if (row == m_hovered)
        return;
    m_hovered = row;
    Q_EMIT hoverChanged(row);
    viewport()->update();
}

void RowView::mouseMoveEvent(QMouseEvent* event)
{
    hover(rowAt(event->position().toPoint().y()));
    QTableView::mouseMoveEvent(event);
}

void RowView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->position().toPoint());
    if (index.isValid() && event->button() == Qt::LeftButton)
        Q_EMIT rowActivated(index.row());
}

void RowView::leaveEvent(QEvent* event)
{
    hover(-1);
    QTableView::leaveEvent(event);
}

void RowView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        Q_EMIT copyRequested();
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        Q_EMIT rowActivated(currentIndex().row());
        return;
    }
    if (event->key() == Qt::Key_Escape) { // clearing the selection is the window's matter
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

void RowView::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
    const QPoint corner = visualRect(currentIndex()).bottomLeft();
    Q_EMIT menuRequested(isByKey ? viewport()->mapToGlobal(corner) : event->globalPos());
}

void RowView::focusInEvent(QFocusEvent* event)
{
    QTableView::focusInEvent(event);
    if (!currentIndex().isValid() && model()->rowCount() > 0)
        selectionModel()->setCurrentIndex(model()->index(0, 0), QItemSelectionModel::NoUpdate);
    viewport()->update();
}

void RowView::focusOutEvent(QFocusEvent* event)
{
    QTableView::focusOutEvent(event);
    viewport()->update();
}

} // namespace torchline
