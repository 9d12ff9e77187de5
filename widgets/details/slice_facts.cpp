#include "details/slice_facts.h"

#include "analysis/name_totals.h"
#include "common/format.h"
#include "details/slice_words.h"
#include "lod/slice_links.h"
#include "model/annotations.h"

#include <QCoreApplication>

#include <bit>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t kMostWork = 3; ///< links to device work of one call or operator
constexpr size_t kMostArrows = 3;
constexpr size_t kMostFrames = 200;

QString tr(const char* text)
{
    return QCoreApplication::translate("SliceFacts", text);
}

QString nameOf(const TraceSnapshot& trace, SliceRef slice)
{
    return displayText(trace.text(trace.name(slice)));
}

struct Children {
    int64_t count = 0;
    int64_t sumNs = 0;
    SliceRef first;
};

/// Slices directly inside.
Children childrenOf(const TraceSnapshot& trace, SliceRef slice, const std::stop_token& stop)
{
    const Lane& lane = trace.lane(slice.lane);
    const int64_t endNs = lane.endNs(slice.index);
    Children children;
    for (uint32_t i = slice.index + 1; i < lane.size() && lane.startNs(i) < endNs; ++i) {
        if (lane.parent(i) == slice.index) {
            ++children.count;
            children.sumNs = addSaturated(children.sumNs, lane.durationNs(i));
            if (!children.first.isValid())
                children.first = {slice.lane, i};
        }
        if (i % 4096 == 0 && stop.stop_requested())
            break;
    }
    return children;
}

/// The slice whose host time counts: the launch call of device work.
SliceRef hostSideOf(const TraceSnapshot& trace, SliceRef slice)
{
    const SliceRef call = isDeviceWork(trace.kind(slice)) ? trace.callOf(slice) : SliceRef{};
    return call.isValid() ? call : slice;
}

class FactsMaker {
public:
    FactsMaker(const TraceFacts& facts, SliceRef slice, std::stop_token stop)
        : m_facts(facts)
        , m_trace(facts.trace())
        , m_slice(slice)
        , m_kind(m_trace.kind(slice))
        , m_stop(std::move(stop))
    {
    }

    SliceFacts make()
    {
        m_out = sliceHead(m_trace, m_slice);
        m_out.cls = m_facts.workClasses().of(m_trace, m_slice);
        m_forth = lod::followLink(m_trace, m_slice, true);
        m_back = lod::followLink(m_trace, m_slice, false);
        m_step = m_facts.stepAt(m_trace.startNs(hostSideOf(m_trace, m_slice)));
        addPlace();
        addTimes();
        addDeviceLinks();
        addPath();
        addArrows();
        addFamily();
        addScope();
        addStack();
        return std::move(m_out);
    }

private:
    void addPlace()
    {
        if (m_step != nullptr && m_step->number && m_step->slice != m_slice)
            m_out.place += u" · "_s + tr("step %1").arg(*m_step->number);
        for (SliceRef at = m_trace.parent(m_slice); at.isValid(); at = m_trace.parent(at)) {
            const std::string_view name = m_trace.text(m_trace.name(at));
            if (name.starts_with("nn.Module: ")) {
                m_out.place += u" · "_s + displayText(name);
                break;
            }
        }
    }

    void addTimes()
    {
        m_out.time.clear();
        const int64_t startNs = m_trace.startNs(m_slice);
        const int64_t durationNs = m_trace.durationNs(m_slice);
        m_out.time.push_back({tr("Start"), formatExact(startNs)});
        if (m_step != nullptr && m_step->number && m_step->slice != m_slice) {
            const int64_t intoNs = subSaturated(startNs, m_step->range.beginNs);
            m_out.time.push_back({tr("In step %1").arg(*m_step->number), u'+' + formatExact(intoNs)});
        }
        m_out.time.push_back({tr("Duration"), formatExact(durationNs)});
        if (!isOnDevice(m_kind)) {
            m_children = childrenOf(m_trace, m_slice, m_stop);
            const int64_t selfNs = subSaturated(durationNs, m_children.sumNs);
            m_out.time.push_back({tr("Self"), withShare(selfNs, durationNs)});
        }
        for (const QString& flaw : sliceFlaws(m_trace.lane(m_slice.lane).flags(m_slice.index)))
            m_out.time.push_back({tr("Note"), flaw});
    }

    static QString withShare(int64_t partNs, int64_t wholeNs)
    {
        QString text = formatExact(partNs);
        if (wholeNs > 0 && partNs >= 0)
            text += u" · "_s
                + QString::number(static_cast<double>(partNs) * 100.0 / static_cast<double>(wholeNs), 'f', 1)
                + QChar(0x00A0) + u'%';
        return text;
    }

    void addLink(const QString& label, SliceRef target, const QString& note = {},
        std::optional<ViewCommand> command = std::nullopt)
    {
        if (!target.isValid())
            return;
        if (target == m_forth)
            command = ViewCommand::FollowForth;
        else if (target == m_back)
            command = ViewCommand::FollowBack;
        m_out.links.push_back({label, target, nameOf(m_trace, target), note, command});
    }

