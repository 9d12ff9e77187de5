#include "kept_views.h"

#include "recent_files.h"
#include "session_file.h"

#include <QCryptographicHash>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

const QString kList = u"views/list"_s;

bool isOfFiles(const std::vector<std::string>& paths)
{
    return !paths.empty() && std::ranges::find(paths, "-") == paths.end();
}

/// The same in whatever order they were named.
std::vector<std::string> absolutePaths(const std::vector<std::string>& paths)
{
    std::vector<std::string> all;
    for (const std::string& path : paths)
        all.push_back(absolutePath(path));
    std::ranges::sort(all);
    return all;
}

QString idOf(const std::vector<std::string>& paths)
{
    QByteArray id;
    for (const std::string& path : absolutePaths(paths))
        id += QByteArray::fromStdString(path) + '\0';
    return QString::fromLatin1(QCryptographicHash::hash(id, QCryptographicHash::Sha1).toHex());
}

std::vector<uint64_t> sizesOf(const std::vector<std::string>& paths)
{
    std::vector<uint64_t> sizes;
    for (const std::string& path : absolutePaths(paths))
        sizes.push_back(sizeOfFile(path).value_or(0));
    return sizes;
}

} // namespace

std::optional<KeptViews::Kept> KeptViews::of(const std::vector<std::string>& paths) const
{
    if (!isOfFiles(paths))
        return std::nullopt;
    const QByteArray text = m_settings.bytes(u"views/"_s + idOf(paths));
    const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object() || !json.contains("view"))
        return std::nullopt;
    return Kept{json.value("sizes", nlohmann::json()) == nlohmann::json(sizesOf(paths)), json.at("view")};
}

void KeptViews::remember(const std::vector<std::string>& paths, const nlohmann::json& view)
{
    if (!isOfFiles(paths))
        return;
    const QString id = idOf(paths);
    const nlohmann::json json = {{"sizes", sizesOf(paths)}, {"view", view}};
    m_settings.setBytes(u"views/"_s + id, QByteArray::fromStdString(json.dump()));
    QStringList ids = QString::fromLatin1(m_settings.bytes(kList)).split(u' ', Qt::SkipEmptyParts);
    if (!ids.isEmpty() && ids.front() == id)
        return;
    ids.removeAll(id);
    ids.prepend(id);
    while (ids.size() > kMostTraces)
        m_settings.removeGroup(u"views/"_s + ids.takeLast());
    m_settings.setBytes(kList, ids.join(u' ').toLatin1());
}

} // namespace torchline
