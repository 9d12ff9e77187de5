#include "details/slice_words.h"

#include "common/format.h"
#include "common/lane_title.h"

#include <QCoreApplication>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("SliceWords", text);
}

} // namespace

QString sliceKindWord(SliceKind kind)
{
    switch (kind) {
    case SliceKind::CpuOp:
        return tr("operator");
    case SliceKind::UserAnnotation:
        return tr("annotation");
    case SliceKind::PythonFunction:
        return tr("Python function");
    case SliceKind::Runtime:
        return tr("runtime call");
    case SliceKind::Driver:
        return tr("driver call");
    case SliceKind::Kernel:
        return tr("kernel");
    case SliceKind::Memcpy:
        return tr("copy");
    case SliceKind::Memset:
        return tr("memory set");
    case SliceKind::DeviceSync:
        return tr("wait on the device");
    case SliceKind::DeviceAnnotation:
        return tr("annotation on the device");
    case SliceKind::Overhead:
        return tr("profiler overhead");
    case SliceKind::Other:
        return tr("slice");
    }
    return {};
}

QString lanePlace(const TraceSnapshot& trace, LaneId lane)
{
    const ProcessGroup& group = trace.groupOf(lane);
    const QString title = laneTitle(trace, lane);
    if (group.isDevice) {
        const NameId labels = trace.file(group.fileIndex).processes[group.process].labels;
        const QString device = displayText(labels.isValid() ? trace.text(labels) : std::string_view(group.label));
        return device.trimmed() + u", "_s + title;
    }
    const auto processes = std::ranges::count_if(trace.groups(),
        [&](const ProcessGroup& each) { return !each.isDevice && isDecimal(displayText(trace.pid(each))); });
    return processes > 1 ? QString(displayText(group.label) + u", "_s + title) : title;
}

QStringList sliceFlaws(uint8_t flags)
{
    QStringList flaws;
    if ((flags & SliceUnfinished) != 0)
        flaws.append(tr("the file has no end of it: it ends with the recording"));
    if ((flags & SliceCrossing) != 0)
        flaws.append(tr("overlaps an earlier slice of its lane without being inside it"));
    if ((flags & SliceClampedDuration) != 0)
        flaws.append(tr("the file has a negative duration"));
    return flaws;
}

} // namespace torchline
