#include "analysis/interval_set.h"
#include "analysis/kernels.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace torchline {

namespace {

/// Device texts: numbers by value, before other texts.
struct DeviceOrder {
    static std::optional<int64_t> numberOf(std::string_view text)
    {
        int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
    }
    bool operator()(std::string_view a, std::string_view b) const
    {
        const std::optional<int64_t> numberA = numberOf(a);
        const std::optional<int64_t> numberB = numberOf(b);
        if (numberA.has_value() != numberB.has_value())
            return numberA.has_value();
        return numberA == numberB ? a < b : numberA < numberB;
    }
};

} // namespace

DeviceTotals deviceTotals(const TraceSnapshot& trace, const SliceMask* deviceScope)
{
    const auto isIn = [&](SliceRef work) { return !deviceScope || deviceScope->contains(work); };
    DeviceTotals totals;
    std::vector<std::map<std::string_view, IntervalSet, DeviceOrder>> busy(trace.files().size());
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lanes()[l];
        for (uint32_t i = 0; lane.isDevice() && i < lane.size(); ++i) {
            if (!isDeviceWork(lane.kind(i)) || !isIn({LaneId(l), i}))
                continue;
            totals.workSumNs = addSaturated(totals.workSumNs, lane.durationNs(i));
            busy[lane.fileIndex()][trace.deviceOf({LaneId(l), i})].add(lane.startNs(i), lane.endNs(i));
        }
    }
    for (uint32_t f = 0; f < busy.size(); ++f) {
        for (auto& [device, spans] : busy[f]) {
            spans.normalise();
            totals.busy.push_back({f, std::string(device), spans.lengthNs()});
        }
        for (const DeviceLink& link : trace.file(f).links.device) {
            const SliceRef work = trace.toGlobal(f, link.work);
            if (!link.owner.isValid() && isIn(work))
                totals.unattributedNs = addSaturated(totals.unattributedNs, trace.durationNs(work));
        }
    }
    return totals;
}

} // namespace torchline
