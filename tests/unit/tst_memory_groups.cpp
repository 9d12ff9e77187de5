// What control groups leave of the memory: both versions, groups around groups, containers that see only a part.
#include "import/memory_groups.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sstream>

using namespace torchline;
using namespace Qt::StringLiterals;

class TestMemoryGroups : public QObject {
    Q_OBJECT

    QTemporaryDir m_mount;

    void put(const QString& path, const QByteArray& text)
    {
        const QString full = m_mount.filePath(path);
        QVERIFY(QDir().mkpath(QFileInfo(full).path()));
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    std::optional<uint64_t> left(const std::string& groups)
    {
        std::istringstream text(groups);
        return leftInGroups(text, m_mount.path().toStdString());
    }

private Q_SLOTS:
    void initTestCase()
    {
        put(u"user.slice/memory.max"_s, "1000\n");
        put(u"user.slice/memory.current"_s, "700\n");
        put(u"user.slice/memory.stat"_s, "anon 300\ninactive_file 100\nactive_file 50\nfile 400\n");
        put(u"user.slice/app/memory.max"_s, "max\n");
        put(u"user.slice/app/memory.current"_s, "600\n");
        put(u"user.slice/small/memory.max"_s, "200\n");
        put(u"user.slice/small/memory.current"_s, "250\n");
        put(u"memory/memory.limit_in_bytes"_s, "9223372036854771712\n");
        put(u"memory/memory.usage_in_bytes"_s, "5000\n");
        put(u"memory/job/memory.limit_in_bytes"_s, "4000\n");
        put(u"memory/job/memory.usage_in_bytes"_s, "3000\n");
        put(u"memory/job/memory.stat"_s, "active_file 1\ntotal_active_file 200\ntotal_inactive_file 300\n");
    }

    void secondVersion()
    {
        QCOMPARE(left("0::/user.slice\n"), std::optional<uint64_t>(450));
        QCOMPARE(left("0::/user.slice/app\n"), std::optional<uint64_t>(450)); // what is around it limits it
        QCOMPARE(left("0::/user.slice/small\n"), std::optional<uint64_t>(0));
        QCOMPARE(left("0::/\n"), std::nullopt);
    }

    void firstVersion()
    {
        QCOMPARE(
            left("5:cpu,cpuacct:/job\n4:memory:/job\n1:name=systemd:/user.slice\n"), std::optional<uint64_t>(1500));
        QCOMPARE(left("4:hugetlb,memory:/job/inner\n"), std::optional<uint64_t>(1500));
        QCOMPARE(left("5:cpu:/job\n"), std::nullopt);
    }

    void bothAtOnceAndPathsOfTheOutside()
    {
        QCOMPARE(left("4:memory:/job\n0::/user.slice\n"), std::optional<uint64_t>(450));
        // A container sees its own group as the outermost.
        QCOMPARE(left("4:memory:/docker/0123abcd\n"), std::optional<uint64_t>(9223372036854766712));
        QCOMPARE(left("nonsense\n:\n"), std::nullopt);
        QCOMPARE(left(""), std::nullopt);
    }
};

QTEST_GUILESS_MAIN(TestMemoryGroups)
#include "tst_memory_groups.moc"
