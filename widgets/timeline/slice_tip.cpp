#include "timeline/slice_tip.h"

#include "timeline/memory_painter.h"

#include "common/format.h"
#include "lod/slice_links.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(SliceTip)
};

constexpr size_t kMostPairs = 5;
constexpr size_t kMostLinks = 1000;

QString nameText(const TraceSnapshot& trace, SliceRef slice)
{
    return slice.isValid() ? displayText(trace.text(trace.name(slice))) : QString();
}

/// "[320, 1, 1]" -> "320 × 1 × 1".
QString sizesText(const ArgList& args, std::string_view key)
{
    const std::string* value = findArg(args, key);
    if (!value || value->size() < 2 || value->front() != '[' || value->back() != ']')
        return {};
    QString text = displayText(std::string_view(*value).substr(1, value->size() - 2));
    return text.remove(u'"').replace(u","_s, u" × "_s);
}

/// "[[64,128],[128,64],[]]" -> "64 × 128, 128 × 64".
QString shapesText(const ArgList& args)
{
    const std::string* value = findArg(args, "Input Dims");
    if (!value)
        value = findArg(args, "Input dims");
    if (!value)
        return {};
    static const QRegularExpression shape(u"\\[([0-9][0-9,\\s]*)\\]"_s);
    QStringList shapes;
    auto matches = shape.globalMatch(displayText(*value));
    constexpr qsizetype kMost = 4;
    while (matches.hasNext()) {
        const QString dims = matches.next().captured(1).remove(u' ');
        if (shapes.size() == kMost) {
            shapes.append(u"…"_s);
            break;
        }
        shapes.append(QString(dims).replace(u","_s, u" × "_s));
    }
    return shapes.join(u", "_s);
}

} // namespace

bool tipWantsArgs(SliceKind kind)
{
    return kind == SliceKind::Kernel || kind == SliceKind::CpuOp;
}

TipContent sliceTip(const lod::TimelineIndex& index, std::span<const StepMark> steps, const Theme& theme,
    const KeyMap& keys, SliceRef slice, const ArgList* args)
{
    const TraceSnapshot& trace = index.trace();
    const SliceKind kind = trace.kind(slice);
    const WorkClass cls = index.classOf(slice);
    TipContent tip;
    tip.swatch = theme.of(cls).fill;
    tip.title = nameText(trace, slice);
    if (tip.title.isEmpty())
        tip.title = Words::tr("(no name)");
    const auto add = [&](const QString& label, const QString& value) {
        if (!value.isEmpty() && tip.pairs.size() < kMostPairs)
            tip.pairs.emplace_back(label, value);
    };
    const uint8_t flags = trace.lane(slice.lane).flags(slice.index);
    QString duration = formatExact(trace.durationNs(slice));
    if ((flags & SliceUnfinished) != 0)
        duration += u" "_s + Words::tr("(has no end in the recording)");
    add(Words::tr("Duration"), duration);
    const int64_t startNs = trace.startNs(slice);
    const auto step = std::ranges::find_if(steps, [&](const StepMark& mark) { return mark.range.contains(startNs); });
    if (step != steps.end() && step->number && step->slice != slice)
        add(Words::tr("Start"),
            Words::tr("%1 into step %2")
                .arg(formatExact(startNs - step->range.beginNs), QString::number(*step->number)));
    else
        add(Words::tr("Start"), formatExact(startNs));
    if (kind != SliceKind::PythonFunction)
        add(Words::tr("Class"), displayText(workClassTitle(cls)));

    const SliceRef call = isDeviceWork(kind) ? trace.callOf(slice) : SliceRef{};
    const SliceRef owner = isDeviceWork(kind) ? trace.ownerOf(slice) : SliceRef{};
    if (kind == SliceKind::Kernel && args) {
        const QString grid = sizesText(*args, "grid");
        const QString block = sizesText(*args, "block");
        if (!grid.isEmpty() && !block.isEmpty())
            add(Words::tr("Grid · block"), grid + u" · "_s + block);
    }
    if (isDeviceWork(kind)) {
        const DeviceWork* work = trace.deviceWork(slice);
        if (work && work->bytes != kNoValue) {
            QString bytes = formatBytes(work->bytes);
            const int64_t length = trace.durationNs(slice);
            // Bytes a ns are GB/s.
            if (length > 0 && work->bytes > 0)
                bytes += u", "_s
                    + QString::number(static_cast<double>(work->bytes) / static_cast<double>(length), 'f', 2)
                    + u"\u00a0GB/s"_s;
            add(Words::tr("Bytes"), bytes);
        }
        if (work && work->occupancyPercent >= 0)
            add(Words::tr("Est. occupancy"), QString::number(work->occupancyPercent) + u"\u00a0%"_s);
        add(Words::tr("Launched by"), nameText(trace, owner.isValid() ? owner : call));
    }
    if (isCall(kind)) {
        const std::vector<SliceRef> work = trace.workOfCall(slice);
        if (!work.empty())
            add(Words::tr("Launches"),
                work.size() == 1 ? nameText(trace, work.front())
                                 : formatCounted(static_cast<int64_t>(work.size()), Words::tr("device slice"),
                                     Words::tr("device slices")));
    }
    if (isOperator(kind)) {
        if (args)
            add(Words::tr("Shapes"), shapesText(*args));
        int64_t deviceNs = 0;
        const std::vector<SliceRef> work = trace.workOfOwner(slice);
        for (const SliceRef piece : work)
            deviceNs = addSaturated(deviceNs, trace.durationNs(piece));
        if (!work.empty())
            add(Words::tr("Device time"),
                work.size() == 1 ? formatExact(deviceNs)
                                 : Words::tr("%1 in %2 slices").arg(formatExact(deviceNs)).arg(work.size()));
    }

    const std::vector<lod::SliceLink> links = lod::linksOf(trace, slice, kMostLinks);
    const bool leadsOn = std::ranges::any_of(links, [&](const lod::SliceLink& link) { return link.to != slice; });
    const bool comesFrom = std::ranges::any_of(links, [&](const lod::SliceLink& link) { return link.to == slice; });
    tip.hint = Words::tr("click selects");
    const QString key = comesFrom ? keys.text(ViewCommand::FollowBack)
        : leadsOn                 ? keys.text(ViewCommand::FollowForth)
                                  : QString();
    if (key.isEmpty())
        return tip;
    if (comesFrom)
        tip.hint
            += (isDeviceWork(kind) ? Words::tr(" · %1 goes to its launch") : Words::tr(" · %1 follows its arrow back"))
                   .arg(key);
    else
        tip.hint += (isOperator(kind) || isCall(kind) ? Words::tr(" · %1 goes to its device work")
                                                      : Words::tr(" · %1 follows its arrow"))
                        .arg(key);
    return tip;
}

TipContent memoryTip(const lod::MemoryTrack& track, int64_t timeNs)
{
    TipContent tip;
    tip.title = Words::tr("Memory of %1").arg(memoryDeviceName(track));
    int64_t value = 0;
    if (track.allocated.valueAt(timeNs, value))
        tip.pairs.emplace_back(Words::tr("Allocated"), formatBytes(value));
    if (track.reserved.valueAt(timeNs, value))
        tip.pairs.emplace_back(Words::tr("Reserved"), formatBytes(value));
    tip.pairs.emplace_back(Words::tr("Peak allocated"),
        Words::tr("%1 at %2").arg(formatBytes(track.peakBytes), formatExact(track.peakAtNs)));
    tip.pairs.emplace_back(Words::tr("Time"), formatExact(timeNs));
    return tip;
}

} // namespace torchline
