#include "operators/table_pane.h"

#include "common/focus_line.h"
#include "common/scope_text.h"
#include "export/analysis_tables.h"
#include "model/same_slice.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSlowMs = 300;

EmptyText noTraceText()
{
    return {TablePane::tr("No trace is open"), TablePane::tr("Open a trace to see its figures."), {}, u"file"_s};
}

} // namespace

TablePane::TablePane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_head(new PaneHead(themes, this))
    , m_data(new DataTable(themes, this))
    , m_empty(new EmptyPane(themes, this))
    , m_stack(new QStackedLayout)
    , m_pace([this] {
        if (isVisible())
            refresh();
    })
    , m_job(this, &m_pace)
    , m_sortJob(this)
    , m_markJob(this)
    , m_followJob(this)
    , m_copyJob(this)
{
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_data);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new FocusLine(themes, m_data, this));
    layout->addWidget(m_head);
    layout->addLayout(m_stack, 1);
    m_slow.setSingleShot(true);
    m_slow.setInterval(kSlowMs);

    connect(state, &ViewState::traceChanged, this, &TablePane::changeTrace);
    connect(state, &ViewState::scopeChanged, this, &TablePane::invalidate);
    connect(state, &ViewState::selectionChanged, this, &TablePane::followSelection);
    connect(state, &ViewState::marksChanged, this, [this] {
        if (m_state->isTakingLonger()) {
            m_ownMarks = m_ownMarks ? m_state->marks() : nullptr;
            return;
        }
        if (m_ownMarks && m_state->marks() && m_state->marks() != m_ownMarks) { // another table marked its rows
            m_ownMarks = nullptr;
            m_data->selectRow({});
        }
    });
    connect(m_head->filterField(), &FilterField::conditionChanged, this, [this](const QString& condition) {
        invalidate();
        Q_EMIT filterEdited(condition);
    });
    connect(m_head->filterField(), &FilterField::leftDownwards, m_data, [this] { m_data->setFocus(); });
    connect(m_head->groupMenu(), &QMenu::aboutToShow, this, [this] {
        m_head->groupMenu()->clear();
        fillGroupMenu(m_head->groupMenu());
    });
    connect(m_head->columnsMenu(), &QMenu::aboutToShow, this, [this] { fillColumnsMenu(m_head->columnsMenu()); });
    connect(m_head, &PaneHead::copyRequested, this, &TablePane::copyRows);
    connect(m_head, &PaneHead::exportRequested, this, &TablePane::exportRequested);
    connect(m_data, &DataTable::sortRequested, this,
        [this](int column, bool descending) { setSort(m_data->model()->columnKey(column), descending); });
    connect(m_data, &DataTable::copyRequested, this, &TablePane::copyRows);
    // What is copied after the rows, here or in another program, stays.
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] { m_copyJob.cancel(); });
    connect(m_data, &DataTable::selectionEdited, this, &TablePane::markRows);
    connect(m_data, &DataTable::menuRequested, this, &TablePane::showRowMenu);
    connect(m_data, &DataTable::rowActivated, this,
        [this](int row) { activateRow(m_data->model()->shown()->table.sourceRows[static_cast<size_t>(row)]); });
    connect(m_empty, &EmptyPane::linkActivated, this, [this] {
        if (m_onLink)
            m_onLink();
    });
    connect(&m_slow, &QTimer::timeout, this, &TablePane::updateHead);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    showEmpty(noTraceText());
    updateHead();
}

TablePane::~TablePane() = default;

const Table* TablePane::table() const
{
    const ShownTable* shown = m_data->model()->shown();
    return shown != nullptr ? &shown->table : nullptr;
}

QString TablePane::filter() const
{
    return m_head->filterField()->condition();
}

void TablePane::setFilter(const QString& condition)
{
    m_head->filterField()->setText(condition);
}

QSize TablePane::sizeHint() const
{
    return {Metrics(font()).px(900), Metrics(font()).px(240)};
}

QSize TablePane::minimumSizeHint() const
{
    return {Metrics(font()).px(160), Metrics(font()).px(60)};
}

QString TablePane::busyText() const
{
    return tr("computing…");
}

QString TablePane::scopeRule() const
{
    return tr(
        "What starts in the scope counts whole: an operator with all its children and all the device work it owns.");
}

QString TablePane::activateText() const
{
    return tr("Go to the first of its slices");
}

void TablePane::activateRow(uint32_t sourceRow)
{
    if (m_links)
        m_state->reveal(firstOf(sourceRow));
}

SliceRef TablePane::firstOf(uint32_t sourceRow) const
{
    return !m_links ? SliceRef() : sameSlice(*m_linksTrace, m_links->firstOf(sourceRow), *m_state->trace());
}

void TablePane::fillGroupMenu(QMenu*)
{
}

