#pragma once
// RecordPage: the form before a recording, and while it runs its state, counters, charts and output. Thread: GUI thread
// only.

#include "record/recording.h"
#include "record/steps_before.h"

#include "common/background_job.h"
#include "common/theme_host.h"

#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace torchline {

class LiveCharts;
class RecordFacts;
class RecordForm;
class Settings;
class RecordTabs;
class SlowStepBar;
class StateChain;

class RecordPage : public QWidget {
    Q_OBJECT

public:
    struct Actions {
        const QAction* view;
        const QAction* pause;
        const QAction* stop;
        const QAction* save;
    };
    /// The actions: those whose keys do the same, to be told.
    RecordPage(ThemeHost* themes, Settings& settings, const Actions& actions, QWidget* parent = nullptr);

    /// What it shows; null: the form. The recording must outlive it being shown.
    void setRecording(Recording* recording);
    [[nodiscard]] RecordForm* form() { return m_form; }
    [[nodiscard]] RecordTabs* tabs() { return m_tabs; }
    [[nodiscard]] SlowStepBar* slowBar() { return m_slow; }
    /// Figures of the newest trace are still being computed.
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] QString stateText() const;

Q_SIGNALS:
    void startRequested(const torchline::LaunchSetup& setup);
    void viewRequested(); ///< the trace as it is
    void pauseRequested(); ///< or to go on
    void stopRequested();
    void endRequested();
    void saveRequested();
    void formRequested(); ///< another recording
    void sliceRequested(torchline::SliceRef slice); ///< of the newest trace, in the live view

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* buildBoard();
    QWidget* buildHead();
    void showStatus();
    void showStopTip();
    void showData();
    void showEnd(const capture::SessionStatus& status);

    ThemeHost* m_themes;
    Actions m_actions;
    Recording* m_recording = nullptr;
    RecordForm* m_form;
    QStackedWidget* m_pages;
    QLabel* m_dot;
    QLabel* m_state;
    QLabel* m_time;
    QLabel* m_command;
    QLabel* m_message;
    QWidget* m_messageBar;
    QLabel* m_messageIcon;
    QPushButton* m_view;
    QPushButton* m_pause;
    QPushButton* m_end;
    QPushButton* m_again;
    QPushButton* m_stop; ///< save, once it is done
    StateChain* m_chain;
    RecordFacts* m_facts;
    LiveCharts* m_charts;
    SlowStepBar* m_slow;
    RecordTabs* m_tabs;
    BackgroundJob m_slowJob{this};
    StepsBefore m_before;
};

} // namespace torchline
