#include "workspace.h"

#include "app_style.h"
#include "dock_title.h"
#include "memory_page.h"

#include "details/details_pane.h"
#include "details/health_pane.h"
#include "memory/memory_chart.h"
#include "operators/kernel_pane.h"
#include "operators/memory_pane.h"
#include "operators/operator_pane.h"
#include "operators/slice_pane.h"
#include "operators/step_pane.h"
#include "timeline/minimap.h"
#include "timeline/overview_strips.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QDockWidget>
#include <QJsonDocument>
#include <QResizeEvent>
#include <QTabBar>
#include <QVBoxLayout>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCompactWidth = 1366;
constexpr int kFlatHeight = 480; ///< of the window; below it docks show their tabs alone
constexpr int kLowHeight = 360; ///< below it the strips above the timeline go
constexpr double kDockShare = 0.3; ///< of the height
constexpr int kLeastDock = 182; ///< tabs, filter, head, three rows, sum ...
constexpr double kMostDockShare = 0.48; ///< ... but no more than that of the height
constexpr double kDetailsShare = 0.28; ///< of the width
constexpr int kLayoutVersion = 2;

constexpr std::array kAllPanes{
    Pane::Operators, Pane::Kernels, Pane::Slices, Pane::Steps, Pane::Memory, Pane::Health, Pane::Details};

QString key(Pane pane)
{
    constexpr std::array<QStringView, 7> kKeys{
        u"operators", u"kernels", u"slices", u"steps", u"memory", u"health", u"details"};
    return kKeys.at(static_cast<size_t>(pane)).toString();
}

} // namespace

Workspace::Workspace(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QMainWindow(parent, Qt::Widget)
    , m_state(state)
    , m_themes(themes)
    , m_timeline(new TimelineView(state, themes, this))
    , m_overview(new OverviewStrips(state, themes, this))
{
    m_toSize.setSingleShot(true);
    m_toSize.setInterval(0);
    connect(&m_toSize, &QTimer::timeout, this, &Workspace::sizeDocks);
    m_moved.setSingleShot(true);
    m_moved.setInterval(0);
    connect(&m_moved, &QTimer::timeout, this, &Workspace::showContents);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    buildCentre();
    const auto addTable = [this](Pane pane, TablePane* table, QWidget* content) {
        m_tables[static_cast<size_t>(pane)] = table;
        addPane(pane, content);
        connect(table, &TablePane::exportRequested, this, [this, pane] { Q_EMIT exportRequested(pane); });
    };
    auto* operators = new OperatorPane(state, themes);
    auto* kernels = new KernelPane(state, themes);
    auto* slices = new SlicePane(state, themes);
    auto* steps = new StepPane(state, themes);
    m_memory = new MemoryPage(state, themes);
    addTable(Pane::Operators, operators, operators);
    addTable(Pane::Kernels, kernels, kernels);
    addTable(Pane::Slices, slices, slices);
    addTable(Pane::Steps, steps, steps);
    addTable(Pane::Memory, m_memory->table(), m_memory);
    m_health = new HealthPane(state, themes);
    addPane(Pane::Health, m_health);
    m_details = new DetailsPane(state, themes);
    addPane(Pane::Details, m_details);
    arrange();
    connect(m_health, &HealthPane::noticesChanged, this, &Workspace::showBadge);
    // Not over the pane that asks.
    connect(state, &ViewState::sliceListRequested, this, [this](const QString& condition) {
        if (!condition.isEmpty() && !tabifiedDockWidgets(dock(Pane::Details)).contains(dock(Pane::Slices)))
            bringForward(Pane::Slices);
    });
    connect(m_health, &HealthPane::exportRequested, this, [this] { Q_EMIT exportRequested(Pane::Health); });
}

Workspace::~Workspace() = default;

QString Workspace::title(Pane pane)
{
    switch (pane) {
    case Pane::Operators:
        return tr("Operators");
    case Pane::Kernels:
        return tr("Kernels");
    case Pane::Slices:
        return tr("Slices");
    case Pane::Steps:
        return tr("Steps");
    case Pane::Memory:
        return tr("Memory");
    case Pane::Health:
        return tr("Health");
    case Pane::Details:
    case Pane::Count:
        break;
    }
    return tr("Details");
}

void Workspace::setKeys(const KeyMap* keys)
{
    m_timeline->setKeys(keys);
    m_overview->minimap()->setKeys(keys);
    m_memory->chart()->setKeys(keys);
    m_details->setKeys(keys);
}

void Workspace::buildCentre()
{
    auto* centre = new QWidget;
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_overview);
    layout->addWidget(m_timeline, 1);
    setCentralWidget(centre);
    const auto follow = [this] {
        const int left = m_timeline->headerWidth();
        m_overview->setLanes(left, m_timeline->viewport()->width() - left);
    };
    connect(m_timeline, &TimelineView::axisMoved, this, follow);
    follow();
}

