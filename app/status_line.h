#pragma once
// StatusLine: the foot of the window: file, slices, length, notices; what is selected; how far loading is.
// Thread: GUI thread only; sums over marked slices are made on a worker.

#include "common/background_job.h"
#include "common/theme_host.h"
#include "common/view_state.h"
#include "lod/timeline_index.h"

#include "load_session.h"

#include <QWidget>

class QAction;

namespace torchline {

class ElidedLabel;
class LinkLabel;

class StatusLine : public QWidget {
    Q_OBJECT

public:
    /// cancel: ends loading.
    StatusLine(ThemeHost* themes, ViewState* state, QAction* cancel, QWidget* parent = nullptr);

    /// What is open, for people; empty: nothing.
    void setFileText(const QString& text, const QString& toolTip);
    /// When devices are busy, for the share of the range; null: nothing is said of it.
    void setIndex(std::shared_ptr<const lod::TimelineIndex> index);
    void showLoading(const LoadSession& session);
    void hideLoading();
    /// What is said while nothing is selected and no file is open.
    [[nodiscard]] QString selectionText() const;
    [[nodiscard]] QString loadingText() const;

Q_SIGNALS:
    void noticesRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showTrace();
    void showSelection();
    void setSelectionText(const QString& text);
    void fit();
    [[nodiscard]] QString rangeText() const;

    ThemeHost* m_themes;
    ViewState* m_state;
    std::shared_ptr<const lod::TimelineIndex> m_index;
    BackgroundJob m_sums;
    ElidedLabel* m_file;
    ElidedLabel* m_facts;
    QWidget* m_warning;
    LinkLabel* m_notices;
    ElidedLabel* m_loading;
    LinkLabel* m_cancel;
    ElidedLabel* m_selection;
};

/// "412 MiB of 1.02 GiB, 1.3 GB/s, 118 MiB memory"; without a known length the figures alone.
[[nodiscard]] QString progressText(const LoadProgress& progress, int64_t elapsedMs);

} // namespace torchline
