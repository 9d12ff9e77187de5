#include "analysis/operator_args.h"

#include "analysis/backward_stacks.h"
#include "analysis/flops.h"
#include "analysis/stack_text.h"
#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace torchline {

namespace {

std::optional<int64_t> numberOf(const ArgList& args, std::string_view key)
{
    const std::string* text = findArg(args, key);
    int64_t number = 0;
    if (text == nullptr || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
        return std::nullopt;
    return number;
}

/// What the header says about shapes, if anything.
std::optional<bool> recordedShapes(const FileInfo& info)
{
    const std::string* text = findArg(info.header, "record_shapes");
    if (text == nullptr)
        return std::nullopt;
    return *text != "0" && *text != "false";
}

} // namespace

/// Reads one file into the columns of its lanes.
class OperatorArgsReader {
public:
    OperatorArgsReader(OperatorArgs& out, const WantedArgs& wanted, OperatorNames& names, RowKeys& texts,
        const SliceMask* scope, std::span<const SlicePart> parts, std::stop_token stop)
        : m_out(out)
        , m_wanted(wanted)
        , m_names(names)
        , m_texts(texts)
        , m_scope(scope)
        , m_parts(parts)
        , m_stop(std::move(stop))
    {
    }

    [[nodiscard]] Status readFile(uint32_t fileIndex)
    {
        const FileStore& file = m_out.m_trace->file(fileIndex);
        m_requests.clear();
        for (uint32_t l = 0; l < m_out.m_trace->lanes().size(); ++l) {
            const Lane& lane = m_out.m_trace->lanes()[l];
            if (lane.fileIndex() == fileIndex && !lane.isDevice())
                choose(LaneId(l), recordedShapes(file.info).has_value());
        }
        std::sort(m_requests.begin(), m_requests.end(),
            [](const Request& a, const Request& b) { return a.offset < b.offset; });
        std::vector<uint64_t> offsets;
        offsets.reserve(m_requests.size());
        for (const Request& request : m_requests)
            offsets.push_back(request.offset);

        m_hasSeenShapes = false;
        for (size_t begin = 0; file.source != nullptr && begin < offsets.size(); begin += kEventsAtOnce) {
            if (m_stop.stop_requested())
                return Error(ErrorCode::Cancelled, "cancelled");
            const auto some = std::span(offsets).subspan(begin, std::min(kEventsAtOnce, offsets.size() - begin));
            Status status
                = file.source->argsOfMany(some, [&](size_t i, ArgList&& args) { take(m_requests[begin + i], args); });
            if (!status)
                return status.error().within(escapeControls(file.info.path));
        }
        m_out.m_hasShapes[fileIndex] = recordedShapes(file.info).value_or(m_hasSeenShapes);
        return {};
    }

private:
    struct Request {
        uint64_t offset;
        LaneId lane;
        uint32_t place;
    };
    /// Read between two looks at the stop token.
    static constexpr size_t kEventsAtOnce = 4096;
    /// Operators of a lane that are read only to see whether shapes were recorded.
    static constexpr uint32_t kMostProbes = 64;

    void choose(LaneId laneId, bool knowsShapes)
    {
        const Lane& lane = m_out.m_trace->lane(laneId);
        OperatorArgs::LaneColumns& columns = m_out.m_lanes[laneId.value()];
        const SlicePart part = partOf(m_parts, laneId);
        const uint32_t end = std::min(part.last, lane.size());
        const bool probesAny = m_wanted.flops && !knowsShapes;
        uint32_t probes = 0;
        for (uint32_t i = probesAny ? 0 : part.first; i < end; ++i) {
            const bool isProbe = probesAny && probes < kMostProbes;
            if (!isProbe && i < part.first) {
                i = part.first - 1;
                continue;
            }
            if (!isOperator(lane.kind(i)))
                continue;
            const bool isIn = i >= part.first && (m_scope == nullptr || m_scope->contains({laneId, i}));
            const bool isCounted = isIn && m_wanted.flops && m_names.formula(lane.name(i)) != FlopFormula::None;
            if (!m_wanted.stack && !(m_wanted.shape && isIn) && !isCounted && !isProbe)
                continue;
            probes += isProbe ? 1 : 0;
            m_requests.push_back({lane.eventOffset(i), laneId, static_cast<uint32_t>(columns.index.size())});
            columns.index.push_back(i);
        }
        const size_t size = columns.index.size();
        if (m_wanted.shape)
            columns.shape.assign(size, NameId());
        if (m_wanted.stack) {
            columns.stack.assign(size, m_out.m_emptyText);
            columns.sequence.assign(size, -1);
            columns.forwardThread.assign(size, 0);
        }
        if (m_wanted.flops)
            columns.flops.assign(size, kNoValue);
    }

