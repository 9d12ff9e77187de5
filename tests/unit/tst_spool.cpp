// The spool: what is written comes back, cut anywhere, damaged, on a full disk, and after its owner died.

#include "capture/spool.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchline;

namespace {

class Kept : public FrameSink {
public:
    void take(const Frame& frame) override
    {
        kinds.push_back(frame.kind);
        processes.push_back(frame.process);
        payloads.emplace_back(textOf(frame.payload));
        places.push_back(frame.place);
    }

    std::vector<FrameKind> kinds;
    std::vector<uint16_t> processes;
    std::vector<std::string> payloads;
    std::vector<uint64_t> places;
};

void write(FrameSink& sink)
{
    sendText(sink, FrameKind::Hello, 0, R"({"type":"hello","pid":1})");
    sendText(sink, FrameKind::Note, 7, "");
    for (int i = 1; i < 20; ++i)
        sendText(sink, FrameKind::Output, 1, std::string(static_cast<size_t>(i), 'x'));
}

std::unique_ptr<SpoolWriter> created(const QTemporaryDir& folder, FrameSink& next)
{
    Result<std::unique_ptr<SpoolWriter>> writer = SpoolWriter::create(folder.path().toStdString(), next);
    if (!writer)
        qFatal("%s", writer.error().message().c_str());
    return std::move(*writer);
}

SpoolReplay replayed(const std::string& path, Kept& kept)
{
    const Result<SpoolFile> file = SpoolFile::open(path);
    if (!file)
        qFatal("%s", file.error().message().c_str());
    const Result<SpoolReplay> replay = file->replay(kept);
    if (!replay)
        qFatal("%s", replay.error().message().c_str());
    return *replay;
}

} // namespace

class TestSpool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesBackWhatWasWritten();
    void aCutSpoolGivesAllWholeFrames();
    void aDamagedSpoolSaysWhere();
    void refusesWhatIsNoSpool();
    void goesOnWhenTheDiskIsFull();
    void findsSpoolsWhoseOwnerIsGone();
};

void TestSpool::givesBackWhatWasWritten()
{
    const QTemporaryDir folder;
    Kept live;
    std::unique_ptr<SpoolWriter> writer = created(folder, live);
    write(*writer);
    writer->flush();
    QVERIFY(writer->isWriting());
    Kept again;
    const SpoolReplay replay = replayed(writer->path(), again);
    QCOMPARE(replay.frames, uint64_t{21});
    QVERIFY(!replay.isCut && !replay.damage);
    QCOMPARE(replay.bytes, writer->bytes());
    QVERIFY(again.kinds == live.kinds && again.processes == live.processes && again.payloads == live.payloads);
    QVERIFY(again.places == live.places);
    for (size_t i = 0; i < live.places.size(); ++i) {
        std::string bytes(live.payloads[i].size(), '\0');
        QVERIFY(writer->spool()->read(live.places[i], std::as_writable_bytes(std::span(bytes))));
        QCOMPARE(bytes, live.payloads[i]);
    }
    const std::shared_ptr<const SpoolBytes> spool = writer->spool();
    writer->discard();
    QVERIFY(!QFile::exists(QString::fromStdString(writer->path())));
    std::byte first{};
    QVERIFY(spool->read(0, std::span(&first, 1)));
}

