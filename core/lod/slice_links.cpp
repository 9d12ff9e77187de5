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

std::vector<SliceLink> linksIn(const TraceSnapshot& trace, TimeRange range, size_t atMost)
{
    std::vector<SliceLink> links;
    const auto meets
        = [&](SliceRef s) { return s.isValid() && trace.startNs(s) < range.endNs && trace.endNs(s) >= range.beginNs; };
    for (uint32_t l = 0; l < trace.lanes().size() && links.size() < atMost; ++l) {
        const Lane& lane = trace.lane(LaneId(l));
        if (!lane.isDevice())
            continue;
        for (uint32_t i = lane.lowerBound(range.beginNs);
             i < lane.size() && lane.startNs(i) < range.endNs && links.size() < atMost; ++i) {
            if (!isDeviceWork(lane.kind(i)))
                continue;
            const SliceRef work{LaneId(l), i};
            const SliceRef call = trace.callOf(work);
            if (meets(call))
                links.push_back({call, work, LinkKind::Launch});
        }
    }
    return links;
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
    shape.from.y = (shape.pointsUp ? fromBand->top : fromBand->bottom) - window.scrollY;
    shape.to.y = (shape.pointsUp ? toBand->bottom : toBand->top) - window.scrollY;
    const auto outside = [&window](const ArrowEnd& end) {
        return end.x < 0             ? ViewEdge::Left
            : end.x >= window.width  ? ViewEdge::Right
            : end.y < 0              ? ViewEdge::Top
            : end.y >= window.height ? ViewEdge::Bottom
                                     : ViewEdge::None;
    };
    shape.from.edge = outside(shape.from);
    shape.to.edge = outside(shape.to);
    if (shape.from.edge != ViewEdge::None && shape.to.edge != ViewEdge::None)
        return std::nullopt;
    const auto hold = [&window](ArrowEnd& end) {
        end.x = std::clamp(end.x, 0.0, window.width);
        end.y = std::clamp(end.y, 0.0, window.height);
    };
    hold(shape.from);
    hold(shape.to);
    return shape;
}

} // namespace torchline::lod
