#include "record/record_notices.h"

#include "common/format.h"

#include <QCoreApplication>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

using Shape = NoticeList::Shape;

QString tr(const char* text)
{
    return QCoreApplication::translate("RecordNotices", text);
}

QString counted(uint64_t n)
{
    return formatCount(static_cast<int64_t>(n));
}

NoticeList::Entry endOfProgram(const capture::SessionStatus& status)
{
    QStringList evidence;
    for (const capture::RunningThread& thread : status.running) {
        QStringList names;
        for (const std::string& name : thread.operators)
            names.append(displayText(name));
        if (!names.isEmpty())
            evidence.append(tr("Thread %1 %2: %3").arg(thread.tid).arg(displayText(thread.name), names.join(u" › "_s)));
    }
    return {Shape::Error, tr("The program ended: %1").arg(displayText(status.exitText)), evidence, {}, {}};
}

} // namespace

std::vector<NoticeList::Entry> recordNotices(const capture::SessionStatus& status)
{
    std::vector<NoticeList::Entry> entries;
    const bool isLossless
        = status.dropped == 0 && status.threadsWithoutSlot == 0 && status.opsTooDeep == 0 && status.damagedSlots == 0;
    entries.push_back({isLossless ? Shape::Ok : Shape::Warning,
        isLossless ? tr("All that the program reported was recorded: %1 records, 0 lost").arg(counted(status.records))
                   : tr("The recording has gaps: %1 records").arg(counted(status.records)),
        {}, {}, {}});
    if (!status.fault.empty())
        entries.push_back({Shape::Error, tr("Nothing was recorded"), {displayText(status.fault)}, {}, {}});
    if (status.waitStatus && !capture::isSuccess(*status.waitStatus))
        entries.push_back(endOfProgram(status));
    if (!status.stopReason.empty())
        entries.push_back(
            {Shape::Warning, tr("The recording ended by itself"), {displayText(status.stopReason)}, {}, {}});
    const auto lost = [&entries](uint64_t count, const QString& title, const QString& evidence) {
        if (count > 0)
            entries.push_back({Shape::Warning, title, {evidence}, counted(count), {}});
    };
    lost(status.dropped, tr("Records lost"),
        tr("The program was faster than they could be read; each gap is in the trace."));
    lost(status.threadsWithoutSlot, tr("Threads without room"),
        tr("More threads ran at once than the recorder has room for; theirs is missing."));
    lost(status.opsTooDeep, tr("Nested too deep"), tr("Operators inside so many others were left out."));
    lost(status.damagedSlots, tr("Damaged threads"),
        tr("What these threads wrote could not be read on; the program may have overwritten it."));
    for (const capture::Note& note : status.notes)
        entries.push_back({Shape::Warning, displayText(note.text), {}, {}, {}});
    return entries;
}

} // namespace torchline
