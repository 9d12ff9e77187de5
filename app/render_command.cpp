#include "render_command.h"

#include "application.h"
#include "load_session.h"
#include "main_window.h"
#include "memory_page.h"
#include "picture.h"
#include "settings.h"
#include "workspace.h"

#include "base/text.h"
#include "common/lane_title.h"
#include "export/slice_order.h"
#include "model/steps.h"
#include "operators/kernel_pane.h"
#include "operators/memory_pane.h"
#include "operators/operator_pane.h"
#include "operators/step_pane.h"
#include "query/scope.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QFontDatabase>
#include <QHashFunctions>

#include <algorithm>
#include <array>
#include <functional>

#include <fnmatch.h>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFontPixels = 13;

/// Nothing of the desktop may change the picture.
void fixEnvironment(const RenderOptions& options)
{
    for (const char* name : {"QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "QT_FONT_DPI", "QT_SCREEN_SCALE_FACTORS",
             "QT_AUTO_SCREEN_SCALE_FACTOR", "QT_ENABLE_HIGHDPI_SCALING", "QT_SCALE_FACTOR_ROUNDING_POLICY"})
        qunsetenv(name);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    // Widgets that draw pixels themselves draw those of the picture; vectors have none.
    const bool hasPixels = options.format == PictureFormat::Png;
    qputenv("QT_SCALE_FACTOR", QByteArray::number(hasPixels ? options.scale : 1.0));
}

/// What the options mean in this trace. Everything that only the trace can refuse is refused here.
struct Wish {
    Scope scope; ///< without the filter
    std::optional<TimeRange> visible;
    SliceRef selection;
    MaskPtr marks; ///< what the filter lets in; null without one
};

Result<SliceRef> sliceOfId(const TraceSnapshot& trace, uint64_t id)
{
    if (id >= trace.sliceCount())
        return Error(ErrorCode::Usage,
            "--select: there is no slice " + std::to_string(id) + " (ids are 0 to "
                + std::to_string(trace.sliceCount() - std::min<uint64_t>(trace.sliceCount(), 1)) + ")");
    SliceOrder order(trace);
    std::optional<SliceRef> slice = order.next();
    for (uint64_t i = 0; i < id && slice; ++i)
        slice = order.next();
    return *slice;
}

/// A glob fits the name that the lane has in the file, its id or what stands in its header.
bool matchesAny(const TraceSnapshot& trace, LaneId lane, const std::vector<std::string>& globs)
{
    const std::array<std::string, 3> labels{
        trace.laneLabel(lane), std::string(trace.tid(lane)), laneTitle(trace, lane).toStdString()};
    return std::ranges::any_of(globs, [&labels](const std::string& glob) {
        return std::ranges::any_of(
            labels, [&glob](const std::string& label) { return ::fnmatch(glob.c_str(), label.c_str(), 0) == 0; });
    });
}

Result<Wish> readWish(const TraceSnapshot& trace, const RenderOptions& options)
{
    Wish wish;
    wish.scope.range = options.range;
    wish.scope.step = options.step;
    Scope whole = wish.scope;
    whole.filter = options.filter;
    auto resolved = resolveScope(trace, whole);
    if (!resolved)
        return resolved.error();
    if (!options.filter.empty())
        wish.marks = std::make_shared<const SliceMask>(std::move(resolved->slices));
    for (const std::string& glob : options.lanes) {
        if (std::ranges::none_of(trace.laneOrder(), [&](LaneId lane) { return matchesAny(trace, lane, {glob}); }))
            return Error(ErrorCode::Usage, "--lanes: no lane matches '" + escapeControls(glob) + "'");
    }
    if (options.range) {
        const TimeRange all = trace.span();
        wish.visible = TimeRange{std::max(options.range->beginNs, all.beginNs),
            std::min(options.range->endNs, std::max(all.endNs, int64_t{1}))};
        if (wish.visible->isEmpty())
            wish.visible = options.range;
    }
    if (options.step) {
        for (const StepMark& mark : profilerSteps(trace)) {
            if (mark.number == options.step)
                wish.visible = mark.range;
        }
    }
    if (options.select) {
        const auto slice = sliceOfId(trace, *options.select);
        if (!slice)
            return slice.error();
        wish.selection = *slice;
    }
    return wish;
}

/// Runs the event loop until the views have what they compute beside it.
void settle(const std::function<bool()>& isSettled)
{
    QCoreApplication::sendPostedEvents();
    while (!isSettled())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::processEvents();
}

/// Nobody who draws into a file needs to know what this platform cannot do.
void dropMessage(QtMsgType, const QMessageLogContext&, const QString&)
{
}

