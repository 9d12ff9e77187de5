#include "timeline/timeline_frame.h"

#include "common/format.h"
#include "common/lane_title.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(GroupTitles)
};

/// Name of a device by its number, from the header of the file; empty if it has none.
QString deviceName(const FileStore& file, const QString& number)
{
    const std::string* properties = findArg(file.info.header, "deviceProperties");
    if (!properties)
        return {};
    const QJsonArray devices = QJsonDocument::fromJson(QByteArray::fromStdString(*properties)).array();
    for (const QJsonValue& device : devices) {
        const QJsonObject object = device.toObject();
        if (QString::number(object.value(u"id"_s).toInt(-1)) == number)
            return displayText(object.value(u"name"_s).toString().toStdString());
    }
    return {};
}

GroupTitle deviceTitle(const TraceSnapshot& trace, const ProcessGroup& group)
{
    // Kineto names the process after the program and labels it "GPU 0".
    QStringList notes = displayText(group.note).split(u", "_s, Qt::SkipEmptyParts);
    GroupTitle title;
    title.title = displayText(group.label);
    for (qsizetype i = 0; i < notes.size(); ++i) {
        if (!notes[i].startsWith(u"GPU "_s))
            continue;
        title.title = notes.takeAt(i);
        break;
    }
    if (isDecimal(title.title))
        title.title = Words::tr("GPU %1").arg(title.title);
    const QString number = title.title.startsWith(u"GPU "_s) ? title.title.mid(4).section(u' ', 0, 0) : QString();
    const QString name = number.isEmpty() ? QString() : deviceName(trace.file(group.fileIndex), number);
    if (!name.isEmpty() && !title.title.contains(name))
        notes.prepend(name);
    notes.removeAll(title.title);
    title.note = notes.join(u" · "_s);
    return title;
}

GroupTitle hostTitle(const TraceSnapshot& trace, const ProcessGroup& group)
{
    GroupTitle title;
    title.title = displayText(group.label);
    // Kineto labels process 0 "GPU 0", though threads that it knows no process of stand there, too.
    QStringList notes = displayText(group.note).split(u", "_s, Qt::SkipEmptyParts);
    notes.removeIf([](const QString& note) { return note == u"CPU"_s || note.startsWith(u"GPU "_s); });
    title.note = notes.join(u" · "_s);
    const QString pid = group.lanes.empty() ? QString() : displayText(trace.pid(group.lanes.front()));
    if (title.title == pid && isDecimal(pid))
        title.title = Words::tr("process %1").arg(pid);
    else if (isDecimal(pid) && !pid.startsWith(u'-') && !title.title.contains(pid))
        title.title += u' ' + pid;
    return title;
}

} // namespace

std::vector<GroupTitle> groupTitles(const TraceSnapshot& trace)
{
    std::vector<GroupTitle> titles;
    for (const ProcessGroup& group : trace.groups()) {
        titles.push_back(group.isDevice ? deviceTitle(trace, group) : hostTitle(trace, group));
        if (trace.files().size() < 2)
            continue;
        // Several files on one axis: which one it is from.
        const QString path = displayText(trace.file(group.fileIndex).info.path);
        const QString file = path.section(u'/', -1);
        QString& note = titles.back().note;
        note = note.isEmpty() ? file : note + u" · "_s + file;
    }
    titles.push_back({Words::tr("Memory"), {}});
    return titles;
}

} // namespace torchline
