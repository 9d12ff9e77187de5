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
    : m_file(std::make_unique<QSettings>(path, QSettings::IniFormat))
{
}

std::unique_ptr<Settings> Settings::forgetful()
{
    return std::unique_ptr<Settings>(new Settings(Forgetful()));
}

QVariant Settings::value(const QString& key) const
{
    return m_file ? m_file->value(key) : m_values.value(key);
}

void Settings::setValue(const QString& key, const QVariant& value)
{
    if (m_file)
        m_file->setValue(key, value);
    else
        m_values.insert(key, value);
}

ThemeChoice Settings::themeChoice() const
{
    const QString text = value(kTheme.toString()).toString();
    return text == u"light"_s ? ThemeChoice::Light : text == u"dark"_s ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setThemeChoice(ThemeChoice choice)
{
    const QString text = choice == ThemeChoice::Light ? u"light"_s
        : choice == ThemeChoice::Dark                 ? u"dark"_s
                                                      : u"system"_s;
    setValue(kTheme.toString(), text);
}

QByteArray Settings::bytes(const QString& key) const
{
    return value(key).toByteArray();
}

void Settings::setBytes(const QString& key, const QByteArray& value)
{
    setValue(key, QVariant(value));
}

void Settings::removeGroup(const QString& group)
{
    if (m_file) {
        m_file->remove(group);
        return;
    }
    m_values.removeIf(
        [&](QVariantMap::iterator each) { return each.key() == group || each.key().startsWith(group + u'/'); });
}

void Settings::sync()
{
    if (m_file)
        m_file->sync();
}

} // namespace torchline