QString wide(const std::string& text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

class Renderer {
public:
    Renderer(const RenderOptions& options, LoadedTrace loaded, Wish wish)
        : m_options(options)
        , m_loaded(std::move(loaded))
        , m_wish(std::move(wish))
        , m_themes(options.theme)
        , m_spec{options.format, options.width, options.height, options.scale}
    {
        dressApplication(&m_themes);
        QFont font = QApplication::font();
        // Without a desktop there is no font of its choice: the one that run.sh installs, where it is.
        if (QFontDatabase::hasFamily(u"Inter"_s))
            font.setFamilies({u"Inter"_s, font.family()});
        font.setPixelSize(kFontPixels);
        QApplication::setFont(font);
    }

    Status run()
    {
        switch (m_options.view) {
        case RenderView::Window:
            return drawWindow();
        case RenderView::Operators:
            return drawTable<OperatorPane>();
        case RenderView::Kernels:
            return drawTable<KernelPane>();
        case RenderView::Steps:
            return drawTable<StepPane>();
        case RenderView::Memory:
            return drawMemory();
        case RenderView::Timeline:
            break;
        }
        return drawTimeline();
    }

private:
    /// What the timeline shows, in the window too.
    void prepare(TimelineView& timeline)
    {
        if (!m_options.lanes.empty())
            timeline.setLaneFilter([this](LaneId lane) { return matchesAny(*m_loaded.trace, lane, m_options.lanes); });
        timeline.setArrowMode(m_options.arrows == RenderArrows::None ? ArrowMode::None
                : m_options.arrows == RenderArrows::All              ? ArrowMode::All
                                                                     : ArrowMode::Selection);
    }

    void prepare(ViewState& state)
    {
        state.setScope(m_wish.scope);
        if (m_wish.visible)
            state.goTo(*m_wish.visible);
        state.setMarks(m_wish.marks);
        if (m_wish.selection.isValid())
            state.reveal(m_wish.selection);
    }

    void prepare(TablePane& pane)
    {
        if (!m_options.filter.empty())
            pane.setFilter(wide(m_options.filter));
        if (m_options.sort)
            pane.setSort(m_options.sort->key, m_options.sort->descending);
        pane.setRowLimit(m_options.limit);
        pane.refresh();
    }

    Status drawWidget(QWidget& widget)
    {
        // Nobody types into a picture.
        if (QWidget* focus = widget.focusWidget())
            focus->clearFocus();
        return writePicture(m_options.out, m_spec, m_themes.theme().panel, [&widget](QPainter& painter, QSize) {
            widget.render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
        });
    }

    Status drawTimeline()
    {
        ViewState state;
        TimelineView timeline(&state, &m_themes);
        timeline.resize(m_spec.logicalSize());
        timeline.setIndex(m_loaded.index);
        state.setTrace(m_loaded.trace);
        prepare(timeline);
        prepare(state);
        settle([&timeline] { return timeline.isSettled(); });
        return writePicture(m_options.out, m_spec, m_themes.theme().panel,
            [&timeline](QPainter& painter, QSize size) { timeline.drawPicture(painter, size); });
    }

    template <typename PaneType> Status drawTable()
    {
        ViewState state;
        PaneType pane(&state, &m_themes);
        pane.resize(m_spec.logicalSize());
        state.setTrace(m_loaded.trace);
        prepare(state);
        prepare(pane);
        pane.show();
        settle([&pane] { return !pane.isBusy(); });
        return drawWidget(pane);
    }

    Status drawMemory()
    {
        ViewState state;
        MemoryPage page(&state, &m_themes);
        page.resize(m_spec.logicalSize());
        state.setTrace(m_loaded.trace);
        prepare(state);
        prepare(*page.table());
        page.show();
        settle([&page] { return page.isSettled(); });
        return drawWidget(page);
    }

    Status drawWindow()
    {
        const auto settings = Settings::forgetful();
        MainWindow window(&m_themes, *settings, nullptr);
        window.resize(m_spec.logicalSize());
        window.show();
        window.showTrace(m_loaded);
        TimelineView& timeline = *window.workspace().timeline();
        prepare(timeline);
        prepare(window.state());
        prepare(*window.workspace().table(Pane::Operators));
        settle([&window] { return window.isSettled(); });
        // What the panes showed while they filled decided how the docks shared the room; now all is there.
        window.workspace().sizeDocks();
        settle([&window] { return window.isSettled(); });
        return writePicture(m_options.out, m_spec, m_themes.theme().window,
            [&window](QPainter& painter, QSize) { window.drawPicture(painter); });
    }

    const RenderOptions& m_options;
    LoadedTrace m_loaded;
    Wish m_wish;
    ThemeHost m_themes;
    PictureSpec m_spec;
};

} // namespace

int runRender(const RenderOptions& options)
{
    fixEnvironment(options);
    qInstallMessageHandler(dropMessage);
    QHashSeed::setDeterministicGlobalSeed(); // the order of fonts in a PDF
    int argc = 1;
    std::string name = "torchline";
    char* argv[] = {name.data(), nullptr};
    QApplication application(argc, argv);
    auto loaded = LoadSession::loadNow(options.files);
    if (!loaded)
        return report(loaded.error());
    auto wish = readWish(*loaded->trace, options);
    if (!wish)
        return report(wish.error());
    const std::shared_ptr<const TraceSnapshot> trace = loaded->trace;
    if (const Status drawn = Renderer(options, std::move(*loaded), std::move(*wish)).run(); !drawn)
        return report(drawn.error());
    reportNotices(*trace);
    return kDone;
}

} // namespace torchline
