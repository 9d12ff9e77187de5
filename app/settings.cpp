#include "settings.h"

#include <QStandardPaths>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr QStringView kTheme = u"theme";

} // namespace

QString Settings::defaultPath()
{
    const QString folder = qEnvironmentVariable("TORCHLINE_CONFIG_DIR");
    if (!folder.isEmpty())
        return folder + u"/torchline.ini"_s;
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/torchline/torchline.ini"_s;
}

Settings::Settings(const QString& path)
    : Settings(path, QSettings::IniFormat)
{
}

Settings::Settings(const QString& path, QSettings::Format format)
    : m_store(path, format)
{
}

std::unique_ptr<Settings> Settings::forgetful()
{
    static const QSettings::Format nowhere = QSettings::registerFormat(
        u"nowhere"_s, [](QIODevice&, QSettings::SettingsMap&) { return true; },
        [](QIODevice&, const QSettings::SettingsMap&) { return true; });
    return std::unique_ptr<Settings>(new Settings(u"/dev/null"_s, nowhere));
}

ThemeChoice Settings::themeChoice() const
{
    const QString text = m_store.value(kTheme.toString()).toString();
    return text == u"light"_s ? ThemeChoice::Light : text == u"dark"_s ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setThemeChoice(ThemeChoice choice)
{
    const QString text = choice == ThemeChoice::Light ? u"light"_s
        : choice == ThemeChoice::Dark                 ? u"dark"_s
                                                      : u"system"_s;
    m_store.setValue(kTheme.toString(), text);
}

QByteArray Settings::bytes(const QString& key) const
{
    return m_store.value(key).toByteArray();
}

void Settings::setBytes(const QString& key, const QByteArray& value)
{
    m_store.setValue(key, value);
}

void Settings::removeGroup(const QString& group)
{
    m_store.remove(group);
}

} // namespace torchline