void Workspace::addPane(Pane pane, QWidget* content)
{
    auto* dock = new QDockWidget(title(pane), this);
    dock->setObjectName(key(pane));
    // A dock whose own widget is hidden takes no room; the pane in it can be.
    auto* room = new QWidget;
    auto* layout = new QVBoxLayout(room);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(content);
    dock->setWidget(room);
    dock->setAccessibleName(title(pane));
    // 0 would leave it to the hints, which change with what a pane shows: the docks would not keep their share.
    content->setMinimumSize(1, 1);
    m_contents[static_cast<size_t>(pane)] = content;
    auto* head = new DockTitle(m_themes, dock);
    dock->setTitleBarWidget(head);
    m_docks[static_cast<size_t>(pane)] = dock;
    // A window of its own gets the desktop's frame, in the layout its tab or our head is enough.
    connect(dock, &QDockWidget::topLevelChanged, this, [dock, head](bool isFloating) {
        dock->setTitleBarWidget(isFloating ? nullptr : head);
        head->setVisible(!isFloating);
    });
    for (const auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
        connect(dock, signal, &m_moved, qOverload<>(&QTimer::start));
    connect(dock, &QDockWidget::dockLocationChanged, &m_moved, qOverload<>(&QTimer::start));
}

void Workspace::showContents()
{
    for (const Pane pane : kAllPanes) {
        QDockWidget* each = dock(pane);
        // Docks behind another tab are not hidden, they only lie out of sight; what is hidden computes nothing.
        const QRect place = each->geometry();
        const bool isInSight = each->isFloating() || (place.right() >= 0 && place.bottom() >= 0);
        content(pane)->setVisible(isInSight);
        if (auto* head = qobject_cast<DockTitle*>(each->titleBarWidget()))
            head->setShown(tabifiedDockWidgets(each).isEmpty());
    }
}

void Workspace::arrange()
{
    QDockWidget* first = dock(Pane::Operators);
    QDockWidget* details = dock(Pane::Details);
    for (QDockWidget* each : m_docks) {
        each->setFloating(false);
        removeDockWidget(each);
    }
    addDockWidget(Qt::BottomDockWidgetArea, first);
    // Before the tabs: a split of one of several tabs makes one more tab.
    if (!m_isCompact)
        splitDockWidget(first, details, Qt::Horizontal);
    for (const Pane pane : {Pane::Kernels, Pane::Slices, Pane::Steps, Pane::Memory, Pane::Health})
        tabifyDockWidget(first, dock(pane));
    if (m_isCompact)
        tabifyDockWidget(dock(Pane::Health), details);
    for (QDockWidget* each : m_docks)
        each->show();
    first->raise();
    m_toSize.start();
}

void Workspace::sizeDocks()
{
    const double least = std::min<double>(Metrics(font()).px(kLeastDock), height() * kMostDockShare);
    resizeDocks({dock(Pane::Operators)}, {static_cast<int>(std::max(height() * kDockShare, least))}, Qt::Vertical);
    if (!m_isCompact) {
        const int details = static_cast<int>(width() * kDetailsShare);
        resizeDocks({dock(Pane::Operators), dock(Pane::Details)}, {width() - details, details}, Qt::Horizontal);
    }
}

void Workspace::setCompact(bool compact)
{
    if (compact == m_isCompact)
        return;
    (m_isCompact ? m_compactState : m_wideState) = saveState(kLayoutVersion);
    m_isCompact = compact;
    if (compact)
        m_wideDetails = dock(Pane::Details)->width();
    if (!restoreState(m_isCompact ? m_compactState : m_wideState, kLayoutVersion))
        arrange();
    else if (!compact && m_wideDetails > 0) // the state was taken when the window was narrow already
        resizeDocks({dock(Pane::Details)}, {m_wideDetails}, Qt::Horizontal);
    Q_EMIT compactChanged(compact);
}

void Workspace::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    setCompact(width() <= kCompactWidth);
    setFlat(window()->height() < kFlatHeight);
    m_overview->setCompact(m_isCompact);
    m_overview->setRoom(height() >= kLowHeight);
}

