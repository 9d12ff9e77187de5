#pragma once
// RecordTabs: below the charts of a recording: what the program writes, what went wrong, the operators that took most
// of the time. Only the tab in front works. Thread: GUI thread only.

#include "load_session.h"

#include "capture/session_status.h"
#include "common/view_state.h"

#include <QWidget>

class QStackedWidget;
class QTabBar;

namespace torchline {

class NoticeList;
class OperatorPane;
class OutputPane;
class ThemeHost;

class RecordTabs : public QWidget {
    Q_OBJECT

public:
    enum Tab : int { Output, Errors, Hottest };

    explicit RecordTabs(ThemeHost* themes, QWidget* parent = nullptr);
    ~RecordTabs() override;

    [[nodiscard]] OutputPane* output() { return m_output; }
    [[nodiscard]] NoticeList* errors() { return m_errors; }
    [[nodiscard]] OperatorPane* hottest() { return m_hottest; }
    void showTab(Tab tab);
    void clear();
    void setStatus(const capture::SessionStatus& status);
    /// grows: a longer one follows.
    void setTrace(TracePtr trace, bool grows);
    /// Figures of the last trace are still being computed.
    [[nodiscard]] bool isBusy() const;

Q_SIGNALS:
    /// Of the last trace that was set.
    void sliceRequested(torchline::SliceRef slice);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void updateOperators();

    QTabBar* m_bar;
    QStackedWidget* m_pages;
    OutputPane* m_output;
    NoticeList* m_errors;
    ViewState m_state; ///< of the operators alone
    OperatorPane* m_hottest;
    TracePtr m_trace;
    bool m_grows = false;
};

} // namespace torchline
