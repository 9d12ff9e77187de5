#pragma once
// LabelPainter: names and durations on slices, idle times on the busy strip. Names are shaped once and kept; panning
// and zooming only choose where to cut. Thread: GUI thread only.
// Cost: a few us a label; new names cost 15 us, so they are spread over frames.

#include "timeline/lane_raster.h"
#include "timeline/shaped_text.h"
#include "timeline/timeline_frame.h"

#include <QElapsedTimer>

#include <unordered_map>

class QPainter;

namespace torchline {

/// A name without namespace, "nn.Module: ", "aten::", "void", template arguments and parameters.
[[nodiscard]] QString shortName(const QString& name);

class LabelPainter {
public:
    static constexpr double kLeastWidth = 30; ///< logical pixels that must be free
    static constexpr double kLeastElided = 56; ///< from here on names are cut in the middle
    static constexpr double kEdge = 4;
    static constexpr double kBeforeDuration = 14;

    explicit LabelPainter(const TimelineStyle& style);

    /// Labels of slices that meet dirty. Without a budget all are drawn; else those whose names are new and did not fit
    /// into it are left out and isComplete() says so.
    void paint(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty, bool hasBudget);
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// Names are kept by their ids, which mean others in another trace.
    void forgetNames();

    /// How a name is shown in a width, "" for not at all; for tests.
    [[nodiscard]] QString textFor(const TraceSnapshot& trace, NameId name, double width);

private:
    struct Name {
        ShapedText full;
        ShapedText brief; ///< empty: the same as full
    };
    struct Choice {
        const ShapedText* text = nullptr; ///< null: no label
        int head = -1; ///< -1: whole
        int tail = 0;
        double width = 0;
    };
    using Names = std::unordered_map<uint32_t, Name>;
    using Times = std::unordered_map<int64_t, ShapedText>; ///< by ns

    const Name* nameOf(const TraceSnapshot& trace, NameId id, Names& names, const LabelFont& font);
    static const ShapedText& timeOf(int64_t durationNs, Times& times, const LabelFont& font);
    [[nodiscard]] static Choice choose(const Name& name, const LabelFont& font, double width);
    void paintRow(
        QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item, uint16_t row, int x0, int x1);
    void paintSlice(QPainter& painter, const TimelineFrame& frame, SliceRef slice, const QRectF& rect);
    void paintIdle(QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item);

    static constexpr size_t kMostNames = 20'000;
    static constexpr size_t kMostTimes = 4000;
    static constexpr int kMostLabels = 1500;
    static constexpr qint64 kBudgetNs = 3'500'000;

    LabelFont m_font;
    LabelFont m_fontMedium;
    Names m_names;
    Names m_namesMedium;
    Times m_times;
    Times m_timesMedium;
    QElapsedTimer m_spent;
    bool m_hasBudget = false;
    bool m_isComplete = true;
    int m_drawn = 0;
};

} // namespace torchline