void TestSpool::aCutSpoolGivesAllWholeFrames()
{
    const QTemporaryDir folder;
    Kept live;
    std::unique_ptr<SpoolWriter> writer = created(folder, live);
    write(*writer);
    writer->flush();
    QFile file(QString::fromStdString(writer->path()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray all = file.readAll();
    const QString cutPath = folder.filePath(QStringLiteral("cut"));
    for (qsizetype size = sizeof(SpoolHeader); size <= all.size(); ++size) {
        QFile cut(cutPath);
        QVERIFY(cut.open(QIODevice::WriteOnly | QIODevice::Truncate));
        cut.write(all.left(size));
        cut.close();
        size_t whole = 0;
        while (
            whole < live.places.size() && live.places[whole] + live.payloads[whole].size() <= static_cast<size_t>(size))
            ++whole;
        Kept kept;
        const SpoolReplay replay = replayed(cutPath.toStdString(), kept);
        QCOMPARE(kept.payloads.size(), whole);
        QVERIFY(std::equal(kept.payloads.begin(), kept.payloads.end(), live.payloads.begin()));
        QVERIFY(!replay.damage);
        if (whole < live.places.size() && size > static_cast<qsizetype>(replay.bytes))
            QVERIFY(replay.isCut);
    }
}

void TestSpool::aDamagedSpoolSaysWhere()
{
    const QTemporaryDir folder;
    Kept live;
    std::unique_ptr<SpoolWriter> writer = created(folder, live);
    write(*writer);
    writer->flush();
    QFile file(QString::fromStdString(writer->path()));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const auto at = static_cast<qint64>(live.places[5] - sizeof(FrameHead));
    file.seek(at + 4);
    file.write("\xFF\xFF", 2);
    file.close();
    Kept kept;
    const SpoolReplay replay = replayed(writer->path(), kept);
    QCOMPARE(kept.payloads.size(), size_t{5});
    QVERIFY(replay.damage && replay.damage->find("at byte " + std::to_string(at)) != std::string::npos);
}

void TestSpool::refusesWhatIsNoSpool()
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("other"));
    QVERIFY(!SpoolFile::open(path.toStdString()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(100, 'x'));
    file.close();
    const Result<SpoolFile> opened = SpoolFile::open(path.toStdString());
    QVERIFY(!opened && opened.error().message().find("is no recording") != std::string::npos);
    Kept next;
    QVERIFY(!SpoolWriter::create(path.toStdString() + "/below", next));
}

void TestSpool::goesOnWhenTheDiskIsFull()
{
    const QTemporaryDir folder;
    Kept live;
    std::unique_ptr<SpoolWriter> writer = created(folder, live);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{260, before.rlim_max};
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    write(*writer);
    writer->flush();
    const std::optional<Error> error = writer->takeError();
    write(*writer);
    writer->flush();
    const std::optional<Error> second = writer->takeError();
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, oldHandler);
    QVERIFY(error && error->message().find("no longer kept on disk") != std::string::npos);
    QVERIFY(!second);
    QVERIFY(!writer->isWriting());
    QCOMPARE(live.payloads.size(), size_t{42});
    std::byte byte{};
    QVERIFY(writer->spool()->read(live.places[0], std::span(&byte, 1)));
    QVERIFY(!writer->spool()->read(live.places[41], std::span(&byte, 1)));
    Kept kept;
    const SpoolReplay replay = replayed(writer->path(), kept);
    QVERIFY(replay.isCut && !kept.payloads.empty());
    QVERIFY(std::equal(kept.payloads.begin(), kept.payloads.end(), live.payloads.begin()));
}

void TestSpool::findsSpoolsWhoseOwnerIsGone()
{
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/spools";
    QVERIFY(staleSpools(path).empty());
    Kept next;
    std::string own;
    {
        const Result<std::unique_ptr<SpoolWriter>> writer = SpoolWriter::create(path, next);
        QVERIFY(writer);
        own = (*writer)->path();
        QVERIFY(staleSpools(path).empty());
    }
    const pid_t child = fork();
    if (child == 0) {
        Kept none;
        const Result<std::unique_ptr<SpoolWriter>> writer = SpoolWriter::create(path, none);
        sendText(**writer, FrameKind::Note, 0, "last words");
        (*writer)->flush();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const std::vector<StaleSpool> stale = staleSpools(path);
    QCOMPARE(stale.size(), size_t{2});
    QCOMPARE(stale[0].path, own);
    QCOMPARE(stale[0].ownerPid, static_cast<uint32_t>(getpid()));
    QCOMPARE(stale[1].ownerPid, static_cast<uint32_t>(child));
    QVERIFY(stale[0].createdRealNs <= stale[1].createdRealNs);
    Kept kept;
    replayed(stale[1].path, kept);
    QCOMPARE(kept.payloads, std::vector<std::string>{"last words"});
}

QTEST_GUILESS_MAIN(TestSpool)
#include "tst_spool.moc"
