#pragma once
// LiveCharts: the last half minute of a recording on one time axis: step times, memory, records a second.
// Thread: GUI thread only. Cost of a paint: O(pixels log samples).

#include "record/live_view_data.h"

#include "capture/session_status.h"
#include "common/theme_host.h"

#include <QWidget>

#include <deque>

namespace torchline {

class LiveCharts : public QWidget {
    Q_OBJECT

public:
    explicit LiveCharts(ThemeHost* themes, QWidget* parent = nullptr);

    void clear();
    void setStatus(const capture::SessionStatus& status);
    void setData(std::shared_ptr<const LiveViewData> newest);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row;
    struct Rate {
        int64_t atNs;
        uint64_t perSecond;
    };
    void paintRuler(QPainter& painter) const;
    void paintRow(QPainter& painter, const Row& row) const;
    void paintSteps(QPainter& painter, const QRect& plot) const;
    void paintMemory(QPainter& painter, const QRect& plot) const;
    void paintRate(QPainter& painter, const QRect& plot) const;
    void paintGrid(QPainter& painter, const QRect& plot) const;
    void paintScale(QPainter& painter, const QRect& plot, const QString& top) const;
    [[nodiscard]] int64_t shownEndNs() const; ///< of the trace, at the right edge
    [[nodiscard]] int plotLeft() const;
    [[nodiscard]] double xOf(int64_t traceNs, const QRect& plot) const;
    [[nodiscard]] int64_t longestStepNs() const;

    ThemeHost* m_themes;
    std::shared_ptr<const LiveViewData> m_data;
    std::deque<Rate> m_rates;
    int64_t m_nowNs = 0; ///< steady clock, of the last status
    bool m_isOver = false;
};

} // namespace torchline
