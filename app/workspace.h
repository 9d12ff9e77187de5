#pragma once
// Workspace: what the window shows of an open trace: the timeline, under it the tables as movable docks in tabs, and
// the details. In a narrow window the details become one of the tabs. Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include "export/table.h"

#include "settings.h"

#include <QMainWindow>
#include <QTimer>

#include <array>

class QDockWidget;

namespace torchline {

class DetailsPane;
class HealthPane;
class KeyMap;
class MemoryPage;
class OverviewStrips;
class TablePane;
class TimelineView;

enum class Pane : uint8_t { Operators, Kernels, Slices, Steps, Memory, Health, Details, Count };

class Workspace : public QMainWindow {
    Q_OBJECT

public:
    Workspace(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] TimelineView* timeline() { return m_timeline; }
    /// Step strip and minimap.
    [[nodiscard]] OverviewStrips* overview() { return m_overview; }
    [[nodiscard]] HealthPane* health() { return m_health; }
    /// Null for panes without a table.
    [[nodiscard]] TablePane* table(Pane pane) const { return m_tables[static_cast<size_t>(pane)]; }
    [[nodiscard]] QDockWidget* dock(Pane pane) const { return m_docks[static_cast<size_t>(pane)]; }
    [[nodiscard]] QWidget* content(Pane pane) const { return m_contents[static_cast<size_t>(pane)]; }
    [[nodiscard]] static QString title(Pane pane);
    /// What keys mean in all views with a time axis; the map outlives the workspace.
    void setKeys(const KeyMap* keys);

    /// The table of a pane as it stands there; none while it is computed (which this starts).
    [[nodiscard]] std::optional<Table> shownTable(Pane pane) const;

    /// Opens it, brings it to the front and gives it the focus.
    void showPane(Pane pane);
    /// The pane that has the focus, or whose dock is in front; none: the timeline has it.
    [[nodiscard]] std::optional<Pane> focusedPane() const;
    /// Figures of every pane in view are there.
    [[nodiscard]] bool isSettled() const;

    /// Remembers the arrangement for each kind of window, columns and sorts of each table.
    void saveLayout(Settings& settings) const;
    void restoreLayout(const Settings& settings);
    void resetLayout();
    /// Gives the docks their share of the window as it is now.
    void sizeDocks();
    [[nodiscard]] bool isCompact() const { return m_isCompact; }

Q_SIGNALS:
    void compactChanged(bool compact);
    void exportRequested(torchline::Pane pane);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void addPane(Pane pane, QWidget* content);
    void bringForward(Pane pane);
    void buildCentre();
    void arrange();
    void showContents();
    void setCompact(bool compact);
    void setFlat(bool flat);
    void showBadge();

    ViewState* m_state;
    ThemeHost* m_themes;
    TimelineView* m_timeline;
    OverviewStrips* m_overview;
    HealthPane* m_health = nullptr;
    DetailsPane* m_details = nullptr;
    MemoryPage* m_memory = nullptr;
    std::array<TablePane*, static_cast<size_t>(Pane::Count)> m_tables{};
    std::array<QDockWidget*, static_cast<size_t>(Pane::Count)> m_docks{};
    std::array<QWidget*, static_cast<size_t>(Pane::Count)> m_contents{};
    QByteArray m_wideState; ///< arrangement of the kind of window that is not in use now
    QByteArray m_compactState;
    int m_wideDetails = 0; ///< width of the details when the window was wide last; 0: it never was
    QTimer m_toSize; ///< sizes the docks once the window has its own size
    QTimer m_moved; ///< docks came or went; looked at once they rest
    bool m_isCompact = false;
    bool m_isFlat = false; ///< so low that docks show their tabs alone
    bool m_isSized = false;
};

} // namespace torchline
