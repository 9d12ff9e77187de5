#pragma once
// RecentFiles: what was open lately, with what the start page shows of each. Kept in the Settings, newest first.
// Thread: GUI thread only. Paths are raw bytes, absolute; files opened together are one entry.

#include "settings.h"

#include <QByteArray>
#include <QDateTime>
#include <QObject>

#include <cstdint>
#include <string>
#include <vector>

namespace torchline {

struct RecentFile {
    std::vector<std::string> paths;
    QDateTime openedAt;
    uint64_t sizeBytes = 0;
    int64_t spanNs = 0;
    uint64_t slices = 0;
    QByteArray density; ///< one byte a column: share of the time that is busy, 255 = all
    bool densityIsDevice = false; ///< of device work; else of operators on the host
};

class RecentFiles : public QObject {
    Q_OBJECT

public:
    static constexpr size_t kMost = 12;

    explicit RecentFiles(Settings& settings, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<RecentFile>& entries() const { return m_entries; }
    /// Puts it first; an entry with the same paths is replaced.
    void add(RecentFile entry);
    void remove(const std::vector<std::string>& paths);
    void replacePaths(const std::vector<std::string>& before, std::vector<std::string> after);
    void clear();
    /// Another window may have written the list.
    void reload();

Q_SIGNALS:
    void changed();

private:
    void read();
    void write();

    Settings& m_settings;
    std::vector<RecentFile> m_entries;
};

/// The same file whatever the working folder; "-" stays.
[[nodiscard]] std::string absolutePath(const std::string& path);

} // namespace torchline