    void take(const Request& request, const ArgList& args)
    {
        OperatorArgs::LaneColumns& columns = m_out.m_lanes[request.lane.value()];
        const NameId name = m_out.m_trace->lane(request.lane).name(columns.index[request.place]);
        const std::string* dims = inputDims(args);
        // Collectives state theirs whether shapes are recorded or not.
        if (dims != nullptr && findArg(args, "Collective name") == nullptr)
            m_hasSeenShapes = true;
        if (m_wanted.shape && dims != nullptr)
            columns.shape[request.place] = m_texts.textId(*dims);
        if (m_wanted.stack) {
            if (const std::string* frames = findArg(args, "Call stack"); frames != nullptr)
                columns.stack[request.place] = m_texts.textId(stackText(*frames, m_wanted.stackDepth));
            columns.sequence[request.place] = numberOf(args, "Sequence number").value_or(-1);
            const int64_t thread = numberOf(args, "Fwd thread id").value_or(0);
            columns.forwardThread[request.place]
                = static_cast<uint32_t>(std::clamp<int64_t>(thread, 0, std::numeric_limits<uint32_t>::max()));
        }
        if (m_wanted.flops) {
            const FlopFormula formula = m_names.formula(name);
            if (formula != FlopFormula::None)
                columns.flops[request.place] = m_flops.count(formula, args).value_or(kNoValue);
        }
    }

    OperatorArgs& m_out;
    const WantedArgs& m_wanted;
    OperatorNames& m_names;
    RowKeys& m_texts;
    const SliceMask* m_scope;
    std::span<const SlicePart> m_parts;
    std::stop_token m_stop;
    FlopCounter m_flops;
    std::vector<Request> m_requests;
    bool m_hasSeenShapes = false;
};

OperatorArgs::OperatorArgs(const TraceSnapshot& trace, RowKeys& texts)
    : m_trace(&trace)
    , m_lanes(trace.lanes().size())
    , m_hasShapes(trace.files().size(), false)
    , m_emptyText(texts.textId({}))
    , m_noInputs(texts.textId("[]"))
{
}

Result<OperatorArgs> OperatorArgs::read(const TraceSnapshot& trace, const WantedArgs& wanted, OperatorNames& names,
    RowKeys& texts, const SliceMask* scope, std::span<const SlicePart> parts, std::stop_token stop)
{
    OperatorArgs args(trace, texts);
    if (!wanted.any())
        return args;
    OperatorArgsReader reader(args, wanted, names, texts, scope, parts, stop);
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        const Status status = reader.readFile(f);
        if (stop.stop_requested())
            return Error(ErrorCode::Cancelled, "cancelled");
        // FLOPs alone are no reason to refuse a table: they are not known then.
        if (!status && (wanted.shape || wanted.stack))
            return status.error();
    }
    if (wanted.stack) {
        BackwardStacks backward(trace, names, args.m_emptyText);
        for (uint32_t l = 0; l < args.m_lanes.size(); ++l) {
            const LaneColumns& lane = args.m_lanes[l];
            backward.addLane(LaneId(l), {lane.index, lane.sequence, lane.forwardThread, lane.stack});
        }
        for (uint32_t l = 0; l < args.m_lanes.size(); ++l)
            backward.apply(LaneId(l), args.m_lanes[l].stack);
    }
    return args;
}

size_t OperatorArgs::LaneColumns::placeOf(uint32_t laneIndex)
{
    if (hint < index.size() && index[hint] == laneIndex)
        return hint;
    if (hint + 1 < index.size() && index[hint + 1] == laneIndex)
        return ++hint;
    const auto found = std::lower_bound(index.begin(), index.end(), laneIndex);
    if (found == index.end() || *found != laneIndex)
        return kNoPlace;
    hint = static_cast<size_t>(found - index.begin());
    return hint;
}

NameId OperatorArgs::shape(SliceRef op)
{
    LaneColumns& lane = m_lanes[op.lane.value()];
    const size_t place = lane.placeOf(op.index);
    if (place != kNoPlace && lane.shape[place].isValid())
        return lane.shape[place];
    return m_hasShapes[m_trace->lane(op.lane).fileIndex()] ? m_noInputs : m_emptyText;
}

NameId OperatorArgs::stack(SliceRef op)
{
    LaneColumns& lane = m_lanes[op.lane.value()];
    const size_t place = lane.placeOf(op.index);
    return place == kNoPlace ? m_emptyText : lane.stack[place];
}

int64_t OperatorArgs::flops(SliceRef op)
{
    LaneColumns& lane = m_lanes[op.lane.value()];
    const size_t place = lane.placeOf(op.index);
    return place == kNoPlace ? kNoValue : lane.flops[place];
}

} // namespace torchline
