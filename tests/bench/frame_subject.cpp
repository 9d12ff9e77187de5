// Frames without labels: the lanes' raster and its blit.

#include "frame_times.h"
#include "slice_stores.h"
#include "timeline_subjects.h"

#include "timeline/lane_raster.h"

#include <QPainter>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

namespace torchline::bench {

namespace {

constexpr QSize kSize{1920, 1080};
constexpr int kFrames = 20;
constexpr int kRepeats = 5;
constexpr int kPanPixels = 16;
/// Of the stretch where the slices lie; the dear ones are those where a pixel is about as wide as a slice or a bucket.
constexpr std::array kZooms{1.0, 1.4, 2.8, 4.0, 5.8, 10.0, 11.7, 23.0, 27.0, 100.0, 1000.0, 10'000.0};

lod::LaneMetrics rowsOf(int height)
{
    lod::LaneMetrics metrics;
    metrics.row = metrics.kernelRow = metrics.collapsed = height;
    metrics.group = metrics.padding = metrics.separator = 0;
    return metrics;
}

class Stage {
public:
    Stage(const SliceStore& store, const lod::TimelineIndex& index, int rowHeight)
        : m_style(QFont(), Theme::light(), RowDensity::Normal)
        , m_layout(index, rowsOf(rowHeight), {})
        , m_store(store)
        , m_screen(kSize, QImage::Format_RGB32)
    {
        m_frame.style = &m_style;
        m_frame.index = &index;
        m_frame.layout = &m_layout;
        m_frame.geometry.size = kSize;
    }

    /// Whole frames, each somewhere else.
    FrameTimes whole(const std::vector<TimeRange>& views)
    {
        return FrameTimes::of(views.size(), kRepeats, [&](size_t i) {
            m_raster.invalidate();
            show(views[i]);
        });
    }

    /// Frames that follow each other a few pixels apart, there and back again.
    FrameTimes panned(const std::vector<TimeRange>& views)
    {
        m_raster.invalidate();
        show(views.front());
        const size_t there = views.size() / 2;
        return FrameTimes::of(
            2 * there, kRepeats, [&](size_t i) { show(views[i < there ? i + 1 : 2 * there - 1 - i]); });
    }

    /// Views of a zoom, panned from near the begin of the slices on; the first one begins with them.
    [[nodiscard]] std::vector<TimeRange> viewsAt(double zoom, double pixelsApart) const
    {
        const TimeRange in = zoom < 1 ? m_store.whole : m_store.dense;
        const double spanNs = static_cast<double>(in.spanNs()) / std::max(zoom, 1.0);
        const double firstNs = zoom <= 1 ? 0 : (static_cast<double>(in.spanNs()) - spanNs) / 3;
        std::vector<TimeRange> views;
        for (int i = 0; i < kFrames; ++i) {
            const auto beginNs = static_cast<int64_t>(firstNs + i * pixelsApart * spanNs / kSize.width());
            views.push_back({beginNs, beginNs + static_cast<int64_t>(spanNs)});
        }
        return views;
    }

    /// Copying the pixels of a frame alone: what the machine gives at this moment.
    double copy()
    {
        QImage other(kSize, QImage::Format_RGB32);
        return FrameTimes::of(kFrames, kRepeats, [&](size_t) {
            std::memcpy(other.bits(), std::as_const(m_screen).constBits(), static_cast<size_t>(other.sizeInBytes()));
        }).median();
    }

    /// The same rows without a pyramid: each slice in view as a rectangle of its own.
    double eachSlice()
    {
        m_frame.geometry.scale = lod::PixelScale(m_store.whole, kSize.width());
        return FrameTimes::of(1, 3, [this](size_t) {
            QPainter painter(&m_screen);
            painter.fillRect(m_screen.rect(), m_frame.theme().lane);
            for (const lod::LaneItem& item : m_layout.itemsIn(0, kSize.height())) {
                for (uint16_t row = 0; row < item.rows; ++row)
                    eachOf(painter, item, row);
            }
        }).median();
    }

private:
    void show(TimeRange view)
    {
        m_frame.geometry.scale = lod::PixelScale(view, kSize.width());
        m_frame.readScale();
        m_raster.update(m_frame);
        QPainter(&m_screen).drawImage(0, 0, m_raster.image());
    }

    void eachOf(QPainter& painter, const lod::LaneItem& item, uint16_t row)
    {
        const lod::SliceRow slices = m_frame.index->row(item.lane, item.frames, row).slices;
        const lod::LaneLayout::Band band = lod::LaneLayout::rowBand(item, row);
        const double height = band.bottom - band.top;
        for (uint32_t k = 0; k < slices.size(); ++k) {
            const int64_t startNs = slices.startNs(k);
            const double left = m_frame.geometry.x(startNs);
            const double right = m_frame.geometry.x(startNs + slices.durationNs(k));
            const auto cls = static_cast<WorkClass>(slices.classIndex(k));
            painter.fillRect(QRectF(left, band.top, right - left, height), m_frame.theme().of(cls).fill);
        }
    }

    TimelineStyle m_style;
    lod::LaneLayout m_layout;
    TimelineFrame m_frame;
    LaneRaster m_raster;
    const SliceStore& m_store;
    QImage m_screen;
};

struct Worst {
    double p99 = 0;
    double zoom = 0;
    void meet(double zoomNow, double ms)
    {
        if (ms > p99)
            *this = {ms, zoomNow};
    }
};

void sweep(Stage& stage, const SliceStore& store, const char* rows)
{
    Worst whole;
    Worst panned;
    double sum = 0;
    std::vector<double> zooms(kZooms.begin(), kZooms.end());
    if (store.whole != store.dense)
        zooms.insert(zooms.begin(), 0.5); // the whole, with what lies far away
    for (const double zoom : zooms) {
        constexpr double kElsewhere = 2011.3; ///< more than a view
        const double apart = zoom > kFrames * 1.5 ? kElsewhere : kElsewhere / 100;
        const FrameTimes times = stage.whole(stage.viewsAt(zoom, apart));
        whole.meet(zoom, times.p99());
        sum += times.median();
        panned.meet(zoom, stage.panned(stage.viewsAt(zoom, kPanPixels)).p99());
    }
    std::printf("%s-whole %f\n%s-whole-zoom %f\n%s-panned %f\n%s-sum %f\n", rows, whole.p99, rows, whole.zoom, rows,
        panned.p99, rows, sum);
}

} // namespace

bool drawFrames(const std::string& shapeName, uint64_t slices)
{
    const auto shape = shapeNamed(shapeName);
    if (!shape)
        return false;
    const SliceStore store = makeSlices(*shape, slices);
    const auto index = lod::TimelineIndex::build(store.trace, WorkClasses(*store.trace));
    Stage low(store, *index, kSize.height() / kRows);
    sweep(low, store, "200x5");
    std::printf("copy %f\n", low.copy());
    Stage high(store, *index, 20);
    sweep(high, store, "54x20");
    if (*shape == Shape::Flat) {
        const double frame = low.whole(std::vector<TimeRange>(kFrames, store.whole)).median();
        std::printf("all-in-view %f\neach-slice %f\n", frame, low.eachSlice());
    }
    return true;
}

} // namespace torchline::bench
