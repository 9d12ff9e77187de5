// What the program remembers: settings and recent files.

#include "recent_files.h"
#include "recent_row.h"
#include "settings.h"

#include "common/format.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

RecentFile entryOf(std::vector<std::string> paths)
{
    RecentFile entry;
    entry.paths = std::move(paths);
    entry.openedAt = QDateTime(QDate(2026, 5, 4), QTime(14, 2));
    entry.sizeBytes = uint64_t{1} << 60;
    entry.spanNs = 9'007'199'254'740'993; // no double holds it
    entry.slices = 18'000'000'000'000'000'001u;
    entry.density = QByteArray("\x00\x7f\xff", 3);
    entry.densityIsDevice = true;
    return entry;
}

} // namespace

class TestRemembered : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"torchline.ini"_s);
    }

    void theFolderCanBeChosen()
    {
        qputenv("TORCHLINE_CONFIG_DIR", QFile::encodeName(m_folder->path()));
        QCOMPARE(Settings::defaultPath(), m_path);
        qunsetenv("TORCHLINE_CONFIG_DIR");
        QVERIFY(Settings::defaultPath().endsWith(u"/torchline/torchline.ini"_s));
    }

    void settingsSurvive()
    {
        {
            Settings settings(m_path);
            QVERIFY(settings.themeChoice() == ThemeChoice::System);
            settings.setThemeChoice(ThemeChoice::Dark);
            settings.setBytes(u"layout/wide"_s, QByteArray("\x00\xff\n;", 4));
        }
        Settings settings(m_path);
        QVERIFY(settings.themeChoice() == ThemeChoice::Dark);
        QCOMPARE(settings.bytes(u"layout/wide"_s), QByteArray("\x00\xff\n;", 4));
        settings.removeGroup(u"layout"_s);
        QVERIFY(settings.bytes(u"layout/wide"_s).isEmpty());
        QVERIFY(settings.themeChoice() == ThemeChoice::Dark);
    }

    void forgetfulSettingsLeaveNoTrace()
    {
        const auto settings = Settings::forgetful();
        settings->setThemeChoice(ThemeChoice::Light);
        QVERIFY(settings->themeChoice() == ThemeChoice::Light);
        settings->setBytes(u"layout/wide"_s, "bytes");
        settings->removeGroup(u"layout"_s);
        QVERIFY(settings->bytes(u"layout/wide"_s).isEmpty());
        settings->sync();
        QVERIFY(Settings::forgetful()->themeChoice() == ThemeChoice::System);
        // What QSettings writes, it renames over its path: root would lose a device that served as such.
        QFile nowhere(u"/dev/null"_s);
        QVERIFY(nowhere.open(QIODevice::ReadWrite));
        QVERIFY(nowhere.isSequential());
    }

    void recentFilesSurviveToTheLastDigit()
    {
        const RecentFile entry = entryOf({"/tmp/a.json", "/tmp/\xff\xfe.json"});
        {
            Settings settings(m_path);
            RecentFiles(settings).add(entry);
        }
        Settings settings(m_path);
        const RecentFiles recent(settings);
        QCOMPARE(recent.entries().size(), 1u);
        const RecentFile& read = recent.entries().front();
        QCOMPARE(read.paths, entry.paths);
        QCOMPARE(read.openedAt, entry.openedAt);
        QCOMPARE(read.sizeBytes, entry.sizeBytes);
        QCOMPARE(read.spanNs, entry.spanNs);
        QCOMPARE(read.slices, entry.slices);
        QCOMPARE(read.density, entry.density);
        QCOMPARE(read.densityIsDevice, true);
    }

    void theNewestIsFirstAndNothingIsThereTwice()
    {
        Settings settings(m_path);
        RecentFiles recent(settings);
        QSignalSpy changed(&recent, &RecentFiles::changed);
        for (int i = 0; i < 20; ++i)
            recent.add(entryOf({"/t/" + std::to_string(i)}));
        QCOMPARE(changed.size(), 20);
        QCOMPARE(recent.entries().size(), RecentFiles::kMost);
        QCOMPARE(recent.entries().front().paths.front(), std::string("/t/19"));
        recent.add(entryOf({"/t/15"}));
        QCOMPARE(recent.entries().size(), RecentFiles::kMost);
        QCOMPARE(recent.entries().front().paths.front(), std::string("/t/15"));
        recent.replacePaths({"/t/15"}, {"/u/15"});
        QCOMPARE(recent.entries().front().paths.front(), std::string("/u/15"));
        recent.remove({"/u/15"});
        QCOMPARE(recent.entries().front().paths.front(), std::string("/t/19"));
        recent.clear();
        QVERIFY(recent.entries().empty());
    }

    void twoWindowsShareOneList()
    {
        Settings first(m_path);
        Settings second(m_path);
        RecentFiles here(first);
        RecentFiles there(second);
        here.add(entryOf({"/a"}));
        there.add(entryOf({"/b"}));
        here.add(entryOf({"/c"}));
        QCOMPARE(here.entries().size(), 3u);
        QCOMPARE(here.entries()[1].paths.front(), std::string("/b"));
    }

    void aDamagedFileIsAnEmptyList()
    {
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[General]\nrecent=@ByteArray([{\\\"paths\\\": 3}, 7, {\\\"paths\\\": [\\\"%%%\\\"]}])\n");
        file.close();
        Settings settings(m_path);
        QVERIFY(RecentFiles(settings).entries().size() <= 1);
    }

    void daysAndPlacesReadWell()
    {
        const QDateTime now(QDate(2026, 11, 28), QTime(15, 0));
        QCOMPARE(dayText(now.addSecs(-3600), now), u"today 14:00"_s);
        QCOMPARE(dayText(now.addDays(-1), now), u"yesterday"_s);
        QCOMPARE(dayText(now.addDays(-2), now), u"26 Nov"_s);
        QCOMPARE(dayText(now.addYears(-1), now), u"28 Nov 2025"_s);
        const std::string home = QDir::homePath().toStdString();
        QCOMPARE(placeText(home + "/runs/a.json"), u"~/runs"_s);
        QCOMPARE(placeText(home + "x/a.json"), QString::fromStdString(home) + u"x"_s);
        QCOMPARE(fileNameText("/x/y.json"), u"y.json"_s);
        QCOMPARE(fileNameText("-"), u"standard input"_s);
        QCOMPARE(namesText({"/a.json", "/b.json", "/c.json"}), u"a.json and 2 more"_s);
        QCOMPARE(fileNameText("/x/\xff.json"), u"\uFFFD.json"_s);
    }

    void relativePathsBecomeAbsolute()
    {
        QCOMPARE(absolutePath("-"), std::string("-"));
        QCOMPARE(absolutePath("/a/../b\xff"), std::string("/b\xff"));
        QVERIFY(absolutePath("a").starts_with('/'));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

QTEST_MAIN(TestRemembered)
#include "tst_remembered.moc"
