#pragma once
// TablePane: what the panes with a table share: filter, grouping, columns, scope, copy and export; figures computed
// beside the window and dropped when they are stale; rows linked to the slices of the timeline.
// Thread: GUI thread only. Hidden panes compute when they are first shown, or by refresh().

#include "common/background_job.h"
#include "common/data_table.h"
#include "common/empty_pane.h"
#include "common/growth_pace.h"
#include "common/pane_head.h"
#include "common/view_state.h"
#include "operators/row_links.h"

#include <QJsonObject>
#include <QStackedLayout>
#include <QTimer>

class QMenu;

namespace torchline {

/// What a pane computes on a worker.
struct PaneResult {
    Table table; ///< as the analysis lists it
    std::vector<WorkClass> classes; ///< by row; empty: rows without colour
    FooterFigures footer;
    std::shared_ptr<const RowLinks> links; ///< null: rows stand for no slices
};

/// What a pane reads when it computes.
struct PaneInput {
    TracePtr trace;
    std::shared_ptr<const TraceFacts> facts;
    Scope scope; ///< with the pane's own filter
    bool isGrowing = false; ///< a longer one comes
};

class TablePane : public QWidget {
    Q_OBJECT

public:
    TablePane(ViewState* state, ThemeHost* themes, QWidget* parent);
    ~TablePane() override;

    /// The whole table in the order shown, all columns; null before there is one. What exports write.
    [[nodiscard]] const Table* table() const;
    /// The scope that the table was computed for, with the pane's filter.
    [[nodiscard]] const Scope& tableScope() const { return m_shownScope; }
    [[nodiscard]] bool isBusy() const { return m_job.isRunning() || m_sortJob.isRunning(); }
    /// Computes now, even while hidden.
    void refresh();

    [[nodiscard]] QString filter() const;
    void setFilter(const QString& condition);
    /// A column key; applied to this and later results.
    void setSort(const std::string& key, bool descending);
    /// At most so many rows of the order that stands when figures are computed; 0: all.
    void setRowLimit(uint64_t limit);
    /// The same whatever the pane shows, so that docks keep their share.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] DataTable* dataTable() { return m_data; }
    [[nodiscard]] PaneHead* head() { return m_head; }

    /// Columns, sort, grouping; not the filter.
    [[nodiscard]] virtual QJsonObject saveState() const;
    virtual void restoreState(const QJsonObject& saved);
    void resetColumns() { m_data->resetColumns(); }

Q_SIGNALS:
    /// The figures in view are those of trace, scope, filter and sort.
    void settled();
    void exportRequested();
    void filterEdited(const QString& condition);

protected:
    using Work = std::function<Result<PaneResult>(std::stop_token)>;

    /// Work that touches nothing but what it captured.
    [[nodiscard]] virtual Work work(PaneInput input) const = 0;
    /// Why there are no rows, though neither filter nor scope left any out.
    [[nodiscard]] virtual EmptyText emptyText(const TraceSnapshot& trace) const = 0;
    [[nodiscard]] virtual QString busyText() const;
    /// "what starts in the range, whole": how a scope counts here.
    [[nodiscard]] virtual QString scopeRule() const;
    /// What Enter and a double click do: a menu entry.
    [[nodiscard]] virtual QString activateText() const;
    /// What the pane speaks of, without its filter: the scope of the window.
    [[nodiscard]] virtual Scope ownScope() const;
    /// Parts of ownScope() over the table, each removable.
    [[nodiscard]] virtual std::vector<PaneHead::Chip> chips() const;
    virtual void activateRow(uint32_t sourceRow);
    /// The slice that a row stands for first, in the trace as it is now.
    [[nodiscard]] SliceRef firstOf(uint32_t sourceRow) const;
    virtual void fillGroupMenu(QMenu* menu);

    /// For assistive programs.
    void setTitle(const QString& title);
    void setGroupText(const QString& text) { m_head->setGroupText(text); }
    /// Makes the whole trace the subject again.
    virtual void clearScope();
    /// Options changed: figures are to be computed again.
    void invalidate();
    [[nodiscard]] ViewState* state() const { return m_state; }
    [[nodiscard]] ThemeHost* themes() const { return m_themes; }

    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void start();
    void sortNow();
    void takeLonger();
    struct Computed {
        std::shared_ptr<const ShownTable> shown;
        std::shared_ptr<const RowLinks> links;
    };
    struct SortWish {
        std::string key; ///< empty: as the command line
        bool descending = true;

        [[nodiscard]] std::optional<SortOrder> orderOf(const Table& table) const;
    };

    void take(Result<Computed> result);
    void showEmpty(const EmptyText& text, std::function<void()> onLink = {});
    void showNoRows();
    void changeTrace();
    void updateHead();
    void updateChips();
    void markRows();
    void followSelection();
    void copyRows();
    void fillColumnsMenu(QMenu* menu);
    void showRowMenu(const QPoint& at);
    void fillSortMenu(QMenu* menu);
    [[nodiscard]] Scope wholeScope() const;

    ViewState* m_state;
    ThemeHost* m_themes;
    PaneHead* m_head;
    DataTable* m_data;
    EmptyPane* m_empty;
    QStackedLayout* m_stack;
    GrowthPace m_pace;
    BackgroundJob m_job;
    BackgroundJob m_sortJob;
    BackgroundJob m_markJob;
    BackgroundJob m_followJob;
    BackgroundJob m_copyJob;
    QTimer m_slow; ///< runs out when the figures take long enough to say so
    std::shared_ptr<const RowLinks> m_links;
    TracePtr m_linksTrace; ///< what the links are about: the trace, or an earlier picture of it
    Scope m_shownScope;
    SortWish m_sort;
    uint64_t m_rowLimit = 0;
    bool m_isStale = true;
    bool m_followLater = false; ///< a slice was selected while the rows were not there
    MaskPtr m_ownMarks; ///< what this pane marked last
    std::function<void()> m_onLink;
};

} // namespace torchline
