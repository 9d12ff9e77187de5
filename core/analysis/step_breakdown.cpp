#include "analysis/step_breakdown.h"

#include "analysis/interval_set.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace torchline {

namespace {

constexpr size_t kCategories = static_cast<size_t>(StepCategory::Other); ///< those that are measured
using CategorySets = std::array<IntervalSet, kCategories>;

constexpr size_t indexOf(StepCategory category)
{
    return static_cast<size_t>(category);
}

/// The collectives that the TensorBoard plugin knows by operator name.
bool isCollectiveOp(std::string_view name)
{
    for (const std::string_view library : {"nccl:", "gloo:"}) {
        if (!name.starts_with(library))
            continue;
        const std::string_view operation = name.substr(library.size());
        return operation == "broadcast" || operation == "reduce" || operation == "all_reduce"
            || operation == "all_gather" || operation == "reduce_scatter";
    }
    return false;
}

/// Kernels of NCCL and RCCL, in any spelling of case.
bool isCollectiveKernel(std::string_view name)
{
    const auto isSame = [](char a, char b) { return (a | 0x20) == b; };
    for (const std::string_view library : {"nccl", "rccl"}) {
        if (std::search(name.begin(), name.end(), library.begin(), library.end(), isSame) != name.end())
            return true;
    }
    return false;
}

bool isDataLoader(std::string_view name)
{
    return (name.starts_with("enumerate(DataLoader)#") && name.ends_with(".__next__"))
        || name.starts_with("enumerate(DataPipe)#");
}

/// What a host operator counts as; Other: nothing.
StepCategory hostCategoryOf(std::string_view name)
{
    if (isDataLoader(name))
        return StepCategory::DataLoader;
    if (isStepName(name))
        return StepCategory::Other;
    return isCollectiveOp(name) ? StepCategory::Communication : StepCategory::CpuExec;
}

bool isOldPython(std::string_view category)
{
    return category == "Python" || category == "python";
}

/// Marks that follow each other: those of one process of one file.
struct StepSeries {
    uint32_t fileIndex = 0;
    uint32_t process = 0; ///< index in FileStore::processes
    bool isAlone = true; ///< no other process of the file has steps: all that is in the file is its own
    std::vector<StepMark> marks; ///< by start
    std::vector<size_t> places; ///< of the marks among those of all series

    [[nodiscard]] bool owns(const Lane& lane) const
    {
        return lane.fileIndex() == fileIndex && (isAlone || lane.isDevice() || lane.store().process == process);
    }
};

std::vector<StepSeries> seriesOf(const TraceSnapshot& trace, const std::vector<StepMark>& steps)
{
    std::vector<StepSeries> all;
    for (size_t i = 0; i < steps.size(); ++i) {
        const Lane& lane = trace.lane(steps[i].slice.lane);
        auto series = std::find_if(all.begin(), all.end(), [&](const StepSeries& each) {
            return each.fileIndex == lane.fileIndex() && each.process == lane.store().process;
        });
        if (series == all.end()) {
            StepSeries made;
            made.fileIndex = lane.fileIndex();
            made.process = lane.store().process;
            for (StepSeries& other : all) {
                if (other.fileIndex == made.fileIndex)
                    other.isAlone = made.isAlone = false;
            }
            series = all.insert(all.end(), std::move(made));
        }
        series->marks.push_back(steps[i]);
        series->places.push_back(i);
    }
    return all;
}

/// The slices around a series as unions by category; what a higher rank covers is taken off the lower ones.
class CategoryTimes {
public:
    CategoryTimes(const TraceSnapshot& trace, const StepSeries& series, const std::stop_token& stop)
        : m_trace(trace)
        , m_fileIndex(series.fileIndex)
    {
        for (uint32_t l = 0; l < trace.lanes().size() && !stop.stop_requested(); ++l) {
            if (series.owns(trace.lanes()[l]))
                addLane(LaneId(l));
        }
        IntervalSet covered;
        for (IntervalSet& set : m_sets) {
            set.normalise();
            set = set.without(covered);
            covered.add(set);
            covered.normalise();
        }
    }

    [[nodiscard]] const CategorySets& sets() const { return m_sets; }

private:
    void addLane(LaneId laneId)
    {
        const Lane& lane = m_trace.lane(laneId);
        CategorySets own; // slices of one lane come in order, so that nested ones join at once
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const StepCategory category = categoryOf({laneId, i});
            if (category != StepCategory::Other)
                own[indexOf(category)].add(lane.startNs(i), lane.endNs(i));
        }
        for (size_t c = 0; c < kCategories; ++c)
            m_sets[c].add(own[c]);
    }

    StepCategory categoryOf(SliceRef slice)
    {
        const Lane& lane = m_trace.lane(slice.lane);
        switch (lane.kind(slice.index)) {
        case SliceKind::Kernel:
            return isCommunication(slice) ? StepCategory::Communication : StepCategory::Kernel;
        case SliceKind::Memcpy:
            return StepCategory::Memcpy;
        case SliceKind::Memset:
            return StepCategory::Memset;
        case SliceKind::Runtime:
        case SliceKind::Driver:
            return StepCategory::Runtime;
        case SliceKind::CpuOp:
        case SliceKind::UserAnnotation:
            return hostCategory(lane.name(slice.index));
        default:
            return isOldPython(m_trace.categoryText(m_fileIndex, lane.category(slice.index))) ? StepCategory::CpuExec
                                                                                              : StepCategory::Other;
        }
    }

