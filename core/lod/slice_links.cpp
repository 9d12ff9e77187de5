#include "lod/slice_links.h"

#include <algorithm>
#include <cmath>

namespace torchline::lod {

namespace {

LinkKind kindOf(const Arrow& arrow)
{
    return arrow.category == "fwdbwd" || arrow.category == "forward_backward" ? LinkKind::ForwardBackward
                                                                              : LinkKind::Other;
}

bool hasEnds(const std::vector<SliceLink>& links, SliceRef from, SliceRef to)
{
    return std::ranges::any_of(links, [&](const SliceLink& link) { return link.from == from && link.to == to; });
}

} // namespace

std::vector<SliceLink> linksOf(const TraceSnapshot& trace, SliceRef slice, size_t atMost)
{
    std::vector<SliceLink> links;
    if (!slice.isValid())
        return links;
    const auto add = [&](SliceRef from, SliceRef to, LinkKind kind) {
        if (from.isValid() && to.isValid() && links.size() < atMost && !hasEnds(links, from, to))
            links.push_back({from, to, kind});
    };
    const SliceKind kind = trace.kind(slice);
    if (isDeviceWork(kind))
        add(trace.callOf(slice), slice, LinkKind::Launch);
    if (isCall(kind)) {
        for (const SliceRef work : trace.workOfCall(slice))
            add(slice, work, LinkKind::Launch);
    }
    if (isOperator(kind)) {
        for (const SliceRef work : trace.workOfOwner(slice)) {
            const SliceRef call = trace.callOf(work);
            add(call.isValid() ? call : slice, work, LinkKind::Launch);
        }
    }
    for (const Arrow& arrow : trace.arrowsFrom(slice))
        add(arrow.from, arrow.to, kindOf(arrow));
    for (const Arrow& arrow : trace.arrowsTo(slice))
        add(arrow.from, arrow.to, kindOf(arrow));
    return links;
}

namespace {

/// Keeps every n-th of what comes, n growing so that no more than atMost are kept.
class EvenSample {
public:
    EvenSample(LinkSample& sample, size_t atMost)
        : m_sample(sample)
        , m_atMost(std::max<size_t>(atMost, 1))
    {
    }
    void add(const SliceLink& link)
    {
        if (m_seen++ % m_stride == 0) {
            if (m_sample.links.size() == m_atMost)
                halve();
            if ((m_seen - 1) % m_stride == 0)
                m_sample.links.push_back(link);
        }
        ++m_sample.total;
    }

private:
    void halve()
    {
        size_t kept = 0;
        for (size_t i = 0; i < m_sample.links.size(); i += 2)
            m_sample.links[kept++] = m_sample.links[i];
        m_sample.links.resize(kept);
        m_stride *= 2;
    }

    LinkSample& m_sample;
    size_t m_atMost;
    uint64_t m_seen = 0;
    uint64_t m_stride = 1;
};

} // namespace

LinkSample linksIn(const TraceSnapshot& trace, TimeRange range, size_t atMost, const std::stop_token& stop)
{
    LinkSample sample;
    EvenSample even(sample, atMost);
    const auto meets
        = [&](SliceRef s) { return s.isValid() && trace.startNs(s) < range.endNs && trace.endNs(s) >= range.beginNs; };
    constexpr uint32_t kBetweenLooks = 4096;
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        if (!lane.isDevice())
            continue;
        for (uint32_t i = 0; i < lane.size() && lane.startNs(i) < range.endNs; ++i) {
            if (i % kBetweenLooks == 0 && stop.stop_requested())
                return {};
            const SliceRef work{LaneId(l), i};
            if (!isDeviceWork(lane.kind(i)) || !meets(work))
                continue;
            if (const SliceRef call = trace.callOf(work); meets(call))
                even.add({call, work, LinkKind::Launch});
        }
    }
    for (uint32_t f = 0; f < trace.files().size() && !stop.stop_requested(); ++f) {
        trace.forEachArrow(f, [&](const Arrow& arrow) {
            if (!meets(arrow.from) || !meets(arrow.to))
                return;
            // Files have the arrows of launches as well.
            const bool isLaunch = isDeviceWork(trace.kind(arrow.to)) && trace.callOf(arrow.to) == arrow.from;
            if (!isLaunch)
                even.add({arrow.from, arrow.to, kindOf(arrow)});
        });
    }
    return stop.stop_requested() ? LinkSample() : sample;
}