void Workspace::setFlat(bool flat)
{
    if (flat == m_isFlat)
        return;
    m_isFlat = flat;
    for (QDockWidget* each : m_docks)
        each->widget()->setMaximumHeight(flat && !each->isFloating() ? 0 : QWIDGETSIZE_MAX);
}

void Workspace::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_isSized)
        return;
    m_isSized = true;
    if ((m_isCompact ? m_compactState : m_wideState).isEmpty())
        m_toSize.start();
}

void Workspace::showBadge()
{
    const int notices = m_health->noticeCount();
    const QString name = title(Pane::Health);
    dock(Pane::Health)->setWindowTitle(notices == 0 ? name : name + AppStyle::kBadgeMark + QString::number(notices));
}

std::optional<Table> Workspace::shownTable(Pane pane) const
{
    if (pane == Pane::Health)
        return m_health->table() != nullptr ? std::optional(*m_health->table()) : std::nullopt;
    TablePane* shown = table(pane);
    if (shown == nullptr)
        return std::nullopt;
    if (shown->isBusy() || shown->table() == nullptr) {
        shown->refresh();
        return std::nullopt;
    }
    return *shown->table();
}

void Workspace::bringForward(Pane pane)
{
    dock(pane)->show();
    dock(pane)->raise();
}

void Workspace::showPane(Pane pane)
{
    bringForward(pane);
    content(pane)->show(); // before the one that has the focus goes out of sight and hands it to anybody
    content(pane)->setFocus(Qt::OtherFocusReason);
}

std::optional<Pane> Workspace::focusedPane() const
{
    const QWidget* focus = QApplication::focusWidget();
    for (const Pane pane : kAllPanes) {
        if (focus != nullptr && dock(pane)->isAncestorOf(focus))
            return pane;
    }
    return std::nullopt;
}

bool Workspace::isSettled() const
{
    for (const TablePane* shown : m_tables) {
        if (shown != nullptr && shown->isVisible() && shown->isBusy())
            return false;
    }
    return !m_moved.isActive() && !m_toSize.isActive() && m_timeline->isSettled() && !m_health->isBusy()
        && !m_details->isBusy() && (!m_memory->isVisible() || m_memory->isSettled());
}

void Workspace::saveLayout(Settings& settings) const
{
    const QByteArray now = saveState(kLayoutVersion);
    settings.setBytes(u"layout/wide"_s, m_isCompact ? m_wideState : now);
    settings.setBytes(u"layout/compact"_s, m_isCompact ? now : m_compactState);
    for (const Pane pane : kAllPanes) {
        if (const TablePane* shown = table(pane))
            settings.setBytes(
                u"layout/"_s + key(pane), QJsonDocument(shown->saveState()).toJson(QJsonDocument::Compact));
    }
}

void Workspace::restoreLayout(const Settings& settings)
{
    m_wideState = settings.bytes(u"layout/wide"_s);
    m_compactState = settings.bytes(u"layout/compact"_s);
    restoreState(m_isCompact ? m_compactState : m_wideState, kLayoutVersion);
    for (const Pane pane : kAllPanes) {
        if (TablePane* shown = table(pane))
            shown->restoreState(QJsonDocument::fromJson(settings.bytes(u"layout/"_s + key(pane))).object());
    }
}

void Workspace::resetLayout()
{
    m_wideState.clear();
    m_compactState.clear();
    arrange();
    for (const Pane pane : kAllPanes) {
        if (TablePane* shown = table(pane))
            shown->resetColumns();
    }
}

} // namespace torchline
