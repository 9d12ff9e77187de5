// The end of a file: everything that TraceBuilder::finish() derives from the records.

#include "base/parallel.h"
#include "model/device_links.h"
#include "model/nesting.h"
#include "model/order_by_ref.h"
#include "model/outliers.h"
#include "model/trace_draft.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace torchline {

namespace {

constexpr size_t kPiecesPerThread = 2; ///< of the flows

/// Slices that no stream of a device carries.
bool isOnHost(SliceKind kind)
{
    return isOperator(kind) || isCall(kind) || kind == SliceKind::PythonFunction;
}

/// At most 60 bytes of a text, ended with U+2026 where it is cut.
std::string shortText(std::string_view text)
{
    constexpr size_t kMost = 60;
    if (text.size() <= kMost)
        return std::string(text);
    size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u)
        --end;
    return std::string(text.substr(0, end)) + "\u2026";
}

} // namespace

void TraceBuilder::Draft::addNotices(
    std::string_view code, std::string_view text, const std::vector<uint64_t>& offsets, NoticeSeverity severity)
{
    const size_t named = std::min(offsets.size(), Notice::kMostPlaces);
    for (const uint64_t offset : std::span(offsets).first(named))
        notices.add(code, text, offset, {}, severity);
    if (offsets.size() > named)
        notices.add(code, text, std::nullopt, {}, severity, offsets.size() - named);
}

void TraceBuilder::Draft::addSliceNotices(
    std::string_view code, std::string_view text, const LaneColumns& lane, const std::vector<uint32_t>& slices)
{
    const size_t named = std::min(slices.size(), Notice::kMostPlaces);
    for (const uint32_t i : std::span(slices).first(named))
        notices.add(code, text, lane.eventOffset(i), shortText(pool.text(lane.name(i))));
    if (slices.size() > named)
        notices.add(code, text, std::nullopt, {}, NoticeSeverity::Warning, slices.size() - named);
}

/// The host's or the device's slices of a (pid, tid), with all that only depends on them.
struct TraceBuilder::Draft::Side {
    LaneStore lane; ///< all but what the file says about it
    NestedLane nested; ///< its nesting was moved to the lane
    LaneColumns columns;
    std::vector<uint32_t> contradicting; ///< slices that cannot be as they are
};

std::shared_ptr<FileStore> TraceBuilder::Draft::finish(size_t threads)
{
    const auto store = std::make_shared<FileStore>();
    pairEvents(*store);
    addLanes(*store, threads);
    nameProcesses(*store);
    store->devicePlaces = std::move(devicePlaces.values);
    store->deviceWork = std::move(deviceWork);
    const auto byOffset = [](const DeviceWork& a, const DeviceWork& b) { return a.eventOffset < b.eventOffset; };
    if (!std::is_sorted(store->deviceWork.begin(), store->deviceWork.end(), byOffset))
        std::sort(store->deviceWork.begin(), store->deviceWork.end(), byOffset);
    store->deviceWork.shrink_to_fit();
    linkAll(*store, threads);
    store->categories = std::move(categories);
    store->notices = notices.take();
    return store;
}

// Whatever has no end in the file ends with the recording, whose end is known only now.
void TraceBuilder::Draft::pairEvents(FileStore& store)
{
    std::vector<uint64_t> unfinishedOffsets;
    std::vector<uint64_t> strayOffsets;
    for (LaneDraft& lane : lanes) {
        std::vector<SliceRow> unfinished = std::exchange(lane.unfinished, {});
        if (!lane.pairEvents.empty()) {
            PairedEvents paired = pairLaneEvents(std::exchange(lane.pairEvents, {}));
            for (const SliceRow& row : paired.closed)
                lane.columns.append(row);
            unfinished.insert(unfinished.end(), paired.open.begin(), paired.open.end());
            store.pairEnds.insert(store.pairEnds.end(), paired.ends.begin(), paired.ends.end());
            strayOffsets.insert(strayOffsets.end(), paired.strayEnds.begin(), paired.strayEnds.end());
        }
        for (SliceRow& row : unfinished) {
            row.durationNs = std::max<int64_t>(0, subSaturated(recordingEndNs, row.startNs));
            lane.columns.append(row);
            unfinishedOffsets.push_back(row.eventOffset);
        }
    }
    std::sort(store.pairEnds.begin(), store.pairEnds.end());
    store.pairEnds.shrink_to_fit();
    std::sort(unfinishedOffsets.begin(), unfinishedOffsets.end());
    std::sort(strayOffsets.begin(), strayOffsets.end());
    addNotices("unfinished",
        "Slices to which the file gives no end or duration are unfinished and end with the recording: %n",
        unfinishedOffsets);
    addNotices("end-without-begin", "Ends without begin were ignored: %n", strayOffsets);
}

