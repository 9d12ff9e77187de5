#pragma once
// FileWatch: says once that a file of the open trace changed on disk, by replacement too. Looks when the system reports
// a change and when asked to (the window is activated: names that the system's watcher cannot carry, network folders).
// Thread: GUI thread only; one stat() a file. Paths are raw bytes.

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <string>
#include <vector>

namespace torchline {

class FileWatch : public QObject {
    Q_OBJECT

public:
    explicit FileWatch(QObject* parent = nullptr);

    /// From now on these, as they are now. "-" is left out.
    void watch(const std::vector<std::string>& paths);
    void check();

Q_SIGNALS:
    /// A file differs from what it was at watch(); emitted once until the next watch().
    void changed(const std::string& path);

private:
    struct Stamp {
        bool exists = false;
        uint64_t device = 0;
        uint64_t inode = 0;
        int64_t size = 0;
        int64_t modifiedNs = 0;
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    struct Watched {
        std::string path;
        Stamp stamp;
    };
    [[nodiscard]] static Stamp stampOf(const std::string& path);

    QFileSystemWatcher m_watcher;
    QTimer m_settle;
    std::vector<Watched> m_files;
    bool m_hasTold = false;
};

} // namespace torchline
