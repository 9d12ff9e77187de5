#include "export/output_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchline;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(cannot be read)");
}

void put(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

} // namespace

class TestOutputFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeFileReplacesTheOldOne();
    void abandonedFileLeavesTheOldOne();
    void linksAndModesAreKept();
    void missingFolderIsNamed();
    void folderIsNoFile();
    void fullDiskIsAnError();
    void brokenPipeIsTold();
    void largeTextsComeWhole();

private:
    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    qsizetype fileCount() const { return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden).size(); }
};

void TestOutputFile::wholeFileReplacesTheOldOne()
{
    put(path("a"), "old");
    {
        auto file = OutputFile::toPath(path("a").toStdString());
        QVERIFY(file);
        file->stream() << "new";
        QVERIFY(!file->temporaryPath().empty());
        QCOMPARE(contentOf(path("a")), QByteArray("old"));
        QVERIFY(file->commit());
    }
    QCOMPARE(contentOf(path("a")), QByteArray("new"));
    QCOMPARE(fileCount(), 1);
}

void TestOutputFile::abandonedFileLeavesTheOldOne()
{
    put(path("b"), "old");
    const qsizetype before = fileCount();
    {
        auto file = OutputFile::toPath(path("b").toStdString());
        QVERIFY(file);
        file->stream() << QByteArray(100'000, 'x').toStdString();
        QCOMPARE(fileCount(), before + 1);
    }
    QCOMPARE(contentOf(path("b")), QByteArray("old"));
    QCOMPARE(fileCount(), before);
}

void TestOutputFile::linksAndModesAreKept()
{
    put(path("real"), "old");
    const std::string real = path("real").toStdString();
    QCOMPARE(::chmod(real.c_str(), 0640), 0);
    QVERIFY(QFile::link(path("real"), path("link")));
    auto file = OutputFile::toPath(path("link").toStdString());
    QVERIFY(file);
    file->stream() << "new";
    QVERIFY(file->commit());
    QVERIFY(QFileInfo(path("link")).isSymLink());
    QCOMPARE(contentOf(path("real")), QByteArray("new"));
    struct stat info { };
    QCOMPARE(::stat(real.c_str(), &info), 0);
    QCOMPARE(info.st_mode & 07777u, 0640u);
}

void TestOutputFile::missingFolderIsNamed()
{
    const std::string name = path("no/such\nfolder.csv").toStdString();
    const auto file = OutputFile::toPath(name);
    QVERIFY(!file);
    QCOMPARE(file.error().code(), ErrorCode::Io);
    const QByteArray message = QByteArray::fromStdString(file.error().message());
    QVERIFY2(message.endsWith("such\\nfolder.csv: cannot be written: No such file or directory"), message.constData());
}

void TestOutputFile::folderIsNoFile()
{
    const auto file = OutputFile::toPath(m_folder.path().toStdString());
    QVERIFY(!file);
    QVERIFY(QByteArray::fromStdString(file.error().message()).endsWith("Is a directory"));
}

void TestOutputFile::fullDiskIsAnError()
{
    if (!QFileInfo::exists(QLatin1String("/dev/full")))
        QSKIP("there is no /dev/full here");
    for (const qsizetype size : {1, 1'000'000}) {
        auto file = OutputFile::toPath("/dev/full");
        QVERIFY(file);
        QVERIFY(file->temporaryPath().empty());
        file->stream() << QByteArray(size, 'x').toStdString();
        const Status status = file->commit();
        QVERIFY(!status);
        QCOMPARE(QByteArray::fromStdString(status.error().message()),
            QByteArray("/dev/full: cannot be written: No space left on device"));
        QVERIFY(!file->isBrokenPipe());
    }
    struct stat info { };
    QCOMPARE(::stat("/dev/full", &info), 0);
    QVERIFY(S_ISCHR(info.st_mode));
}

void TestOutputFile::brokenPipeIsTold()
{
    std::signal(SIGPIPE, SIG_IGN);
    const std::string fifo = path("fifo").toStdString();
    QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
    const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
    QVERIFY(reader >= 0);
    auto file = OutputFile::toPath(fifo);
    QVERIFY(file);
    ::close(reader);
    file->stream() << "nobody reads this";
    QVERIFY(!file->commit());
    QVERIFY(file->isBrokenPipe());
}

void TestOutputFile::largeTextsComeWhole()
{
    QByteArray want;
    auto file = OutputFile::toPath(path("large").toStdString());
    QVERIFY(file);
    for (int i = 0; i < 3000; ++i) {
        const QByteArray piece(i, static_cast<char>('a' + i % 26));
        file->stream() << piece.toStdString() << '\n';
        want += piece + '\n';
    }
    QVERIFY(file->commit());
    QCOMPARE(contentOf(path("large")), want);
}

QTEST_GUILESS_MAIN(TestOutputFile)
#include "tst_output_file.moc"