void TraceBuilder::Draft::addLanes(FileStore& store, size_t threads)
{
    std::vector<std::vector<Side>> sides(lanes.size());
    forEachInParallel(lanes.size() + 1, threads, [&](size_t i) {
        if (i == 0)
            m_flowOrder = orderById(flows);
        else
            sides[i - 1] = sidesOf(lanes[i - 1]);
    });
    m_sides.resize(lanes.size());
    for (size_t l = 0; l < lanes.size(); ++l) {
        for (Side& side : sides[l]) {
            uint32_t& index = side.lane.isDevice ? m_sides[l].device : m_sides[l].host;
            index = addLane(store, lanes[l], std::move(side));
        }
    }
    store.lanes.shrink_to_fit();
}

std::vector<TraceBuilder::Draft::Side> TraceBuilder::Draft::sidesOf(LaneDraft& lane) const
{
    lane.nester.rewind(lane.columns.sort());
    LaneColumns columns = std::exchange(lane.columns, {});
    LaneNester nester = std::exchange(lane.nester, {});
    bool hasDevice = false;
    bool hasHost = false;
    for (const BlockFacts& facts : columns.facts()) {
        for (unsigned k = 0; k < kSliceKinds; ++k) {
            const auto kind = static_cast<SliceKind>(k);
            hasDevice = hasDevice || (isOnDevice(kind) && facts.has(kind));
            hasHost = hasHost || (isOnHost(kind) && facts.has(kind));
        }
    }
    std::vector<Side> result;
    if (columns.size() == 0)
        return result;
    if (!hasDevice || !hasHost) {
        result.push_back(makeSide(std::move(columns), std::move(nester), hasDevice));
        return result;
    }
    std::array<LaneColumns, 2> sides;
    for (uint32_t i = 0; i < columns.size(); ++i)
        sides[isOnDevice(columns.kind(i)) ? 1 : 0].append(columns.row(i));
    columns = {};
    result.push_back(makeSide(std::move(sides[0]), {}, false));
    result.push_back(makeSide(std::move(sides[1]), {}, true));
    return result;
}

TraceBuilder::Draft::Side TraceBuilder::Draft::makeSide(LaneColumns columns, LaneNester nester, bool isDevice) const
{
    Side side;
    nester.advance(columns);
    side.nested = nester.take(columns);
    if (isDevice)
        side.contradicting = contradictingWork(columns);
    else
        side.contradicting = std::move(side.nested.withinRecorder);
    side.lane.isDevice = isDevice;
    side.lane.size = columns.size();
    side.lane.nesting = std::move(side.nested.nesting);
    side.lane.facts = columns.facts();
    side.columns = std::move(columns);
    return side;
}

/// Index of the new lane in the store.
uint32_t TraceBuilder::Draft::addLane(FileStore& store, const LaneDraft& draft, Side side)
{
    LaneStore& lane = side.lane;
    lane.process = processIndex(store, draft.pid, lane.isDevice);
    lane.tid = draft.tid;
    lane.name = draft.name;
    lane.sortIndex = draft.sortIndex;
    lane.carriesSteps = draft.carriesSteps && !lane.isDevice;
    addSliceNotices(lane.isDevice ? "stream-overlap" : "overlap",
        lane.isDevice
            ? "Device work that overlaps several later pieces of its stream, which its duration contradicts: %n"
            : "Slices that overlap an earlier one of their thread without being inside it have rows of their own: %n",
        side.columns, side.contradicting);
    if (side.nested.beyondRows > 0)
        notices.add("too-many-rows",
            "Slices that share the last row of their lane, as more than 65534 overlap there: %n", std::nullopt, {},
            NoticeSeverity::Warning, side.nested.beyondRows);

    const int64_t firstNs = side.columns.startNs(0);
    const int64_t lastNs = std::ranges::max(lane.facts, {}, &BlockFacts::lastEndNs).lastEndNs;
    store.firstNs = store.sliceCount == 0 ? firstNs : std::min(store.firstNs, firstNs);
    store.lastNs = store.sliceCount == 0 ? lastNs : std::max(store.lastNs, lastNs);
    store.sliceCount += lane.size;
    lane.blocks = side.columns.take();
    store.lanes.push_back(std::move(lane));
    return static_cast<uint32_t>(store.lanes.size() - 1);
}

uint32_t TraceBuilder::Draft::processIndex(FileStore& store, NameId pid, bool isDevice)
{
    const auto [found, isNew]
        = m_processIndexes.try_emplace({pid, isDevice}, static_cast<uint32_t>(store.processes.size()));
    if (isNew) {
        ProcessInfo& process = store.processes.emplace_back();
        process.pid = pid;
        process.isDevice = isDevice;
    }
    return found->second;
}

void TraceBuilder::Draft::nameProcesses(FileStore& store) const
{
    for (ProcessInfo& process : store.processes) {
        const auto described = processes.find(process.pid);
        if (described == processes.end())
            continue;
        const auto pick = [&](const auto& values) { return process.isDevice ? values.last : values.first; };
        const ProcessDraft& draft = described->second;
        process.name = pick(draft.name).value_or(NameId());
        process.labels = pick(draft.labels).value_or(NameId());
        process.sortIndex = pick(draft.sortIndex);
        const bool isShared = m_processIndexes.contains({process.pid, !process.isDevice});
        if (isShared && draft.labels.first == draft.labels.last && process.labels.isValid()) {
            const bool namesDevice = !pool.text(process.labels).starts_with("CPU");
            if (namesDevice != process.isDevice)
                process.labels = NameId();
        }
    }
}

