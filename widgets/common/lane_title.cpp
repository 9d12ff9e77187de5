#include "common/lane_title.h"

#include "common/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(LaneTitle)
};

} // namespace

bool isDecimal(const QString& id)
{
    const QStringView digits = QStringView(id).mid(id.startsWith(u'-') ? 1 : 0);
    return !digits.isEmpty() && std::ranges::all_of(digits, [](QChar c) { return c >= u'0' && c <= u'9'; });
}

QString laneTitle(const TraceSnapshot& trace, LaneId lane, LaneTitle form)
{
    const QString label = displayText(trace.laneLabel(lane));
    const QString tid = displayText(trace.tid(lane));
    const bool isDevice = trace.lane(lane).isDevice();
    if (label == tid || label.isEmpty()) {
        const QString kind = isDevice ? Words::tr("stream") : Words::tr("thread");
        return isDecimal(tid) ? QString(kind + u' ' + tid) : tid;
    }
    // Kineto's own names repeat the number: "thread 4711 (python)", "stream 7 ".
    QString name = label.simplified();
    for (const QString& kind : {u"thread "_s, u"stream "_s}) {
        const QString numbered = kind + tid;
        if (name == numbered)
            return name;
        if (name.startsWith(numbered + u' ')) {
            name = name.mid(numbered.size() + 1);
            if (name.startsWith(u'(') && name.endsWith(u')') && name.size() > 2)
                name = name.mid(1, name.size() - 2);
            return form == LaneTitle::Short ? QString(name + u", "_s + tid) : QString(numbered + u' ' + name);
        }
    }
    if (name.contains(tid))
        return name;
    if (form == LaneTitle::Short)
        return name + u", "_s + tid;
    return isDevice ? QString(name + u' ' + tid) : Words::tr("thread %1 %2").arg(tid, name);
}

} // namespace torchline
