#pragma once
// SearchBox: the search of the window: a condition of the filter language, what it has found, where one is among it.
// Hits stand in ViewState::hits(). Thread: GUI thread only; it searches beside the window, newest condition only.

#include "common/background_job.h"
#include "common/filter_field.h"
#include "common/growth_pace.h"
#include "common/view_state.h"

#include <QWidget>

#include <optional>

namespace torchline {

class TimelineView;

class SearchBox : public QWidget {
    Q_OBJECT

public:
    /// timeline: gets the focus when the search is left; its index is searched.
    SearchBox(ThemeHost* themes, ViewState* state, TimelineView* timeline, QWidget* parent = nullptr);
    ~SearchBox() override;

    [[nodiscard]] FilterField* field() { return m_field; }
    /// Takes the focus, everything typed is marked.
    void begin();
    [[nodiscard]] bool isBusy() const { return m_job.isRunning(); }
    /// What is wrong with the condition, as it stands under the field; empty: nothing.
    [[nodiscard]] QString faultText() const;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    class Bubble;

    void search();
    void takeIndex();
    void setHits(HitsPtr hits);
    void showNote();
    void showFault();

    ThemeHost* m_themes;
    ViewState* m_state;
    TimelineView* m_timeline;
    FilterField* m_field;
    Bubble* m_bubble;
    GrowthPace m_pace;
    BackgroundJob m_job;
    QString m_problem; ///< why the last search did not come to an end
};

} // namespace torchline
