#pragma once
// Settings: what the program remembers between runs: theme, layout, columns, recent files. One INI file of our own
// under the desktop's configuration folder. Thread: GUI thread only. A file that cannot be written loses settings,
// nothing else.

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QVariant>

#include <memory>

namespace torchline {

enum class ThemeChoice : uint8_t { System, Light, Dark };

class Settings {
public:
    /// $TORCHLINE_CONFIG_DIR/torchline.ini if that is set, else torchline/torchline.ini in the configuration folder.
    [[nodiscard]] static QString defaultPath();
    explicit Settings(const QString& path = defaultPath());
    /// Remembers until it is destroyed, reads and writes no file.
    [[nodiscard]] static std::unique_ptr<Settings> forgetful();

    [[nodiscard]] ThemeChoice themeChoice() const;
    void setThemeChoice(ThemeChoice choice);

    [[nodiscard]] QByteArray bytes(const QString& key) const;
    void setBytes(const QString& key, const QByteArray& value);
    /// Forgets every key under this group: "layout".
    void removeGroup(const QString& group);
    /// Writes what changed and reads what another window wrote.
    void sync();

private:
    struct Forgetful { };
    explicit Settings(Forgetful) { }

    [[nodiscard]] QVariant value(const QString& key) const;
    void setValue(const QString& key, const QVariant& value);

    std::unique_ptr<QSettings> m_file; ///< null: m_values are all there is
    QVariantMap m_values;
};

} // namespace torchline
