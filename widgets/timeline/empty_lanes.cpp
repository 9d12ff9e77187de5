#include "timeline/empty_lanes.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(EmptyLanes)
};

/// "12 memory records, 3 counters": what the files hold that has no length.
QString otherRecords(const TraceSnapshot& trace)
{
    uint64_t memory = 0;
    uint64_t instants = 0;
    uint64_t counters = 0;
    uint64_t asyncSlices = 0;
    for (const auto& file : trace.files()) {
        memory += file->memory.size();
        instants += file->instants.size();
        counters += file->counters.size();
        asyncSlices += file->asyncSlices.size();
    }
    QStringList parts;
    const auto add = [&parts](uint64_t count, const QString& one, const QString& many) {
        if (count > 0)
            parts.append(count == 1 ? one : many.arg(formatCount(static_cast<int64_t>(count))));
    };
    add(memory, Words::tr("1 memory record"), Words::tr("%1 memory records"));
    add(instants, Words::tr("1 instant"), Words::tr("%1 instants"));
    add(counters, Words::tr("1 counter"), Words::tr("%1 counters"));
    add(asyncSlices, Words::tr("1 asynchronous slice"), Words::tr("%1 asynchronous slices"));
    return parts.join(u", "_s);
}

} // namespace

EmptyText emptyLanesText(const TraceSnapshot& trace, const QString& filter)
{
    EmptyText text;
    if (!filter.isEmpty()) {
        text.title = Words::tr("No lane is called “%1”").arg(filter.left(60));
        text.advice = Words::tr("Part of a name, or a glob such as *nccl* for a whole one.");
        text.link = Words::tr("Show all lanes");
        text.icon = u"filter"_s;
        return text;
    }
    text.title
        = trace.files().size() > 1 ? Words::tr("No slices in these traces") : Words::tr("No slices in this trace");
    const QString others = otherRecords(trace);
    text.advice = others.isEmpty() ? Words::tr("Nothing in it has a begin and an end.")
                                   : Words::tr("It holds %1 and nothing with a begin and an end.").arg(others);
    text.advice += u'\n'
        + Words::tr("torch.profiler records while a “with profile(...)” block runs; with a schedule, only from the "
                    "active steps on. Health lists what the file lacks.");
    return text;
}

} // namespace torchline
