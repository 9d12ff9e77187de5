// TablePane: menus, clipboard, and what is remembered between runs.

#include "operators/table_pane.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include <numeric>
#include <sstream>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString wide(const std::string& text)
{
    return QString::fromStdString(text);
}

QString rowsText(const Table& table, const std::vector<uint32_t>& rows)
{
    std::ostringstream out;
    writeTsvRows(table, rows, out);
    return wide(out.str());
}

void copyText(const QString& text)
{
    QGuiApplication::clipboard()->setText(text);
}

} // namespace

void TablePane::copyRows()
{
    constexpr size_t kAtOnce = 2000; // what is pasted next finds them there
    std::shared_ptr<const ShownTable> shown = m_data->model()->shownPtr();
    if (shown == nullptr)
        return;
    std::vector<uint32_t> rows = m_data->selectedRows();
    if (rows.empty()) {
        rows.resize(shown->table.rows.size());
        std::iota(rows.begin(), rows.end(), 0u);
    }
    if (rows.size() <= kAtOnce)
        copyText(rowsText(shown->table, rows));
    else
        m_copyJob.start([shown = std::move(shown), rows = std::move(rows)](
                            const std::stop_token&) { return rowsText(shown->table, rows); },
            copyText);
}

void TablePane::fillColumnsMenu(QMenu* menu)
{
    menu->clear();
    TableModel* model = m_data->model();
    for (int column = 1; column < model->columnCount(); ++column) {
        QString title = model->columnTitle(column);
        const bool isWanted = m_data->isColumnWanted(column);
        if (isWanted && !m_data->isColumnInView(column))
            title = tr("%1 (no room)").arg(title);
        else if (model->format(column).isEmpty)
            title = tr("%1 (nothing recorded)").arg(title);
        QAction* action = menu->addAction(title);
        action->setCheckable(true);
        action->setChecked(isWanted);
        connect(action, &QAction::triggered, m_data, [this, column](bool on) { m_data->setColumnWanted(column, on); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Reset columns")), &QAction::triggered, this, &TablePane::resetColumns);
}

void TablePane::fillSortMenu(QMenu* menu)
{
    TableModel* model = m_data->model();
    for (int column = 0; column < model->columnCount(); ++column) {
        if (!m_data->isColumnInView(column))
            continue;
        const std::optional<SortOrder>& order = model->shown()->order;
        const bool isSorted = order && order->column == static_cast<size_t>(column);
        QAction* action = menu->addAction(model->columnTitle(column));
        action->setCheckable(true);
        action->setChecked(isSorted);
        const bool descending = isSorted ? !order->descending : model->format(column).isNumber();
        connect(action, &QAction::triggered, this,
            [this, key = model->columnKey(column), descending] { setSort(key, descending); });
    }
}

void TablePane::showRowMenu(const QPoint& at)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const std::vector<uint32_t> rows = m_data->selectedRows();
    QAction* copy = menu->addAction(tr("Copy rows with headers"), this, &TablePane::copyRows);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    if (rows.size() == 1) {
        const Table& shown = *table();
        menu->addAction(activateText(), this, [this, source = shown.sourceRows[rows.front()]] { activateRow(source); });
        const std::string* name = std::get_if<std::string>(&shown.rows[rows.front()][0]);
        if (name != nullptr)
            menu->addAction(tr("Copy the name"), this, [text = wide(*name)] { copyText(text); });
    }
    menu->addSeparator();
    fillSortMenu(menu->addMenu(tr("Sort by")));
    QMenu* groups = menu->addMenu(tr("Group by"));
    fillGroupMenu(groups);
    groups->menuAction()->setVisible(!groups->isEmpty());
    QMenu* columns = menu->addMenu(tr("Columns"));
    connect(columns, &QMenu::aboutToShow, this, [this, columns] { fillColumnsMenu(columns); });
    menu->addSeparator();
    menu->addAction(tr("Export…"), this, &TablePane::exportRequested);
    menu->popup(at);
}

QJsonObject TablePane::saveState() const
{
    QJsonObject columns;
    for (const auto& [key, wanted] : m_data->chosenColumns())
        columns.insert(wide(key), wanted);
    QJsonObject widths;
    for (const auto& [key, width] : m_data->handWidths())
        widths.insert(wide(key), width);
    return {{u"columns"_s, columns}, {u"widths"_s, widths}, {u"sort"_s, wide(m_sort.key)},
        {u"descending"_s, m_sort.descending}};
}

void TablePane::restoreState(const QJsonObject& saved)
{
    std::map<std::string, bool> chosen;
    const QJsonObject columns = saved.value(u"columns"_s).toObject();
    for (auto at = columns.begin(); at != columns.end(); ++at)
        chosen[at.key().toStdString()] = at.value().toBool();
    std::map<std::string, int> sizes;
    const QJsonObject widths = saved.value(u"widths"_s).toObject();
    for (auto at = widths.begin(); at != widths.end(); ++at)
        sizes[at.key().toStdString()] = at.value().toInt();
    m_data->setColumnChoices(std::move(chosen), std::move(sizes));
    if (const QString sort = saved.value(u"sort"_s).toString(); !sort.isEmpty())
        setSort(sort.toStdString(), saved.value(u"descending"_s).toBool(true));
}

} // namespace torchline