    void addWork(const QString& label, const std::vector<SliceRef>& work)
    {
        const auto count = static_cast<int64_t>(work.size());
        const QString counted = count > 1 ? u"%1 (%2)"_s.arg(label, formatCount(count)) : label;
        for (size_t i = 0; i < work.size() && i < kMostWork; ++i)
            addLink(i == 0 ? counted : QString(), work[i], formatDuration(m_trace.durationNs(work[i])));
    }

    void addLaunchDelay(SliceRef call, SliceRef work)
    {
        const int64_t delayNs = std::max<int64_t>(0, subSaturated(m_trace.startNs(work), m_trace.endNs(call)));
        m_out.time.push_back({tr("Launch delay"), tr("%1 from call to start").arg(formatExact(delayNs))});
    }

    void addDeviceLinks()
    {
        if (isDeviceWork(m_kind)) {
            const SliceRef call = m_trace.callOf(m_slice);
            if (call.isValid())
                addLaunchDelay(call, m_slice);
            addLink(tr("Launched by"), call);
            addLink(tr("Operator"), m_trace.ownerOf(m_slice));
        } else if (isCall(m_kind)) {
            const std::vector<SliceRef> work = m_trace.workOfCall(m_slice);
            if (work.size() == 1)
                addLaunchDelay(m_slice, work.front());
            addWork(tr("Launches"), work);
        } else if (isOperator(m_kind)) {
            const std::vector<SliceRef> work = m_trace.workOfOwner(m_slice);
            int64_t sumNs = 0;
            for (const SliceRef each : work)
                sumNs = addSaturated(sumNs, m_trace.durationNs(each));
            if (!work.empty())
                m_out.time.push_back({tr("Device time"), formatExact(sumNs)});
            if (work.size() == 1 && m_trace.callOf(work.front()).isValid())
                addLaunchDelay(m_trace.callOf(work.front()), work.front());
            addWork(tr("Launches"), work);
        }
    }

    [[nodiscard]] bool isKnown(SliceRef target) const
    {
        return std::ranges::any_of(m_out.links, [&](const DetailLink& link) { return link.target == target; });
    }

    /// From the work up to the code that asked for it: operator, module, Python frame, operator of the forward pass.
    void addPath()
    {
        const SliceRef owner = isDeviceWork(m_kind) ? m_trace.ownerOf(m_slice) : SliceRef{};
        const SliceRef from = owner.isValid() ? owner : hostSideOf(m_trace, m_slice);
        SliceRef op, module, frame, forward;
        for (SliceRef at = from; at.isValid() && !isOnDevice(m_trace.kind(at)); at = m_trace.parent(at)) {
            const bool isFrame = m_trace.kind(at) == SliceKind::PythonFunction;
            const bool isModule = isFrame && m_trace.text(m_trace.name(at)).starts_with("nn.Module: ");
            SliceRef& role = isModule ? module : isFrame ? frame : op;
            if (at != m_slice && !role.isValid() && (isFrame || isOperator(m_trace.kind(at))))
                role = at;
            if (at == m_slice || forward.isValid())
                continue;
            for (const Arrow& arrow : m_trace.arrowsTo(at)) {
                if (arrow.category == "fwdbwd")
                    forward = arrow.from;
            }
        }
        const auto add = [&](const QString& label, SliceRef target) {
            if (target.isValid() && !isKnown(target))
                addLink(label, target);
        };
        if (!isOperator(m_kind))
            add(tr("Operator"), op);
        add(tr("Module"), module);
        add(tr("Python frame"), frame);
        add(tr("Forward"), forward);
    }

    /// Forward to backward, and whatever else the file ties; launches have their own rows.
    void addArrows()
    {
        const auto add = [&](const Arrow& arrow, bool forth, size_t& left) {
            const SliceRef target = forth ? arrow.to : arrow.from;
            if (left == 0 || isKnown(target))
                return;
            --left;
            const int64_t apartNs = subSaturated(m_trace.startNs(target), m_trace.startNs(m_slice));
            const QString note = (apartNs < 0 ? QString() : u"+"_s) + formatDuration(apartNs);
            const bool isGradient = arrow.category == "fwdbwd";
            if (isGradient)
                addLink(forth ? tr("Backward") : tr("Forward"), target, note);
            else
                addLink(forth ? tr("Leads to") : tr("Comes from"), target, note);
        };
        size_t leftBack = kMostArrows;
        for (const Arrow& arrow : m_trace.arrowsTo(m_slice))
            add(arrow, false, leftBack);
        size_t leftForth = kMostArrows;
        for (const Arrow& arrow : m_trace.arrowsFrom(m_slice))
            add(arrow, true, leftForth);
    }

    void addFamily()
    {
        addLink(tr("Parent"), m_trace.parent(m_slice), {}, ViewCommand::Parent);
        if (m_children.count == 1)
            addLink(tr("Child"), m_children.first, {}, ViewCommand::Child);
        else if (m_children.count > 1)
            addLink(tr("Children (%1)").arg(formatCount(m_children.count)), m_children.first, {}, ViewCommand::Child);
    }