Scope TablePane::ownScope() const
{
    return m_state->scope();
}

void TablePane::clearScope()
{
    m_state->setScope({});
}

Scope TablePane::wholeScope() const
{
    return withFilter(ownScope(), filter().toStdString());
}

/// What is shown stays until there are newer figures.
void TablePane::takeLonger()
{
    m_isStale = true;
    if (isVisible())
        m_pace.wait();
}

void TablePane::changeTrace()
{
    if (m_state->isTakingLonger() && m_state->isGrowing() && (m_links || m_job.isRunning())) {
        takeLonger();
        return;
    }
    m_ownMarks = nullptr;
    m_data->selectRow({});
    if (!m_state->trace()) {
        m_links.reset();
        m_data->setTable(nullptr);
        showEmpty(noTraceText());
    }
    invalidate();
}

void TablePane::invalidate()
{
    m_isStale = m_state->trace() != nullptr;
    m_job.cancel();
    m_pace.reset();
    m_sortJob.cancel();
    m_markJob.cancel();
    m_followJob.cancel();
    updateChips();
    updateHead();
    if (isVisible())
        refresh();
}

void TablePane::setTitle(const QString& title)
{
    setAccessibleName(title);
    m_data->view()->setAccessibleName(title);
}

void TablePane::refresh()
{
    if (m_isStale && m_state->trace() && !m_job.isRunning())
        start();
}

void TablePane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
    if (m_followLater)
        followSelection();
}

void TablePane::start()
{
    const Scope scope = wholeScope();
    m_slow.start();
    if (m_data->model()->shown() == nullptr)
        showEmpty({busyText(), {}, {}, u"clock"_s});
    std::shared_ptr<const ShownTable> before;
    if (m_state->isGrowing() && m_rowLimit == 0)
        before = m_data->model()->shownPtr();
    m_job.start(
        [work = work({m_state->trace(), m_state->facts(), scope, m_state->isGrowing()}), sort = m_sort,
            limit = m_rowLimit, before](std::stop_token stop) -> Result<Computed> {
            Result<PaneResult> result = work(stop);
            if (!result)
                return result.error();
            ShownTable shown = makeShown(std::move(result->table), std::move(result->classes), result->footer);
            const std::optional<SortOrder> order = sort.orderOf(shown.table);
            if (order)
                shown = sortedBy(shown, *order);
            if (order && before && before->order == order)
                shown = inOrderOf(shown, *before);
            if (limit > 0)
                limitTable(shown.table, limit);
            return Computed{std::make_shared<const ShownTable>(std::move(shown)), std::move(result->links)};
        },
        [this, scope, trace = m_state->trace()](Result<Computed> result) {
            m_shownScope = scope;
            m_linksTrace = trace;
            take(std::move(result));
            if (trace != m_state->trace())
                takeLonger();
        });
    updateHead();
}

void TablePane::take(Result<Computed> result)
{
    m_isStale = false;
    m_slow.stop();
    if (!result) {
        m_links.reset();
        m_data->setTable(nullptr);
        const bool isWhole = ownScope().isWhole();
        showEmpty({tr("These figures could not be computed"), displayText(result.error().message()),
                      isWhole ? QString() : tr("Show the whole trace"), u"error"_s},
            [this] { clearScope(); });
        updateHead();
        Q_EMIT settled();
        return;
    }
    m_links = std::move(result->links);
    const bool hasRows = !result->shown->table.rows.empty();
    m_data->setTable(std::move(result->shown));
    if (hasRows)
        m_stack->setCurrentWidget(m_data);
    else
        showNoRows();
    updateHead();
    if (m_ownMarks)
        markRows(); // the same rows, of other figures
    else
        followSelection();
    const std::optional<SortOrder> wanted = m_sort.orderOf(*table());
    const std::optional<SortOrder>& present = m_data->model()->shown()->order;
    if (wanted && present && wanted != present)
        sortNow();
    else
        Q_EMIT settled();
}

void TablePane::showEmpty(const EmptyText& text, std::function<void()> onLink)
{
    m_onLink = std::move(onLink);
    m_empty->setText(text);
    m_stack->setCurrentWidget(m_empty);
}

void TablePane::showNoRows()
{
    if (!filter().isEmpty()) {
        showEmpty(
            {tr("Nothing matches the filter"), tr("No row of this table has slices that meet “%1”.").arg(filter()),
                tr("Clear the filter"), u"filter"_s},
            [this] { setFilter({}); });
    } else if (!ownScope().isWhole()) {
        showEmpty({tr("Nothing starts in the scope"), scopeRule(), tr("Show the whole trace"), u"filter"_s},
            [this] { clearScope(); });
    } else {
        showEmpty(emptyText(*m_state->trace()));
    }
}

