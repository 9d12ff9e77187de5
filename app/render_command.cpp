#include "render_command.h"

#include "application.h"
#include "load_session.h"
#include "main_window.h"
#include "memory_page.h"
#include "picture.h"
#include "render_wish.h"
#include "settings.h"
#include "workspace.h"

#include "operators/kernel_pane.h"
#include "operators/memory_pane.h"
#include "operators/operator_pane.h"
#include "operators/step_pane.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QFontDatabase>
#include <QHashFunctions>

#include <algorithm>
#include <functional>

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
    Renderer(const RenderOptions& options, LoadedTrace loaded, RenderWish wish)
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
    void prepare(ViewState& state, TimelineView& timeline)
    {
        if (m_wish.session)
            m_wish.session->applyTo(state, timeline, true);
        if (!m_options.lanes.empty())
            timeline.setLaneFilter([this](LaneId lane) { return laneMatches(*m_loaded.trace, lane, m_options.lanes); });
        timeline.setArrowMode(m_options.arrows == RenderArrows::None ? ArrowMode::None
                : m_options.arrows == RenderArrows::All              ? ArrowMode::All
                                                                     : ArrowMode::Selection);
        prepare(state);
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
        state.setTrace(m_loaded.facts, false);
        prepare(state, timeline);
        settle([&timeline] { return timeline.isSettled(); });
        return writePicture(m_options.out, m_spec, m_themes.theme().panel,
            [&timeline](QPainter& painter, QSize size) { timeline.drawPicture(painter, size); });
    }

    template <typename PaneType> Status drawTable()
    {
        ViewState state;
        PaneType pane(&state, &m_themes);
        pane.resize(m_spec.logicalSize());
        state.setTrace(m_loaded.facts, false);
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
        state.setTrace(m_loaded.facts, false);
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
        prepare(window.state(), *window.workspace().timeline());
        prepare(*window.workspace().table(Pane::Operators));
        settle([&window] { return window.isSettled(); });
        // What the panes showed while they filled decided how the docks shared the room; now all is there.
        window.workspace().sizeDocks();
        settle([&window] { return window.isSettled(); });
        if (m_wish.selection.isValid())
            window.state().reveal(m_wish.selection);
        return writePicture(m_options.out, m_spec, m_themes.theme().window,
            [&window](QPainter& painter, QSize) { window.drawPicture(painter); });
    }

    const RenderOptions& m_options;
    LoadedTrace m_loaded;
    RenderWish m_wish;
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
    const auto input = RenderInput::of(options.files);
    if (!input)
        return report(input.error());
    auto loaded = LoadSession::loadNow(input->traces);
    if (!loaded)
        return report(loaded.error());
    auto wish = RenderWish::read(*loaded->index, options, *input);
    if (!wish)
        return report(wish.error());
    input->reportChanges();
    const std::shared_ptr<const TraceSnapshot> trace = loaded->trace;
    if (const Status drawn = Renderer(options, std::move(*loaded), std::move(*wish)).run(); !drawn)
        return report(drawn.error());
    reportNotices(*trace);
    return kDone;
}

} // namespace torchline