    bool isCommunication(SliceRef kernel)
    {
        const SliceRef owner = m_trace.ownerOf(kernel);
        if (owner.isValid() && hostCategory(m_trace.name(owner)) == StepCategory::Communication)
            return true;
        const NameId name = m_trace.name(kernel);
        const auto [known, isNew] = m_collectiveKernels.try_emplace(name, false);
        if (isNew)
            known->second = isCollectiveKernel(m_trace.text(name));
        return known->second;
    }

    StepCategory hostCategory(NameId name)
    {
        const auto [known, isNew] = m_hostCategories.try_emplace(name, StepCategory::Other);
        if (isNew)
            known->second = hostCategoryOf(m_trace.text(name));
        return known->second;
    }

    const TraceSnapshot& m_trace;
    uint32_t m_fileIndex;
    CategorySets m_sets;
    std::unordered_map<NameId, bool> m_collectiveKernels;
    std::unordered_map<NameId, StepCategory> m_hostCategories;
};

/// Device work launched by calls that lie wholly in a step.
struct LaunchedWork {
    int64_t firstStartNs = kMaxNs;
    int64_t lastEndNs = kMinNs;

    [[nodiscard]] bool isEmpty() const { return lastEndNs == kMinNs; }
};

/// The spans that steps are charged with: a step lasts until the work it launched has ended, and the next one begins
/// there.
std::vector<TimeRange> chargedSpans(const TraceSnapshot& trace, const StepSeries& series)
{
    const std::vector<StepMark>& marks = series.marks;
    std::vector<LaunchedWork> launched(marks.size());
    std::vector<int64_t> outsideEndsNs;
    for (const DeviceLink& link : trace.file(series.fileIndex).links.device) {
        const SliceRef work = trace.toGlobal(series.fileIndex, link.work);
        const SliceRef call = trace.toGlobal(series.fileIndex, link.call);
        if (call.isValid() && !series.owns(trace.lane(call.lane)))
            continue;
        const auto after = !call.isValid()
            ? marks.begin()
            : std::upper_bound(marks.begin(), marks.end(), trace.startNs(call),
                [](int64_t startNs, const StepMark& mark) { return startNs < mark.range.beginNs; });
        if (after == marks.begin() || trace.endNs(call) > std::prev(after)->range.endNs) {
            outsideEndsNs.push_back(trace.endNs(work));
            continue;
        }
        LaunchedWork& step = launched[static_cast<size_t>(after - marks.begin()) - 1];
        step.firstStartNs = std::min(step.firstStartNs, trace.startNs(work));
        step.lastEndNs = std::max(step.lastEndNs, trace.endNs(work));
    }

    std::vector<TimeRange> spans;
    int64_t previousEndNs = marks.empty() ? 0 : marks.front().range.beginNs;
    if (!launched.empty() && !launched.front().isEmpty()) {
        for (const int64_t endNs : outsideEndsNs) {
            if (endNs < launched.front().firstStartNs)
                previousEndNs = std::max(previousEndNs, endNs);
        }
    }
    for (size_t i = 0; i < marks.size(); ++i) {
        const int64_t beginNs = std::max(previousEndNs, marks[i].range.beginNs);
        const int64_t endNs = std::max({beginNs, marks[i].range.endNs, launched[i].lastEndNs});
        spans.push_back({beginNs, endNs});
        previousEndNs = endNs;
    }
    return spans;
}

} // namespace

std::vector<StepRow> stepBreakdown(const TraceSnapshot& trace, const SliceMask* scope, std::stop_token stop)
{
    const std::vector<StepMark> steps = profilerSteps(trace);
    std::vector<StepRow> rows(steps.size());
    for (const StepSeries& series : seriesOf(trace, steps)) {
        if (stop.stop_requested())
            break;
        const CategoryTimes times(trace, series, stop);
        const std::vector<TimeRange> spans = chargedSpans(trace, series);
        for (size_t c = 0; c < kCategories; ++c) {
            const Coverage coverage(times.sets()[c]);
            for (size_t i = 0; i < spans.size(); ++i)
                rows[series.places[i]].costNs[c] = coverage.withinNs(spans[i]);
        }
        for (size_t i = 0; i < spans.size(); ++i) {
            StepRow& row = rows[series.places[i]];
            int64_t otherNs = spans[i].spanNs();
            for (size_t c = 0; c < kCategories; ++c)
                otherNs = subSaturated(otherNs, row.costNs[c]);
            row.costNs[indexOf(StepCategory::Other)] = otherNs;
        }
    }
    std::vector<StepRow> inScope;
    for (size_t i = 0; i < steps.size() && !stop.stop_requested(); ++i) {
        if (scope != nullptr && !scope->contains(steps[i].slice))
            continue;
        rows[i].mark = steps[i];
        rows[i].name = trace.text(trace.name(steps[i].slice));
        inScope.push_back(std::move(rows[i]));
    }
    return inScope;
}

} // namespace torchline