std::optional<SortOrder> TablePane::SortWish::orderOf(const Table& table) const
{
    const std::optional<size_t> column = key.empty() ? std::nullopt : table.columnOf(key);
    return column ? SortOrder{*column, descending} : defaultSort(table);
}

void TablePane::setSort(const std::string& key, bool descending)
{
    m_sort = {key, descending};
    if (m_rowLimit > 0) { // other rows may be among the first
        invalidate();
        return;
    }
    if (m_data->model()->shown() != nullptr && !m_job.isRunning())
        sortNow();
}

void TablePane::setRowLimit(uint64_t limit)
{
    if (limit == m_rowLimit)
        return;
    m_rowLimit = limit;
    invalidate();
}

void TablePane::sortNow()
{
    const std::shared_ptr<const ShownTable> before = m_data->model()->shownPtr();
    const std::optional<SortOrder> order = m_sort.orderOf(before->table);
    if (!order)
        return;
    m_sortJob.start([before, order = *order](
                        std::stop_token) { return std::make_shared<const ShownTable>(sortedBy(*before, order)); },
        [this](std::shared_ptr<const ShownTable> shown) {
            m_data->reorder(std::move(shown));
            Q_EMIT settled();
        });
}

void TablePane::updateHead()
{
    const ShownTable* shown = m_data->model()->shown();
    m_head->setCanCopy(shown != nullptr && !shown->table.rows.empty());
    if (m_job.isRunning() && !m_slow.isActive()) {
        m_head->setStatus(busyText(), {});
        return;
    }
    if (shown == nullptr) {
        m_head->setStatus({}, {});
        return;
    }
    const bool isWhole = ownScope().isWhole();
    QString scope = isWhole ? tr("scope: whole trace") : tr("what starts in the scope, whole");
    if (m_state->trace() && m_state->trace()->isPartial())
        scope = isWhole ? tr("scope: what is read so far") : tr("of what is read so far, what starts in the scope");
    QString rows = shown->traits->footerTitle;
    if (shown->table.leftOut > 0)
        rows = tr("the first %1 of %2").arg(formatCount(static_cast<int64_t>(shown->table.rows.size())), rows);
    m_head->setStatus(rows + u" · "_s + scope, scopeRule(), rows);
}

std::vector<PaneHead::Chip> TablePane::chips() const
{
    std::vector<PaneHead::Chip> chips;
    for (const ScopePart& part : scopeParts(m_state->scope(), m_state->trace().get()))
        chips.push_back({part.text, scopeRule(), [state = m_state, rest = part.without] { state->setScope(rest); }});
    return chips;
}

void TablePane::updateChips()
{
    m_head->setChips(chips());
}

void TablePane::markRows()
{
    const std::vector<uint32_t> rows = m_data->selectedRows();
    if (rows.empty() || !m_links) {
        m_markJob.cancel();
        if (m_ownMarks && m_state->marks() == m_ownMarks)
            m_state->setMarks(nullptr);
        m_ownMarks = nullptr;
        return;
    }
    std::vector<uint32_t> sources;
    for (const uint32_t row : rows)
        sources.push_back(m_data->model()->shown()->table.sourceRows[row]);
    m_markJob.start([links = m_links, sources](std::stop_token stop) { return links->slicesOf(sources, stop); },
        [this, trace = m_linksTrace](Result<SliceMask> mask) {
            if (!mask)
                return;
            m_ownMarks = nullptr;
            m_state->setMarks(*mask, trace);
            m_ownMarks = m_state->marks();
        });
}

void TablePane::followSelection()
{
    m_followLater = !isVisible() || m_data->model()->shown() == nullptr || isBusy();
    const SliceRef slice = m_state->selection();
    if (m_followLater || !m_links || !slice.isValid())
        return;
    const SliceRef then = sameSlice(*m_state->trace(), slice, *m_linksTrace);
    if (!then.isValid())
        return;
    m_followJob.start([links = m_links, then](std::stop_token) { return links->rowOf(then); },
        [this](std::optional<uint32_t> source) {
            const ShownTable* shown = m_data->model()->shown();
            if (!source || shown == nullptr)
                return;
            const std::vector<uint32_t>& sources = shown->table.sourceRows;
            const auto at = std::find(sources.begin(), sources.end(), *source);
            if (at == sources.end())
                return;
            const auto row = static_cast<uint32_t>(at - sources.begin());
            const std::vector<uint32_t> selected = m_data->selectedRows();
            if (std::find(selected.begin(), selected.end(), row) != selected.end())
                return; // the slice is one of the marked ones
            m_data->selectRow(static_cast<int>(row));
            if (m_ownMarks && m_state->marks() == m_ownMarks)
                m_state->setMarks(nullptr);
            m_ownMarks = nullptr;
        });
}

void TablePane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().panel);
}

void TablePane::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyRows();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace torchline
