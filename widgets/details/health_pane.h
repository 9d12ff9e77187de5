#pragma once
// HealthPane: how complete the trace is, always; then what was repaired, skipped, unlinked or lost.
// Thread: GUI thread only; the report is made on a worker.

#include "common/background_job.h"
#include "common/empty_pane.h"
#include "common/growth_pace.h"
#include "common/pane_head.h"
#include "common/view_state.h"
#include "details/health_report.h"
#include "details/notice_list.h"

namespace torchline {

class FocusLine;

class HealthPane : public QWidget {
    Q_OBJECT

public:
    HealthPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~HealthPane() override;

    [[nodiscard]] const std::optional<HealthReport>& report() const { return m_report; }
    /// Kinds of notices, known as soon as the trace is set: for a badge.
    [[nodiscard]] int noticeCount() const { return m_noticeCount; }
    [[nodiscard]] NoticeSeverity worst() const { return m_worst; }
    [[nodiscard]] const Table* table() const { return m_report ? &m_report->table : nullptr; }
    [[nodiscard]] bool isBusy() const { return m_job.isRunning(); }
    /// The same whatever the pane shows, so that docks keep their share.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void noticesChanged();
    void exportRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void takeTrace();
    void readTrace();
    void countNotices();
    void showReport(HealthReport report);
    void place();
    void copy();

    ViewState* m_state;
    ThemeHost* m_themes;
    NoticeList* m_list;
    FocusLine* m_focusLine;
    PaneHead* m_head;
    EmptyPane* m_empty;
    GrowthPace m_pace;
    BackgroundJob m_job;
    bool m_isBehind = false; ///< out of sight while the trace grew
    TracePtr m_reportTrace; ///< what the report is about: the trace, or an earlier picture of it
    std::optional<HealthReport> m_report;
    int m_noticeCount = 0;
    NoticeSeverity m_worst = NoticeSeverity::Info;
};

} // namespace torchline