/// Whatever needs complete lanes.
void TraceBuilder::Draft::linkAll(FileStore& store, size_t threads)
{
    const std::vector<std::span<uint32_t>> pieces
        = cutBetweenIds(m_flowOrder, flows, threads > 1 ? kPiecesPerThread * threads : 1);
    std::vector<MatchedArrows> matched(pieces.size());
    std::vector<uint64_t> strayEnds;
    FitRange fit;
    std::vector<std::function<void()>> tasks = {
        [&] { store.links.device = linkDeviceWork(store.lanes); },
        [&] { strayEnds = addMarkers(store); },
        [&] { fit = fitRange(store.lanes, subSaturated(0, originNs.value_or(0))); },
    };
    const ArrowGround ground{store.lanes, m_sides, categories, pool};
    for (size_t i = 0; i < pieces.size(); ++i)
        tasks.emplace_back([&, i] { matched[i] = matchArrows(ground, flows, pieces[i]); });
    forEachInParallel(tasks.size(), threads, [&](size_t i) { tasks[i](); });
    flows = {};
    m_flowOrder = {};

    ArrowFaults arrowFaults;
    tasks = {
        [&] { arrowFaults = joinArrows(std::move(matched), store.links); },
        [&] { store.links.deviceByCall = orderByRef(store.links.device, &DeviceLink::call); },
        [&] { store.links.deviceByOwner = orderByRef(store.links.device, &DeviceLink::owner); },
    };
    forEachInParallel(tasks.size(), threads, [&](size_t i) { tasks[i](); });
    noteArrows(arrowFaults);
    noteAsync(store, strayEnds);
    store.fitNs = fit.range;
    noteFit(fit);
}

void TraceBuilder::Draft::noteArrows(const ArrowFaults& faults)
{
    addNotices("arrow-without-start", "Arrows to device work that have no start in the file are not drawn: %n",
        faults.finishesWithoutStart);
    addNotices(
        "arrow-without-slice", "Arrows with an end that stands on no slice are not drawn: %n", faults.withoutSlice);
    addNotices("arrow-steps", "Intermediate points of arrows are passed over, the arrows go from start to end: %n",
        faults.steps, NoticeSeverity::Info);
}

/// Event offsets of the ends of asynchronous operations that have no begin.
std::vector<uint64_t> TraceBuilder::Draft::addMarkers(FileStore& store)
{
    for (const AsyncRecord& record : async) {
        if (record.phase == AsyncPhase::Point)
            instants.push_back(
                {record.timeNs, true, record.name, record.category, record.pid, record.tid, 't', record.eventOffset});
    }
    PairedAsync paired = pairAsync(std::exchange(async, {}), recordingEndNs);
    store.asyncSlices = std::move(paired.slices);
    store.memoryOrigins = std::move(memoryOrigins.values);
    sortMemory();
    memory.shrinkToFit();
    store.memory = std::move(memory);
    store.instants = std::move(instants);
    std::sort(store.instants.begin(), store.instants.end(), [](const Instant& a, const Instant& b) {
        return std::tie(a.hasTime, a.timeNs, a.eventOffset) < std::tie(b.hasTime, b.timeNs, b.eventOffset);
    });
    store.instants.shrink_to_fit();
    store.counters = std::move(counters);
    for (Counter& counter : store.counters) {
        for (CounterSeries& series : counter.series) {
            std::stable_sort(series.samples.begin(), series.samples.end(),
                [](const CounterSample& a, const CounterSample& b) { return a.timeNs < b.timeNs; });
            series.samples.shrink_to_fit();
        }
    }
    return std::move(paired.strayEnds);
}

void TraceBuilder::Draft::noteAsync(const FileStore& store, const std::vector<uint64_t>& strayEnds)
{
    std::vector<uint64_t> unfinished;
    for (const AsyncSlice& slice : store.asyncSlices) {
        if (slice.isUnfinished)
            unfinished.push_back(slice.eventOffset);
    }
    addNotices("async-unfinished",
        "Async operations without an end are unfinished and last until the recording ends: %n", unfinished);
    addNotices("async-end-without-begin", "Ends of async operations without begin were ignored: %n", strayEnds);
}

void TraceBuilder::Draft::noteFit(const FitRange& fit)
{
    constexpr std::string_view kText
        = "Outliers, at time 0 or else far from all other slices, are kept but not in the first view: %n";
    for (const uint64_t offset : fit.places)
        notices.add("outlier-time", kText, offset);
    if (fit.farOff > fit.places.size())
        notices.add("outlier-time", kText, std::nullopt, {}, NoticeSeverity::Warning, fit.farOff - fit.places.size());
}

} // namespace torchline
