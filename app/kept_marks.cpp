#include "kept_marks.h"

#include "recent_files.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

const QString kKey = u"marks"_s;

QString idOf(const std::vector<std::string>& paths)
{
    QByteArray id;
    for (const std::string& path : paths)
        id += QByteArray::fromStdString(absolutePath(path)) + '\0';
    return QString::fromLatin1(id.toBase64());
}

bool isOfFiles(const std::vector<std::string>& paths)
{
    return !paths.empty() && std::ranges::find(paths, "-") == paths.end();
}

QJsonArray entriesIn(const Settings& settings)
{
    return QJsonDocument::fromJson(settings.bytes(kKey)).array();
}

} // namespace

std::vector<TimeMark> KeptMarks::of(const std::vector<std::string>& paths) const
{
    std::vector<TimeMark> marks;
    if (!isOfFiles(paths))
        return marks;
    const QString id = idOf(paths);
    for (const QJsonValue& entry : entriesIn(m_settings)) {
        if (entry[u"trace"_s].toString() != id)
            continue;
        for (const QJsonValue& mark : entry[u"marks"_s].toArray()) {
            // 64-bit figures as text: a JSON number is a double there.
            const TimeRange range{mark[0].toString().toLongLong(), mark[1].toString().toLongLong()};
            if (!range.isEmpty())
                marks.push_back({range, true});
        }
    }
    return marks;
}

void KeptMarks::remember(const std::vector<std::string>& paths, const std::vector<TimeMark>& marks)
{
    if (!isOfFiles(paths))
        return;
    const QString id = idOf(paths);
    QJsonArray kept;
    for (const TimeMark& mark : marks) {
        if (mark.isKept)
            kept.append(QJsonArray{QString::number(mark.range.beginNs), QString::number(mark.range.endNs)});
    }
    QJsonArray entries;
    if (!kept.isEmpty())
        entries.append(QJsonObject{{u"trace"_s, id}, {u"marks"_s, kept}});
    bool isChanged = !kept.isEmpty();
    for (const QJsonValue& entry : entriesIn(m_settings)) {
        if (entry[u"trace"_s].toString() == id)
            isChanged = true;
        else if (entries.size() < kMostTraces)
            entries.append(entry);
    }
    if (isChanged)
        m_settings.setBytes(kKey, QJsonDocument(entries).toJson(QJsonDocument::Compact));
}

} // namespace torchline
