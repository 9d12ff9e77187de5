#pragma once
// A small trace with all that the timeline shows, and a view of it that has been laid out.
// Thread: GUI thread of a test.

#include "timeline/timeline_view.h"
#include "trace_fixture.h"

#include <QImage>
#include <QTest>

namespace torchline {

/// Times in us: steps 1 (0-500) and 2 (500-1000) on the host; a step holds a matrix product with its launch and kernel,
/// an addition, a module around them; backward on a second thread from 600; a copy at the end; memory of GPU 0.
inline std::shared_ptr<const TraceSnapshot> timelineTrace()
{
    TraceFixture f;
    constexpr int64_t us = 1000;
    const uint32_t main = f.lane("4711", "4711");
    const uint32_t autograd = f.lane("4711", "4790");
    const uint32_t stream = f.lane("0", "7");
    f.builder.setProcessName(f.name("4711"), f.name("python"));
    f.builder.setThreadName(f.name("4711"), f.name("4711"), f.name("thread 4711 (main)"));
    uint32_t id = 0;
    for (int step = 0; step < 2; ++step) {
        const int64_t at = step * 500 * us;
        f.annotation(main, step == 0 ? "ProfilerStep#1" : "ProfilerStep#2", at, 500 * us, ++id);
        f.python(main, "nn.Module: Net_0", at + 10 * us, 300 * us);
        f.op(main, "aten::mm", at + 20 * us, 100 * us, ++id);
        f.call(main, "cudaLaunchKernel", at + 60 * us, 20 * us, id, id);
        f.kernel(stream, "gemm_kernel", at + 100 * us, 80 * us, id, id)
            .args({{"grid", "[8,1,1]"}, {"block", "[128,1,1]"}});
        f.op(main, "aten::add", at + 150 * us, 50 * us, ++id);
        f.call(main, "cudaLaunchKernel", at + 160 * us, 10 * us, id, id);
        f.kernel(stream, "add_kernel", at + 200 * us, 40 * us, id, id);
        f.op(main, "aten::view", at + 250 * us, 0, ++id);
    }
    f.op(autograd, "MmBackward0", 600 * us, 200 * us, ++id);
    f.arrow("fwdbwd", "1", main, 520 * us, autograd, 600 * us);
    f.memory(5 * us, 1 << 20, 1, 0, 1 << 20, 8 << 20);
    f.memory(400 * us, 5 << 20, 1, 0, 6 << 20, 8 << 20);
    f.memory(700 * us, -(4 << 20), 1, 0, 2 << 20, 8 << 20);
    return f.snapshot(1);
}

/// Window-sized view that shows the trace.
class TimelineUnderTest {
public:
    ViewState state;
    ThemeHost themes;
    TimelineView view{&state, &themes};

    explicit TimelineUnderTest(std::shared_ptr<const TraceSnapshot> trace = timelineTrace(), QSize size = {1200, 700})
    {
        QFont font = view.font();
        font.setPixelSize(13);
        // A picture has no sub-pixels, whatever the machine says of its screen.
        font.setStyleStrategy(QFont::NoSubpixelAntialias);
        view.setFont(font);
        view.resize(size);
        view.show();
        state.setTrace(std::move(trace));
        settle();
    }

    void settle()
    {
        QTRY_VERIFY(view.isSettled() && (!state.trace() || view.index()));
        QCoreApplication::processEvents();
    }
    [[nodiscard]] const TraceSnapshot& trace() const { return *state.trace(); }
    [[nodiscard]] SliceRef named(std::string_view name, int nth = 0) const
    {
        for (uint32_t l = 0; l < trace().lanes().size(); ++l) {
            const Lane& lane = trace().lane(LaneId(l));
            for (uint32_t i = 0; i < lane.size(); ++i) {
                if (trace().text(lane.name(i)) == name && nth-- == 0)
                    return {LaneId(l), i};
            }
        }
        return {};
    }
    [[nodiscard]] QPoint centreOf(SliceRef slice) { return view.sliceRect(slice).center().toPoint(); }
    void click(QPoint pos, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, modifiers, pos);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&view, key, modifiers); }
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = {});
    void wheel(QPoint pos, QPoint angle, Qt::KeyboardModifiers modifiers = {});
    void moveTo(QPoint pos)
    {
        QMouseEvent event(QEvent::MouseMove, pos, view.viewport()->mapToGlobal(pos), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(view.viewport(), &event);
    }
    QImage picture() { return view.viewport()->grab().toImage(); }
    [[nodiscard]] std::string selected() const { return nameOf(trace(), state.selection()); }
};

inline void TimelineUnderTest::drag(QPoint from, QPoint to, Qt::MouseButton button, Qt::KeyboardModifiers modifiers)
{
    const auto send = [&](QEvent::Type type, QPoint pos, Qt::MouseButton cause, Qt::MouseButtons held) {
        QMouseEvent event(type, pos, view.viewport()->mapToGlobal(pos), cause, held, modifiers);
        QCoreApplication::sendEvent(view.viewport(), &event);
    };
    send(QEvent::MouseButtonPress, from, button, button);
    for (int i = 1; i <= 5; ++i)
        send(QEvent::MouseMove, from + (to - from) * i / 5, Qt::NoButton, button);
    send(QEvent::MouseButtonRelease, to, button, Qt::NoButton);
}

inline void TimelineUnderTest::wheel(QPoint pos, QPoint angle, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(
        pos, view.viewport()->mapToGlobal(pos), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view.viewport(), &event);
}

} // namespace torchline
