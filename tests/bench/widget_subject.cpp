// The real widget on the platform that QT_QPA_PLATFORM names: whole frames with labels and arrows, hover, selection.

#include "frame_times.h"
#include "timeline_subjects.h"

#include "import/load.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>

#include <array>
#include <cstdio>
#include <random>

namespace torchline::bench {

namespace {

constexpr QSize kSize{1920, 1080};
constexpr int kFrames = 20;
constexpr int kRepeats = 3;
/// Of the trace; the further ones show the names of everything in view.
constexpr std::array kZooms{1.0, 10.0, 100.0, 1000.0, 10'000.0};

class View {
public:
    explicit View(const std::shared_ptr<const TraceSnapshot>& trace)
    {
        m_view.resize(kSize);
        m_view.show();
        m_state.setTrace(trace);
        m_view.setUpdatesEnabled(false); // the first frame is one of those that are measured
        while (!m_view.isSettled() || !m_view.index())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        selectWithArrows();
        m_view.setUpdatesEnabled(true);
    }

    /// The very first frame, which makes all buffers and fonts; then each zoom for the first time in this process, with
    /// names that nobody has drawn yet.
    void firstFrames()
    {
        const double opened = msToShow(kZooms.front());
        double first = 0;
        for (size_t i = 1; i < kZooms.size(); ++i)
            first = std::max(first, msToShow(kZooms[i]));
        std::printf("opened %f\nfirst %f\n", opened, first);
    }

    void sweep()
    {
        double whole = 0;
        double panned = 0;
        size_t arrows = 0;
        for (const double zoom : kZooms) {
            const TimeRange view = viewAt(zoom);
            whole = std::max(whole, zoomedAt(view.beginNs, view.spanNs()).p99());
            panned = std::max(panned, pannedAt(view.beginNs, view.spanNs()).p99());
            arrows = std::max(arrows, m_view.arrowPlan().lines.size() + m_view.arrowPlan().chips.size());
        }
        std::printf("whole %f\npanned %f\narrows %zu\n", whole, panned, arrows);
    }

    void hoverAndSelect()
    {
        const int64_t spanNs = m_state.trace()->span().spanNs() / 300;
        const int64_t beginNs = m_state.trace()->startNs(m_state.selection()) - spanNs / 2;
        m_state.setVisible({beginNs, beginNs + spanNs});
        finish();
        std::minstd_rand random(1);
        std::vector<QPoint> places;
        constexpr int kPlaces = 100;
        while (places.size() < kPlaces) {
            const QRect lanes = m_view.geometryOfView().lanesRect();
            const QPoint pos(lanes.left() + static_cast<int>(random() % static_cast<unsigned>(lanes.width())),
                lanes.top() + static_cast<int>(random() % static_cast<unsigned>(lanes.height())));
            send(QEvent::MouseMove, pos, Qt::NoButton, Qt::NoButton);
            if (m_state.hovered().isValid())
                places.push_back(pos);
        }
        finish();
        const FrameTimes hover = FrameTimes::of(places.size(), kRepeats, [&](size_t i) {
            send(QEvent::MouseMove, places[i], Qt::NoButton, Qt::NoButton);
            finish();
        });
        const FrameTimes select = FrameTimes::of(places.size(), kRepeats, [&](size_t i) {
            send(QEvent::MouseButtonPress, places[i], Qt::LeftButton, Qt::LeftButton);
            send(QEvent::MouseButtonRelease, places[i], Qt::LeftButton, Qt::NoButton);
            finish();
        });
        std::printf("hover %f\nselect %f\n", hover.p99(), select.p99());
    }

private:
    /// Each a little wider than the last: nothing of the picture before can be kept.
    FrameTimes zoomedAt(int64_t beginNs, int64_t spanNs)
    {
        return FrameTimes::of(kFrames, kRepeats, [&](size_t i) {
            const int64_t wider = spanNs / 1000 * static_cast<int64_t>(i + 1);
            show({beginNs - wider, beginNs + spanNs + wider});
        });
    }

    /// Around the selection.
    [[nodiscard]] TimeRange viewAt(double zoom) const
    {
        const auto spanNs = static_cast<int64_t>(static_cast<double>(m_state.trace()->span().spanNs()) / zoom);
        const int64_t beginNs = m_state.trace()->startNs(m_state.selection()) - spanNs / 2;
        return {beginNs, beginNs + spanNs};
    }

    FrameTimes pannedAt(int64_t beginNs, int64_t spanNs)
    {
        constexpr int kPixels = 16;
        return FrameTimes::of(kFrames, kRepeats, [&](size_t i) {
            const int64_t by = spanNs * kPixels / kSize.width() * (static_cast<int64_t>(i) - kFrames / 2);
            show({beginNs + by, beginNs + by + spanNs});
        });
    }

    double msToShow(double zoom)
    {
        const TimeRange view = viewAt(zoom);
        const double beginMs = threadMs();
        show(view);
        const double ms = threadMs() - beginMs;
        finish();
        return ms;
    }

    void show(TimeRange view)
    {
        m_state.setVisible(view);
        m_view.viewport()->repaint();
    }

    /// An operator in the middle of the trace with arrows to its kernels.
    void selectWithArrows()
    {
        const TraceSnapshot& trace = *m_state.trace();
        const int64_t middleNs = trace.span().beginNs + trace.span().spanNs() / 2;
        for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
            const Lane& lane = trace.lane(LaneId(l));
            for (uint32_t i = lane.lowerBound(middleNs); i < lane.size(); ++i) {
                if (isOperator(lane.kind(i)) && trace.workOfOwner({LaneId(l), i}).size() > 1) {
                    m_state.reveal({LaneId(l), i});
                    return;
                }
            }
        }
        std::fprintf(stderr, "no operator with device work\n");
        std::exit(2);
    }

    void send(QEvent::Type type, QPoint pos, Qt::MouseButton cause, Qt::MouseButtons held)
    {
        QMouseEvent event(type, pos, m_view.viewport()->mapToGlobal(pos), cause, held, {});
        QCoreApplication::sendEvent(m_view.viewport(), &event);
    }

    static void finish() { QCoreApplication::processEvents(); }

    ViewState m_state;
    ThemeHost m_themes;
    TimelineView m_view{&m_state, &m_themes};
};

} // namespace

bool drawWidget(const std::string& file)
{
    const auto trace = loadTraces({file});
    if (!trace)
        return false;
    View view(*trace);
    view.sweep();
    view.hoverAndSelect();
    return true;
}

bool drawFirstFrames(const std::string& file)
{
    const auto trace = loadTraces({file});
    if (!trace)
        return false;
    View(*trace).firstFrames();
    return true;
}

} // namespace torchline::bench