    void addScope()
    {
        const SliceRef annotation = annotationAround(m_trace, m_slice);
        if (annotation.isValid())
            m_out.links.push_back({tr("As scope"), annotation, tr("inside %1").arg(nameOf(m_trace, annotation)), {},
                ViewCommand::AnnotationAsScope});
    }

    void addStack()
    {
        SliceRef from = m_slice;
        m_out.stackTitle = tr("Python stack");
        if (isDeviceWork(m_kind)) {
            from = m_trace.ownerOf(m_slice);
            if (!from.isValid())
                from = m_trace.callOf(m_slice);
            if (!from.isValid())
                return;
            m_out.stackTitle = tr("Python stack of the launch");
        }
        for (SliceRef at = m_trace.parent(from); at.isValid(); at = m_trace.parent(at)) {
            if (m_trace.kind(at) == SliceKind::PythonFunction)
                m_out.stack.append(nameOf(m_trace, at));
            if (static_cast<size_t>(m_out.stack.size()) == kMostFrames)
                break;
        }
    }

    const TraceFacts& m_facts;
    const TraceSnapshot& m_trace;
    SliceRef m_slice;
    SliceKind m_kind;
    std::stop_token m_stop;
    SliceRef m_forth;
    SliceRef m_back;
    const StepMark* m_step = nullptr;
    Children m_children;
    SliceFacts m_out;
};

} // namespace

SliceFacts sliceHead(const TraceSnapshot& trace, SliceRef slice)
{
    SliceFacts facts;
    facts.slice = slice;
    facts.name = nameOf(trace, slice);
    facts.place = sliceKindWord(trace.kind(slice)) + u" · "_s + lanePlace(trace, slice.lane);
    facts.time
        = {{tr("Start"), formatExact(trace.startNs(slice))}, {tr("Duration"), formatExact(trace.durationNs(slice))}};
    return facts;
}

SliceFacts sliceFacts(const TraceFacts& facts, SliceRef slice, std::stop_token stop)
{
    return FactsMaker(facts, slice, std::move(stop)).make();
}

namespace {

/// Sums up slices as they are met.
class MarkSummer {
public:
    explicit MarkSummer(const TraceFacts& facts)
        : m_facts(facts)
        , m_trace(facts.trace())
    {
    }

    void add(SliceRef slice)
    {
        const int64_t durationNs = m_trace.durationNs(slice);
        const NameId name = m_trace.name(slice);
        if (m_out.count == 0) {
            m_name = name;
            m_out.cls = m_facts.workClasses().of(m_trace, slice);
        }
        if (m_out.count == 0 || durationNs < m_out.minNs) {
            m_out.minNs = durationNs;
            m_out.shortest = slice;
        }
        if (m_out.count == 0 || durationNs > m_out.maxNs) {
            m_out.maxNs = durationNs;
            m_out.longest = slice;
        }
        m_isOneName = m_isOneName && name == m_name;
        m_out.sumNs = addSaturated(m_out.sumNs, durationNs);
        m_durations.push_back(durationNs);
        ++m_out.count;
    }

    [[nodiscard]] MarkFacts finish()
    {
        m_out.medianNs = medianNs(m_durations);
        if (m_isOneName && m_out.count > 0)
            m_out.name = displayText(m_trace.text(m_name));
        return m_out;
    }

private:
    const TraceFacts& m_facts;
    const TraceSnapshot& m_trace;
    MarkFacts m_out;
    NameId m_name;
    bool m_isOneName = true;
    std::vector<int64_t> m_durations;
};

} // namespace

MarkFacts markFacts(const TraceFacts& facts, const SliceMask& mask, std::stop_token stop)
{
    MarkSummer summer(facts);
    for (uint32_t lane = 0; lane < facts.trace().lanes().size() && !stop.stop_requested(); ++lane) {
        const std::span<const uint64_t> words = mask.words(LaneId(lane));
        for (size_t at = 0; at < words.size(); ++at) {
            for (uint64_t left = words[at]; left != 0; left &= left - 1)
                summer.add(
                    {LaneId(lane), static_cast<uint32_t>(at * 64 + static_cast<size_t>(std::countr_zero(left)))});
        }
    }
    return summer.finish();
}

MarkFacts rangeFacts(const TraceFacts& facts, TimeRange range, std::stop_token stop)
{
    MarkSummer summer(facts);
    for (uint32_t id = 0; id < facts.trace().lanes().size() && !stop.stop_requested(); ++id) {
        const Lane& lane = facts.trace().lane(LaneId(id));
        const uint32_t end = lane.lowerBound(range.endNs);
        for (uint32_t i = lane.lowerBound(range.beginNs); i < end; ++i)
            summer.add({LaneId(id), i});
    }
    return summer.finish();
}

QString sliceClipboardText(const TraceSnapshot& trace, SliceRef slice)
{
    const auto exact = [](int64_t ns) -> QString { return QString::fromStdString(microsecondsText(ns)) + u" us"_s; };
    const std::string_view name = trace.text(trace.name(slice));
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + u"\nstart\t"_s
        + exact(trace.startNs(slice)) + u"\nduration\t"_s + exact(trace.durationNs(slice)) + u'\n';
}

} // namespace torchline
