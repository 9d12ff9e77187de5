#include "file_watch.h"

#include "base/text.h"

#include <QString>
#include <QStringList>

#include <sys/stat.h>

namespace torchline {

namespace {

/// A file that is being written reports many changes; one is told when it rests this long.
constexpr int kSettleMs = 400;

} // namespace

FileWatch::FileWatch(QObject* parent)
    : QObject(parent)
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, &FileWatch::check);
    const auto settle = [this] { m_settle.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, settle);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, settle);
}

FileWatch::Stamp FileWatch::stampOf(const std::string& path)
{
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0)
        return {};
    return {true, info.st_dev, info.st_ino, info.st_size,
        int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
}

void FileWatch::watch(const std::vector<std::string>& paths)
{
    if (const QStringList old = m_watcher.files() + m_watcher.directories(); !old.isEmpty())
        m_watcher.removePaths(old);
    m_settle.stop();
    m_files.clear();
    m_hasTold = false;
    for (const std::string& path : paths) {
        if (path == "-")
            continue;
        m_files.push_back({path, stampOf(path)});
        if (!isValidUtf8(path))
            continue;
        // The folder too: a file replaced by another is no change of the first.
        const QString name = QString::fromStdString(path);
        m_watcher.addPath(name);
        if (const qsizetype slash = name.lastIndexOf(u'/'); slash > 0)
            m_watcher.addPath(name.left(slash));
    }
}

void FileWatch::check()
{
    if (m_hasTold)
        return;
    for (const Watched& file : m_files) {
        const Stamp now = stampOf(file.path);
        if (now == file.stamp || !now.exists) // a file that is only gone cannot be reloaded
            continue;
        m_hasTold = true;
        Q_EMIT changed(file.path);
        return;
    }
}

} // namespace torchline
