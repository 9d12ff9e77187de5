// Light and dark: the person's choice, the desktop's wish over a real bus, the palette without a portal.

#include "desktop_scheme.h"
#include "settings.h"
#include "theme_controller.h"

#include <QDBusMessage>
#include <QDBusVariant>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

QPalette paletteOf(const QColor& window, const QColor& text)
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    return palette;
}

} // namespace

/// A settings portal that says what a test wants. It wraps the answer twice, as the real one does for Read.
class FakePortal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

public:
    uint scheme = 0;

public Q_SLOTS:
    QDBusVariant Read(const QString& group, const QString& key)
    {
        const bool isKnown = group == u"org.freedesktop.appearance"_s && key == u"color-scheme"_s;
        return QDBusVariant(QVariant::fromValue(QDBusVariant(isKnown ? QVariant(scheme) : QVariant(99u))));
    }

Q_SIGNALS:
    void SettingChanged(const QString& group, const QString& key, const QDBusVariant& value);
};

class TestThemeController : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(u"dbus-daemon"_s).isEmpty())
            return;
        m_daemon.start(u"dbus-daemon"_s, {u"--session"_s, u"--nofork"_s, u"--print-address"_s});
        if (m_daemon.waitForReadyRead(5000))
            m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
    }

    void cleanupTestCase()
    {
        if (m_daemon.state() == QProcess::NotRunning)
            return;
        m_daemon.terminate();
        m_daemon.waitForFinished(5000);
    }

    void theMappingIsThatOfThePortal()
    {
        QVERIFY(colorSchemeOf(QVariant(1u)) == ColorScheme::PreferDark);
        QVERIFY(colorSchemeOf(QVariant(2u)) == ColorScheme::PreferLight);
        QVERIFY(colorSchemeOf(QVariant(0u)) == ColorScheme::NoPreference);
        QVERIFY(colorSchemeOf(QVariant(77u)) == ColorScheme::NoPreference);
        QVERIFY(!colorSchemeOf(QVariant(u"dark"_s)));
        const QVariant twice = QVariant::fromValue(QDBusVariant(QVariant::fromValue(QDBusVariant(QVariant(1u)))));
        QVERIFY(colorSchemeOf(twice) == ColorScheme::PreferDark);
    }

    void theChoiceComesFirstThenTheDesktopThenThePalette()
    {
        const QPalette light = paletteOf(Qt::white, Qt::black);
        const QPalette dark = paletteOf(Qt::black, Qt::white);
        QVERIFY(themeModeFor(ThemeChoice::Light, ColorScheme::PreferDark, dark) == ThemeMode::Light);
        QVERIFY(themeModeFor(ThemeChoice::Dark, ColorScheme::PreferLight, light) == ThemeMode::Dark);
        QVERIFY(themeModeFor(ThemeChoice::System, ColorScheme::PreferDark, light) == ThemeMode::Dark);
        QVERIFY(themeModeFor(ThemeChoice::System, ColorScheme::PreferLight, dark) == ThemeMode::Light);
        QVERIFY(themeModeFor(ThemeChoice::System, ColorScheme::NoPreference, dark) == ThemeMode::Dark);
        QVERIFY(themeModeFor(ThemeChoice::System, std::nullopt, light) == ThemeMode::Light);
    }

    void withoutABusThePaletteDecides()
    {
        DesktopScheme desktop{QDBusConnection(u"none"_s)};
        desktop.awaitFirstAnswer();
        QVERIFY(!desktop.scheme());
        const auto settings = Settings::forgetful();
        ThemeHost host;
        const ThemeController controller(*settings, host, desktop, paletteOf(Qt::black, Qt::white));
        QVERIFY(host.mode() == ThemeMode::Dark);
    }

    void theDesktopIsFollowedLive()
    {
        if (m_address.isEmpty())
            QSKIP("dbus-daemon is not installed or did not start");
        QDBusConnection service = QDBusConnection::connectToBus(m_address, u"portal"_s);
        FakePortal portal;
        portal.scheme = 1;
        QVERIFY(service.registerObject(u"/org/freedesktop/portal/desktop"_s, &portal,
            QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
        QVERIFY(service.registerService(u"org.freedesktop.portal.Desktop"_s));

        DesktopScheme desktop(QDBusConnection::connectToBus(m_address, u"client"_s));
        QSignalSpy heard(&desktop, &DesktopScheme::schemeChanged);
        QTRY_COMPARE(heard.size(), 1);
        QVERIFY(desktop.scheme() == ColorScheme::PreferDark);

        const auto settings = Settings::forgetful();
        ThemeHost host;
        QSignalSpy switched(&host, &ThemeHost::themeChanged);
        ThemeController controller(*settings, host, desktop, paletteOf(Qt::white, Qt::black));
        QVERIFY(host.mode() == ThemeMode::Dark);
        const auto say = [&portal](uint scheme) {
            Q_EMIT portal.SettingChanged(
                u"org.freedesktop.appearance"_s, u"color-scheme"_s, QDBusVariant(QVariant(scheme)));
        };
        say(2);
        QTRY_VERIFY(host.mode() == ThemeMode::Light);
        Q_EMIT portal.SettingChanged(u"org.freedesktop.appearance"_s, u"contrast"_s, QDBusVariant(QVariant(1u)));
        say(1);
        QTRY_VERIFY(host.mode() == ThemeMode::Dark);
        QCOMPARE(switched.size(), 3);

        controller.setChoice(ThemeChoice::Light);
        QVERIFY(host.mode() == ThemeMode::Light);
        say(2);
        say(1);
        QTRY_VERIFY(desktop.scheme() == ColorScheme::PreferDark);
        QVERIFY(host.mode() == ThemeMode::Light);
        controller.setChoice(ThemeChoice::System);
        QVERIFY(host.mode() == ThemeMode::Dark);
        QDBusConnection::disconnectFromBus(u"client"_s);
        QDBusConnection::disconnectFromBus(u"portal"_s);
    }

    void noAnswerIsAwaitedForAMomentOnly()
    {
        if (m_address.isEmpty())
            QSKIP("dbus-daemon is not installed or did not start");
        DesktopScheme desktop(QDBusConnection::connectToBus(m_address, u"lonely"_s));
        QElapsedTimer timer;
        timer.start();
        desktop.awaitFirstAnswer();
        QVERIFY(timer.elapsed() < 3 * DesktopScheme::kAnswerWithinMs);
        QVERIFY(!desktop.scheme());
        QDBusConnection::disconnectFromBus(u"lonely"_s);
    }

    void theChoiceIsRemembered()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"t.ini"_s);
        DesktopScheme desktop{QDBusConnection(u"none"_s)};
        {
            Settings settings(path);
            ThemeHost host;
            ThemeController(settings, host, desktop, QPalette()).setChoice(ThemeChoice::Dark);
        }
        Settings settings(path);
        ThemeHost host;
        const ThemeController controller(settings, host, desktop, paletteOf(Qt::white, Qt::black));
        QVERIFY(controller.choice() == ThemeChoice::Dark);
        QVERIFY(host.mode() == ThemeMode::Dark);
    }

private:
    QProcess m_daemon;
    QString m_address;
};

QTEST_MAIN(TestThemeController)
#include "tst_theme_controller.moc"
