#include "recent_files.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString asText(const QByteArray& bytes)
{
    return QString::fromLatin1(bytes.toBase64());
}

QByteArray asBytes(const QJsonValue& text)
{
    return QByteArray::fromBase64(text.toString().toLatin1());
}

QJsonObject toJson(const RecentFile& entry)
{
    QJsonArray paths;
    for (const std::string& path : entry.paths)
        paths.append(asText(QByteArray::fromStdString(path)));
    // 64-bit figures as text: a JSON number is a double there.
    return {{u"paths"_s, paths}, {u"opened"_s, entry.openedAt.toUTC().toString(Qt::ISODate)},
        {u"size"_s, QString::number(entry.sizeBytes)}, {u"span"_s, QString::number(entry.spanNs)},
        {u"slices"_s, QString::number(entry.slices)}, {u"density"_s, asText(entry.density)},
        {u"device"_s, entry.densityIsDevice}};
}

RecentFile fromJson(const QJsonObject& object)
{
    RecentFile entry;
    const QJsonArray paths = object.value(u"paths"_s).toArray();
    for (const QJsonValue& path : paths)
        entry.paths.push_back(asBytes(path).toStdString());
    entry.openedAt = QDateTime::fromString(object.value(u"opened"_s).toString(), Qt::ISODate).toLocalTime();
    entry.sizeBytes = object.value(u"size"_s).toString().toULongLong();
    entry.spanNs = object.value(u"span"_s).toString().toLongLong();
    entry.slices = object.value(u"slices"_s).toString().toULongLong();
    entry.density = asBytes(object.value(u"density"_s));
    entry.densityIsDevice = object.value(u"device"_s).toBool();
    return entry;
}

} // namespace

RecentFiles::RecentFiles(Settings& settings, QObject* parent)
    : QObject(parent)
    , m_settings(settings)
{
    read();
}

void RecentFiles::read()
{
    m_entries.clear();
    const QJsonArray list = QJsonDocument::fromJson(m_settings.bytes(u"recent"_s)).array();
    for (const QJsonValue& value : list) {
        RecentFile entry = fromJson(value.toObject());
        if (!entry.paths.empty() && m_entries.size() < kMost)
            m_entries.push_back(std::move(entry));
    }
}

void RecentFiles::write()
{
    QJsonArray list;
    for (const RecentFile& entry : m_entries)
        list.append(toJson(entry));
    m_settings.setBytes(u"recent"_s, QJsonDocument(list).toJson(QJsonDocument::Compact));
    m_settings.sync();
    Q_EMIT changed();
}

void RecentFiles::reload()
{
    m_settings.sync();
    read();
    Q_EMIT changed();
}

void RecentFiles::add(RecentFile entry)
{
    m_settings.sync();
    read();
    std::erase_if(m_entries, [&entry](const RecentFile& other) { return other.paths == entry.paths; });
    m_entries.insert(m_entries.begin(), std::move(entry));
    if (m_entries.size() > kMost)
        m_entries.resize(kMost);
    write();
}

void RecentFiles::remove(const std::vector<std::string>& paths)
{
    m_settings.sync();
    read();
    std::erase_if(m_entries, [&paths](const RecentFile& other) { return other.paths == paths; });
    write();
}

void RecentFiles::replacePaths(const std::vector<std::string>& before, std::vector<std::string> after)
{
    m_settings.sync();
    read();
    const auto found = std::ranges::find(m_entries, before, &RecentFile::paths);
    if (found == m_entries.end())
        return;
    found->paths = std::move(after);
    write();
}

void RecentFiles::clear()
{
    m_entries.clear();
    write();
}

std::string absolutePath(const std::string& path)
{
    if (path == "-")
        return path;
    std::error_code ignored;
    const std::filesystem::path absolute = std::filesystem::absolute(std::filesystem::path(path), ignored);
    return ignored ? path : absolute.lexically_normal().native();
}

} // namespace torchline
