#include "common/data_table.h"

#include "common/column_fit.h"
#include "common/row_view.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

namespace {

constexpr int kNameSmallest = 130;
constexpr int kNameLeast = 240;
constexpr int kNameMost = 520;
constexpr int kMostExtra = 36;

bool holds(const std::vector<std::string>& keys, const std::string& key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

DataTable::DataTable(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_model(new TableModel(this))
    , m_view(new RowView(this))
    , m_header(new TableHeader(themes, m_model, m_view))
    , m_footer(new TableFooter(themes, m_model, m_header, this))
    , m_across(new QScrollBar(Qt::Horizontal, this))
    , m_delegate(new CellDelegate(themes, m_model, this))
    , m_style(font())
{
    m_view->setHorizontalHeader(m_header);
    m_header->setSectionsClickable(true); // QTableView switches it off
    m_view->setModel(m_model);
    m_view->setItemDelegate(m_delegate);
    setFocusProxy(m_view);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    layout->addWidget(m_footer);
    layout->addWidget(m_across);

    QScrollBar* hidden = m_view->horizontalScrollBar();
    connect(hidden, &QScrollBar::rangeChanged, this, [this, hidden](int least, int most) {
        m_across->setPageStep(hidden->pageStep());
        m_across->setRange(least, most);
        m_across->setVisible(most > least);
    });
    connect(hidden, &QScrollBar::valueChanged, m_across, &QScrollBar::setValue);
    connect(m_across, &QScrollBar::valueChanged, hidden, &QScrollBar::setValue);
    connect(hidden, &QScrollBar::valueChanged, m_footer, qOverload<>(&QWidget::update));
    m_across->hide();

    connect(m_header, &QHeaderView::sectionClicked, this, &DataTable::sortByClick);
    connect(m_header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!m_isPlacing && width > 0)
            m_handWidths[m_model->columnKey(column)] = width;
    });
    connect(m_header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
        m_handWidths.erase(m_model->columnKey(column));
        layoutColumns();
    });
    connect(m_view, &RowView::hoverChanged, m_delegate, &CellDelegate::setHoveredRow);
    connect(m_view, &RowView::rowActivated, this, &DataTable::rowActivated);
    connect(m_view, &RowView::copyRequested, this, &DataTable::copyRequested);
    connect(m_view, &RowView::menuRequested, this, &DataTable::menuRequested);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_isRestoring)
            Q_EMIT selectionEdited();
    });
    connect(themes, &ThemeHost::themeChanged, this, &DataTable::applyTheme);
    applyStyle();
    applyTheme();
}

QTableView* DataTable::view()
{
    return m_view;
}

void DataTable::setColumnPolicy(ColumnPolicy policy)
{
    m_policy = std::move(policy);
    layoutColumns();
}

void DataTable::setTable(std::shared_ptr<const ShownTable> table)
{
    std::set<uint64_t> selected;
    std::optional<uint64_t> current;
    std::optional<uint64_t> top;
    if (const ShownTable* before = m_model->shown()) {
        for (const uint32_t row : selectedRows())
            selected.insert(before->rowKey(row));
        if (m_view->currentIndex().isValid())
            current = before->rowKey(static_cast<size_t>(m_view->currentIndex().row()));
        if (const int row = m_view->rowAt(0); row > 0)
            top = before->rowKey(static_cast<size_t>(row));
    }
    m_isRestoring = true;
    m_isPlacing = true;
    m_model->setTable(std::move(table));
    m_isPlacing = false;
    layoutColumns();
    restoreRows(selected, current, top);
    m_isRestoring = false;
}