SliceRef followLink(const TraceSnapshot& trace, SliceRef slice, bool forward)
{
    constexpr size_t kMany = 64;
    const std::vector<SliceLink> links = linksOf(trace, slice, kMany);
    for (const SliceLink& link : links) {
        if (forward && link.from == slice)
            return link.to;
        if (!forward && link.to == slice)
            return link.from;
    }
    // An operator has no arrow of its own: onward to the first work that it launched.
    if (forward && slice.isValid() && isOperator(trace.kind(slice))) {
        for (const SliceLink& link : links) {
            if (link.kind == LinkKind::Launch)
                return link.to;
        }
    }
    return {};
}

namespace {

double xOf(const ViewWindow& window, int64_t timeNs)
{
    return std::ldexp(static_cast<double>(window.scale->position(timeNs)), -PixelScale::kFractionBits)
        / window.pixelsPerUnit;
}

/// A place inside the slice near its start, or near its end, where an arrow is tied.
double tieOf(const ViewWindow& window, const TraceSnapshot& trace, SliceRef slice, bool atEnd = false)
{
    constexpr double kInside = 6;
    double begin = xOf(window, trace.startNs(slice));
    double end = xOf(window, trace.endNs(slice));
    // Of a slice that is cut by an edge, the part in view.
    if (begin < window.width && end > 0) {
        begin = std::max(begin, 0.0);
        end = std::min(end, window.width - 1);
    }
    const double inside = std::min((end - begin) / 2, kInside);
    return atEnd ? end - inside : begin + inside;
}

} // namespace

std::optional<ArrowShape> arrowShape(
    const TimelineIndex& index, const LaneLayout& layout, const ViewWindow& window, const SliceLink& link)
{
    const auto fromBand = layout.bandOf(index, link.from);
    const auto toBand = layout.bandOf(index, link.to);
    if (!fromBand || !toBand)
        return std::nullopt;
    ArrowShape shape{link, {}, {}, false};
    shape.pointsUp = toBand->top < fromBand->top;
    shape.from.x = tieOf(window, index.trace(), link.from, link.kind != LinkKind::Launch);
    shape.to.x = tieOf(window, index.trace(), link.to);
    // Where lanes that scroll would lie under the pinned ones, their part of the view begins below those.
    const auto place = [&window](ArrowEnd& end, int contentY) {
        const bool isPinned = window.lanes.isPinned(contentY);
        const int top = isPinned ? 0 : window.lanes.shownTop;
        const int bottom = isPinned ? window.lanes.pinnedShown() : static_cast<int>(window.height);
        end.y = window.lanes.viewY(contentY);
        end.edge = end.x < 0                       ? ViewEdge::Left
            : end.x >= window.width                ? ViewEdge::Right
            : end.y < top                          ? ViewEdge::Top
            : end.y >= bottom + (isPinned ? 1 : 0) ? ViewEdge::Bottom
                                                   : ViewEdge::None;
        end.y = std::clamp<double>(end.y, top, std::max(bottom, top));
    };
    place(shape.from, shape.pointsUp ? fromBand->top : fromBand->bottom);
    place(shape.to, shape.pointsUp ? toBand->bottom : toBand->top);
    if (shape.from.edge != ViewEdge::None && shape.to.edge != ViewEdge::None)
        return std::nullopt;
    shape.from.x = std::clamp(shape.from.x, 0.0, window.width);
    shape.to.x = std::clamp(shape.to.x, 0.0, window.width);
    return shape;
}

} // namespace torchline::lod