void DataTable::restoreRows(
    const std::set<uint64_t>& selected, std::optional<uint64_t> current, std::optional<uint64_t> top)
{
    const ShownTable* shown = m_model->shown();
    if (shown == nullptr || (selected.empty() && !current && !top))
        return;
    QItemSelection rows; // a range a run: whether a cell is selected is looked up in all of them
    int first = -1; // of the run; -1: there is none
    const auto endRun = [&](int end) {
        if (first >= 0)
            rows.select(m_model->index(first, 0), m_model->index(end - 1, 0));
        first = -1;
    };
    for (size_t row = 0; row < shown->table.rows.size(); ++row) {
        const uint64_t key = shown->rowKey(row);
        const QModelIndex index = m_model->index(static_cast<int>(row), 0);
        if (!selected.contains(key))
            endRun(index.row());
        else if (first < 0)
            first = index.row();
        if (current && key == *current)
            m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        if (top && key == *top)
            m_view->scrollTo(index, QAbstractItemView::PositionAtTop);
    }
    endRun(static_cast<int>(shown->table.rows.size()));
    m_view->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void DataTable::reorder(std::shared_ptr<const ShownTable> table)
{
    m_isRestoring = true;
    m_model->reorder(std::move(table));
    m_isRestoring = false;
    layoutColumns();
    const std::vector<uint32_t> rows = selectedRows();
    if (rows.empty())
        m_view->scrollToTop();
    else
        m_view->scrollTo(m_model->index(static_cast<int>(rows.front()), 0));
}

bool DataTable::isColumnWanted(int column) const
{
    if (column == 0)
        return true;
    const std::string& key = m_model->columnKey(column);
    if (const auto chosen = m_chosen.find(key); chosen != m_chosen.end())
        return chosen->second;
    if (holds(m_model->shown()->table.groupBy, key))
        return true;
    return holds(m_policy.always, key) || (holds(m_policy.shown, key) && !m_model->format(column).isEmpty);
}

bool DataTable::isColumnInView(int column) const
{
    return !m_header->isSectionHidden(column);
}

void DataTable::setColumnWanted(int column, bool wanted)
{
    m_chosen[m_model->columnKey(column)] = wanted;
    layoutColumns();
}

void DataTable::resetColumns()
{
    m_chosen.clear();
    m_handWidths.clear();
    layoutColumns();
}

void DataTable::setColumnChoices(std::map<std::string, bool> chosen, std::map<std::string, int> widths)
{
    m_chosen = std::move(chosen);
    m_handWidths = std::move(widths);
    layoutColumns();
}

int DataTable::leaveRank(const std::string& key) const
{
    if (const auto chosen = m_chosen.find(key); chosen != m_chosen.end() && chosen->second)
        return -1;
    const auto at = std::find(m_policy.leave.begin(), m_policy.leave.end(), key);
    return at == m_policy.leave.end() ? -1 : static_cast<int>(at - m_policy.leave.begin());
}

void DataTable::layoutColumns()
{
    const ShownTable* shown = m_model->shown();
    if (shown == nullptr || m_isPlacing)
        return;
    const Metrics metrics(font());
    const TableTraits& traits = *shown->traits;
    const bool hasSwatch = !traits.classes.empty();
    std::vector<ColumnWish> wishes;
    std::vector<int> columns;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        if (!isColumnWanted(column))
            continue;
        const auto at = static_cast<size_t>(column);
        const ColumnFormat& format = traits.formats[at];
        const std::string& key = m_model->columnKey(column);
        ColumnWish wish;
        if (column == 0) {
            wish.smallest = metrics.px(kNameSmallest);
            wish.natural = std::min(m_style.nameWidth(format.widest, hasSwatch), metrics.px(kNameMost));
            wish.least = std::clamp(wish.natural, wish.smallest, metrics.px(kNameLeast));
        } else {
            const Cell& footer = traits.footer[at];
            const bool hasFooter = !std::holds_alternative<std::monostate>(footer);
            wish.least = m_style.widthFor(
                format, m_model->columnTitle(column), hasFooter ? shownText(footer, format) : QString());
            const bool isSorted = shown->order && shown->order->column == at;
            wish.leavesAt = isSorted ? -1 : leaveRank(key);
        }
        if (const auto hand = m_handWidths.find(key); hand != m_handWidths.end()) {
            wish.least = wish.natural = std::max(hand->second, m_header->minimumSectionSize());
            wish.isFixed = true;
        }
        wishes.push_back(wish);
        columns.push_back(column);
    }
    // A vertical bar, when rows need one, takes its room from the viewport only after this: reckon with it.
    const int rowsHeight = m_model->rowCount() * m_style.rowHeight;
    const bool hasBar = rowsHeight > m_view->height() - m_style.headHeight;
    const int width = m_view->width() - (hasBar ? m_view->verticalScrollBar()->sizeHint().width() : 0);
    const std::vector<int> widths = fitColumns(wishes, width, metrics.px(kMostExtra));

    m_isPlacing = true;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const auto at = std::find(columns.begin(), columns.end(), column);
        const int size = at == columns.end() ? 0 : widths[static_cast<size_t>(at - columns.begin())];
        m_header->setSectionHidden(column, size == 0);
        if (size > 0)
            m_header->resizeSection(column, size);
    }
    m_header->setSortIndicatorShown(shown->order.has_value());
    if (shown->order)
        m_header->setSortIndicator(static_cast<int>(shown->order->column),
            shown->order->descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    m_isPlacing = false;
    m_footer->update();
}

void DataTable::sortByClick(int column)
{
    const ShownTable* shown = m_model->shown();
    if (shown == nullptr)
        return;
    const bool again = shown->order && shown->order->column == static_cast<size_t>(column);
    const bool descending = again ? !shown->order->descending : m_model->format(column).isNumber();
    // Qt has moved its mark already; the rows follow when they are sorted.
    layoutColumns();
    Q_EMIT sortRequested(column, descending);
}

std::vector<uint32_t> DataTable::selectedRows() const
{
    std::vector<uint32_t> rows;
    for (const QItemSelectionRange& range : m_view->selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.push_back(static_cast<uint32_t>(row));
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

void DataTable::selectRow(std::optional<int> row)
{
    m_isRestoring = true;
    if (row) {
        const QModelIndex index = m_model->index(*row, 0);
        m_view->selectionModel()->setCurrentIndex(
            index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        m_view->scrollTo(index);
    } else {
        m_view->clearSelection();
    }
    m_isRestoring = false;
}

void DataTable::applyStyle()
{
    m_style = CellStyle(font());
    m_delegate->setStyle(m_style);
    m_header->setStyle(m_style);
    m_footer->setStyle(m_style);
    m_view->verticalHeader()->setDefaultSectionSize(m_style.rowHeight);
    layoutColumns();
}

void DataTable::applyTheme()
{
    QPalette colors = m_themes->theme().palette();
    m_view->setPalette(colors);
    m_across->setPalette(colors);
    m_view->viewport()->update();
    m_header->viewport()->update();
    m_footer->update();
}

void DataTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layoutColumns();
}

void DataTable::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        applyStyle();
}

} // namespace torchline
