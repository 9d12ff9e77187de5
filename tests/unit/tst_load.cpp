// Opening: pipes, archives, refusals, progress, cancelling, and the arguments of events afterwards.
#include "gzipped.h"
#include "import/load.h"
#include "store_text.h"

#include <QtTest>

#include <thread>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace torchline;
using namespace Qt::StringLiterals;
using namespace std::string_literals;

namespace {

const std::string kCases = TORCHLINE_TEST_DATA "/cases/";

std::string slice(const std::string& name, int64_t ts, const std::string& more = {})
{
    return R"({"ph":"X","cat":"cpu_op","name":")" + name + R"(","pid":1,"tid":2,"ts":)" + std::to_string(ts)
        + R"(,"dur":5)" + more + '}';
}

std::string traceOf(const std::string& events)
{
    return R"({"schemaVersion":1,"traceEvents":[)" + events + "]}";
}

QStringList codesOf(const FileStore& file)
{
    QStringList codes;
    for (const Notice& notice : file.notices)
        codes.append(QString::fromStdString(notice.code));
    return codes;
}

QStringList namesOf(const TraceSnapshot& trace)
{
    QStringList names;
    for (const Lane& lane : trace.lanes()) {
        for (uint32_t i = 0; i < lane.size(); ++i)
            names.append(QString::fromStdString(std::string(trace.text(lane.name(i)))));
    }
    names.sort();
    return names;
}

struct Member {
    std::string name;
    std::string content;
};

/// format: "zip" or "tar".
std::string archiveOf(const std::string& format, const std::vector<Member>& members)
{
    std::string out(1 << 20, '\0');
    size_t used = 0;
    struct archive* writer = archive_write_new();
    if (format == "zip")
        archive_write_set_format_zip(writer);
    else
        archive_write_set_format_pax_restricted(writer);
    archive_write_open_memory(writer, out.data(), out.size(), &used);
    for (const Member& member : members) {
        struct archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, member.name.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
        archive_entry_set_filetype(entry, S_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_write_header(writer, entry);
        archive_write_data(writer, member.content.data(), member.content.size());
        archive_entry_free(entry);
    }
    archive_write_close(writer);
    archive_write_free(writer);
    out.resize(used);
    return out;
}

} // namespace

class TestLoad : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesWithFileCauseAndPlace_data();
    void refusesWithFileCauseAndPlace();
    void oneUnreadableFileRefusesAll();
    void opensFilesWithOddNames();
    void readsPipesToTheirEnd();
    void readsStandardInput();
    void aPipeThatEndsInTheMiddleIsATruncatedTrace();
    void opensAllTracesOfAnArchive_data();
    void opensAllTracesOfAnArchive();
    void saysWhatAnArchiveWithoutTraceHolds();
    void readsAnArchiveThatIsCutOff();
    void readsTheHeader();
    void readsOneEventALine();
    void readsTextAroundTheTrace();
    void namesForeignJson();
    void damageInTheHeaderCostsNoEvent_data();
    void damageInTheHeaderCostsNoEvent();
    void eventsLongerThanTheWindow();
    void eventLikeTextIsNoEvent();
    void keysCanBeWrittenWithEscapes();
    void argumentsAsTheFileHasThem();
    void argumentsOfManyInOnePass();
    void argumentsOfRepairedEvents();
    void argumentsSurviveTheFile();
    void progressAndGeneration();
    void cancelsAtOnce();
    void cancelsWhileWaitingForAPipe();
    void noticesThatTheFileChanged();
    void foreseesTooLittleMemory();
    void manyBeginningsWithoutEndDoNotHang();

private:
    std::string write(const std::string& name, const std::string& bytes);

    QTemporaryDir m_dir;
};

std::string TestLoad::write(const std::string& name, const std::string& bytes)
{
    const std::string path = m_dir.path().toStdString() + '/' + name;
    const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        qFatal("cannot write");
    close(fd);
    return path;
}

void TestLoad::refusesWithFileCauseAndPlace_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("empty") << QByteArray("") << QByteArray("the file is empty");
    QTest::newRow("blanks") << QByteArray(10000, ' ') << QByteArray("the file is empty: nothing but 10000 blanks");
    QTest::newRow("text") << QByteArray("hello\nworld") << QByteArray("plain text");
    QTest::newRow("empty gzip") << QByteArray::fromStdString(gzipped(""s))
                                << QByteArray("gzip data holds an empty file");
    QTest::newRow("broken gzip") << QByteArray("\x1f\x8b\x08\0\0\0\0\0\0\3\xff\xff\xff\xff", 14)
                                 << QByteArray("corrupt");
    QTest::newRow("cut gzip") << QByteArray("\x1f\x8b\x08\0\0", 5) << QByteArray("truncated");
    QTest::newRow("packed text") << QByteArray::fromStdString(gzipped("just text"s))
                                 << QByteArray("inside the gzip data is plain text");
    QTest::newRow("list of numbers") << QByteArray("[1, 2, 3]") << QByteArray("JSON list without trace events");
    QTest::newRow("list of objects") << QByteArray(R"([{"a": 1}])") << QByteArray("JSON list without trace events");
    QTest::newRow("object") << QByteArray(R"({"a": 1, "b": 2})") << QByteArray(R"(keys "a", "b")");
    QTest::newRow("cut header") << QByteArray(R"({"schemaVersion": 1, "dev)") << QByteArray("truncated");
    QTest::newRow("cut zip") << QByteArray("PK\3\4\x14\0", 6) << QByteArray("zip archive");
}

void TestLoad::refusesWithFileCauseAndPlace()
{
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, words);
    const std::string path = write("refused.json", content.toStdString());
    const auto trace = loadTraces({path});
    QVERIFY(!trace);
    const QByteArray message = QByteArray::fromStdString(trace.error().message());
    QVERIFY2(message.startsWith(QByteArray::fromStdString(path + ": ")), message.constData());
    QVERIFY2(message.contains(words), message.constData());
    QVERIFY2(!message.contains('\n') && !message.endsWith('.'), message.constData());
}

void TestLoad::oneUnreadableFileRefusesAll()
{
    const std::string good = write("good.json", traceOf(slice("a", 1)));
    const std::string missing = m_dir.path().toStdString() + "/missing.json";
    const auto trace = loadTraces({good, missing});
    QVERIFY(!trace);
    QCOMPARE(trace.error().message(), missing + ": cannot be opened: no such file");
    QCOMPARE(trace.error().code(), ErrorCode::Io);
    const auto folder = loadTraces({m_dir.path().toStdString()});
    QVERIFY(!folder);
    QVERIFY(folder.error().message().ends_with(": is a folder, not a trace file"));
    const auto controls = loadTraces({"no\nsuch\x1b[31m.json"});
    QVERIFY(!controls);
    QCOMPARE(controls.error().message(), "no\\nsuch\\u001b[31m.json: cannot be opened: no such file"s);
    const auto both = loadTraces({good, good});
    QVERIFY(both);
    QCOMPARE((*both)->files().size(), size_t{2});
    QCOMPARE((*both)->sliceCount(), uint64_t{2});
}

void TestLoad::opensFilesWithOddNames()
{
    for (const std::string name :
        {"-dash.json", "with blanks .json", "no-utf8-\xff\xfe.json", "line\nfeed.json", "caf\xC3\xA9"}) {
        const std::string path = write(name, traceOf(slice("a", 1)));
        const auto trace = loadTraces({path});
        QVERIFY2(trace, path.c_str());
        QCOMPARE((*trace)->file(0).info.path, path);
        QCOMPARE(unlink(path.c_str()), 0); // QTemporaryDir cannot remove the one that is no UTF-8
    }
}

void TestLoad::readsPipesToTheirEnd()
{
    std::string events;
    for (int i = 0; i < 20000; ++i)
        events += (i == 0 ? "" : ",") + slice("op" + std::to_string(i % 10), i * 10);
    const std::string text = traceOf(events);
    const std::string plain = write("pipe-plain.json", text);
    const auto expected = loadTraces({plain});
    QVERIFY(expected);

    const std::string fifo = m_dir.path().toStdString() + "/fifo";
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    std::thread writer([&] {
        const int fd = open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
        for (size_t at = 0; at < text.size();) {
            const ssize_t put = ::write(fd, text.data() + at, std::min<size_t>(10000, text.size() - at));
            at += static_cast<size_t>(std::max<ssize_t>(put, 0));
        }
        close(fd);
    });
    const auto trace = loadTraces({fifo});
    writer.join();
    QVERIFY(trace);
    QCOMPARE((*trace)->file(0).info.sizeBytes, uint64_t{text.size()});
    QCOMPARE(QString::fromStdString(storeText(**trace)), QString::fromStdString(storeText(**expected)));
    const auto args = (*trace)->args(SliceRef{LaneId(0), 5});
    QVERIFY(args);
}

void TestLoad::readsStandardInput()
{
    const std::string text = gzipped(traceOf(slice("from stdin", 1, R"(,"args":{"k":"v"})")));
    const int saved = dup(STDIN_FILENO);
    int ends[2] = {-1, -1};
    QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
    QCOMPARE(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    const auto piped = loadTraces({"-"});
    // A file as standard input, read from its second half on by someone else before.
    const std::string path = write("stdin.json", "garbage" + text);
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    lseek(file, 7, SEEK_SET);
    dup2(file, STDIN_FILENO);
    close(file);
    const auto redirected = loadTraces({"-"});
    dup2(saved, STDIN_FILENO);
    close(saved);
    for (const auto* trace : {&piped, &redirected}) {
        QVERIFY2(*trace, *trace ? "" : trace->error().message().c_str());
        QCOMPARE(namesOf(***trace), QStringList{u"from stdin"_s});
        QCOMPARE((**trace)->file(0).info.path, "-"s);
        const auto args = (**trace)->args(SliceRef{LaneId(0), 0});
        QVERIFY(args);
        QCOMPARE(*findArg(*args, "k"), "v"s);
    }
}

void TestLoad::aPipeThatEndsInTheMiddleIsATruncatedTrace()
{
    const std::string text = traceOf(slice("whole", 1) + ',' + slice("cut", 2));
    const auto trace = loadTraces({write("half.json", text.substr(0, text.size() - 20))});
    QVERIFY(trace);
    QCOMPARE(namesOf(**trace), QStringList{u"whole"_s});
    QCOMPARE(codesOf((*trace)->file(0)), QStringList{u"truncated-input"_s});
    const std::string packed = gzipped(text + std::string(20000, ' '));
    const auto cut = loadTraces({write("half.json.gz", packed.substr(0, packed.size() - 9))});
    QVERIFY(cut);
    QVERIFY(codesOf((*cut)->file(0)).contains(u"truncated-gzip"_s));
}

void TestLoad::opensAllTracesOfAnArchive_data()
{
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<bool>("isPacked");
    QTest::newRow("zip") << QByteArray("zip") << false;
    QTest::newRow("tar") << QByteArray("tar") << false;
    QTest::newRow("tar.gz") << QByteArray("tar") << true;
}

void TestLoad::opensAllTracesOfAnArchive()
{
    QFETCH(QByteArray, format);
    QFETCH(bool, isPacked);
    const std::string one = traceOf(slice("one", 1, R"(,"args":{"k":"first"})"));
    const std::string two = traceOf(slice("two", 1, R"(,"args":{"k":"second"})"));
    std::string bytes = archiveOf(format.toStdString(),
        {{"README.txt", "some text"}, {"ranks/rank0.json", one}, {"meta.json", R"({"a": 1})"},
            {"rank1.json.gz", gzipped(two)}, {"picture.png", "\x89PNG\r\n"}});
    if (isPacked)
        bytes = gzipped(bytes);
    const auto trace = loadTraces({write("archive", bytes)});
    QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
    QCOMPARE((*trace)->files().size(), size_t{2});
    QCOMPARE(*(*trace)->file(0).info.member, "ranks/rank0.json"s);
    QCOMPARE(*(*trace)->file(1).info.member, "rank1.json.gz"s);
    const std::string outside = (isPacked ? "gzip+" : "") + format.toStdString();
    QCOMPARE((*trace)->file(0).info.compression, outside);
    QCOMPARE((*trace)->file(1).info.compression, outside + "+gzip");
    QCOMPARE(codesOf((*trace)->file(0)), (QStringList{u"archive-files-skipped"_s, u"archive-file-without-trace"_s}));
    QCOMPARE(*findArg(*(*trace)->args(SliceRef{LaneId(0), 0}), "k"), "first"s);
    QCOMPARE(*findArg(*(*trace)->args(SliceRef{LaneId(1), 0}), "k"), "second"s);
}

void TestLoad::saysWhatAnArchiveWithoutTraceHolds()
{
    const auto none
        = loadTraces({write("none.zip", archiveOf("zip", {{"notes\n.txt", "text"}, {"x.png", "\x89PNG"}}))});
    QVERIFY(!none);
    QVERIFY2(none.error().message().ends_with(": the zip archive holds no trace, only notes\\n.txt, x.png"),
        none.error().message().c_str());
    const auto foreign = loadTraces({write("foreign.tar", archiveOf("tar", {{"nodes.json", R"({"nodes": []})"}}))});
    QVERIFY(!foreign);
    QVERIFY2(foreign.error().message().find("nodes.json: not a trace") != std::string::npos,
        foreign.error().message().c_str());
}

void TestLoad::readsAnArchiveThatIsCutOff()
{
    const std::string bytes
        = archiveOf("tar", {{"a.json", traceOf(slice("a", 1))}, {"b.json", traceOf(slice("b", 1))}});
    const auto trace = loadTraces({write("cut.tar", bytes.substr(0, bytes.find("\"b\"") + 2))});
    QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
    QVERIFY(namesOf(**trace).contains(u"a"_s));
    QVERIFY(codesOf((*trace)->file(0)).contains(u"damaged-archive"_s));
}

void TestLoad::readsTheHeader()
{
    const auto trace = loadTraces({write("header.json",
        R"({"traceEvents": [)" + slice("a", 1)
            + R"(], "x": {"a" : [1, "b  c"]}, "text": "a\"b", "big": 17293822569102704640, "x": NaN, "baseTimeNanoseconds": 1717200000000000000,)"
              R"( "distributedInfo": {"rank": 3, "pg": [{"rank": 9}]}})")});
    QVERIFY(trace);
    const FileInfo& info = (*trace)->file(0).info;
    QCOMPARE(info.header.size(), size_t{5});
    QCOMPARE(*findArg(info.header, "x"), "NaN"s);
    QCOMPARE(*findArg(info.header, "text"), "a\"b"s);
    QCOMPARE(*findArg(info.header, "big"), "17293822569102704640"s);
    QCOMPARE(*findArg(info.header, "distributedInfo"), R"({"rank":3,"pg":[{"rank":9}]})"s);
    QCOMPARE(info.rank, std::optional<int64_t>(3));
    QCOMPARE(info.baseTimeNs, std::optional<int64_t>(1717200000000000000));
    QCOMPARE(info.format, "kineto"s);
    QCOMPARE(codesOf((*trace)->file(0)), QStringList());
}

void TestLoad::readsOneEventALine()
{
    const auto trace
        = loadTraces({write("lines.json", slice("a", 10) + '\n' + slice("b", 20) + "\n" + slice("c", 30) + "\n")});
    QVERIFY(trace);
    QCOMPARE(namesOf(**trace), (QStringList{u"a"_s, u"b"_s, u"c"_s}));
    QCOMPARE(codesOf((*trace)->file(0)), QStringList{u"loose-events"_s});
}

void TestLoad::readsTextAroundTheTrace()
{
    const std::string text = traceOf(slice("a", 1) + ",\nWARNING: disk [full] {\"x\": 1}\n" + slice("b", 2));
    const auto trace = loadTraces({write("around.json", "log line\n" + text + "\nbye {}\n")});
    QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
    QCOMPARE(namesOf(**trace), (QStringList{u"a"_s, u"b"_s}));
    QVERIFY(findArg((*trace)->file(0).info.header, "schemaVersion") != nullptr);
    QVERIFY(codesOf((*trace)->file(0)).contains(u"skipped-bytes"_s));
    const auto twice
        = loadTraces({write("twice.json", traceOf(slice("a", 1)) + traceOf(slice("b", 2)) + '[' + slice("c", 3))});
    QVERIFY(twice);
    QCOMPARE(namesOf(**twice), (QStringList{u"a"_s, u"b"_s, u"c"_s}));
    QVERIFY(codesOf((*twice)->file(0)).contains(u"second-document"_s));
    const auto nested = loadTraces({write("nested.json", "[[" + slice("a", 1) + "],[" + slice("b", 2) + "]]")});
    QVERIFY(nested);
    QCOMPARE(namesOf(**nested), (QStringList{u"a"_s, u"b"_s}));
}

void TestLoad::namesForeignJson()
{
    const auto nodes = loadTraces({write("nodes.json", R"({"schema": "1.0", "nodes": [{"id": 1, "name": "x"}]})")});
    QVERIFY(!nodes);
    QCOMPARE(nodes.error().code(), ErrorCode::Unsupported);
    QVERIFY(nodes.error().message().find("execution trace") != std::string::npos);
    const auto segments = loadTraces({write("segments.json", R"({"segments": [], "device_traces": [[]]})")});
    QVERIFY(!segments);
    QVERIFY(segments.error().message().find("memory snapshot") != std::string::npos);
}

void TestLoad::damageInTheHeaderCostsNoEvent_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::newRow("quotes") << QByteArray(R"("INFO": ["say "hi" there"], "a": 1,)") << QByteArray(R"(, "b": 2})");
    QTest::newRow("open string") << QByteArray(R"("INFO": "no end, "a": 1,)") << QByteArray(R"(, "b": 2})");
    QTest::newRow("open bracket") << QByteArray(R"("INFO": [1, 2, "a": 1,)") << QByteArray(R"(, "b": 2})");
    QTest::newRow("no value") << QByteArray(R"("INFO": , "a": 1,)") << QByteArray(R"(, "b": 2})");
    QTest::newRow("no quotes") << QByteArray(R"(INFO: 1, "a": 1,)") << QByteArray(R"(, "b": 2})");
    QTest::newRow("noise") << QByteArray("\x01\xff@@ ,") << QByteArray(R"(, "b": 2})");
    QTest::newRow("behind") << QByteArray(R"("a": 1,)") << QByteArray(R"(, "INFO": ["x"y"], "b": 2})");
    QTest::newRow("behind, cut") << QByteArray(R"("a": 1,)") << QByteArray(R"(, "b": ["x)");
    QTest::newRow("windows path") << QByteArray(R"("traceName": "C:\runs\", "a": 1,)") << QByteArray(R"(, "b": 2})");
}

void TestLoad::damageInTheHeaderCostsNoEvent()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    const auto trace = loadTraces({write("damaged.json",
        '{' + before.toStdString() + R"("traceEvents": [)" + slice("a", 1) + ',' + slice("b", 2) + ']'
            + after.toStdString())});
    QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
    QCOMPARE(namesOf(**trace), (QStringList{u"a"_s, u"b"_s}));
    QVERIFY(!codesOf((*trace)->file(0)).isEmpty());
}

void TestLoad::eventsLongerThanTheWindow()
{
    const std::string longText(300'000, 'x');
    const std::string path = write("long.json",
        traceOf(slice("a", 10) + ',' + slice("long", 20, R"(,"args":{"text":")" + longText + R"(","k":7})") + ','
            + slice("b", 30)));
    for (const size_t chunk : {1000, 100'000, 0}) {
        LoadOptions options;
        options.chunkBytes = chunk;
        const auto trace = loadTraces({path}, options);
        QVERIFY(trace);
        QCOMPARE(namesOf(**trace), (QStringList{u"a"_s, u"b"_s, u"long"_s}));
        QCOMPARE(codesOf((*trace)->file(0)), QStringList());
        const auto args = (*trace)->args(SliceRef{LaneId(0), 1});
        QVERIFY(args);
        QCOMPARE(*findArg(*args, "k"), "7"s);
        QCOMPARE(findArg(*args, "text")->size(), size_t{64 * 1024 + 3});
    }
}

void TestLoad::eventLikeTextIsNoEvent()
{
    const std::string decoy = slice("decoy", 9);
    std::string escaped;
    for (const char c : decoy)
        escaped += c == '"' ? "\\\""s : std::string(1, c);
    const std::string path = write("decoys.json",
        R"({"note": "[)" + escaped + R"(]", "list": [)" + decoy + R"(], "traceEvents": [)"
            + slice("}, {\\\"ph\\\": ", 1) + ','
            + slice("b", 2, R"(,"args":{"list":[)" + decoy + ',' + decoy + R"(],"text":"},)" + escaped + R"("})")
            + "]}");
    for (const size_t chunk : {1, 50, 0}) {
        LoadOptions options;
        options.chunkBytes = chunk;
        const auto trace = loadTraces({path}, options);
        QVERIFY(trace);
        QCOMPARE(namesOf(**trace), (QStringList{u"b"_s, u"}, {\"ph\": "_s}));
    }
}

void TestLoad::keysCanBeWrittenWithEscapes()
{
    const auto textOf = [](bool isEscaped) {
        std::string events;
        for (int i = 0; i < 40; ++i)
            events += (i > 0 ? "," : "")
                + slice(
                    "op " + std::to_string(i % 3), 10 * i, R"(,"args":{"External id":)" + std::to_string(i + 1) + "}");
        if (isEscaped) {
            const auto replaceAll = [&events](std::string_view what, std::string_view with) {
                for (size_t at = 0; (at = events.find(what, at)) != std::string::npos; at += with.size())
                    events.replace(at, what.size(), with);
            };
            replaceAll(R"("ph":"X")", R"("\u0070h":"\u0058")");
            replaceAll(R"("ts")", R"("t\u0073")");
            replaceAll(R"("args")", R"("\u0061\u0072gs")");
            replaceAll(R"("External id")", R"("External\u0020id")");
        }
        return traceOf(events);
    };
    const auto plain = loadTraces({write("plain.json", textOf(false))});
    const auto escaped = loadTraces({write("escaped.json", textOf(true))});
    QVERIFY(plain && escaped);
    QCOMPARE(codesOf((*escaped)->file(0)), QStringList());
    QCOMPARE((*escaped)->sliceCount(), uint64_t{40});
    const Lane& lane = (*escaped)->lane(LaneId(0));
    for (uint32_t i = 0; i < lane.size(); ++i) {
        QCOMPARE(lane.startNs(i), (*plain)->lane(LaneId(0)).startNs(i));
        QCOMPARE(lane.externalId(i), i + 1);
        const auto args = (*escaped)->args(SliceRef{LaneId(0), i});
        QVERIFY(args);
        QCOMPARE(*args, (ArgList{{"External id", std::to_string(i + 1)}}));
    }
}

void TestLoad::argumentsAsTheFileHasThem()
{
    const auto trace = loadTraces({write("args.json",
        traceOf(
            slice("a", 1,
                R"( , "args" : { "n" : 1.50 , "big":18446744073709551616,"list": [ [1, 2] , "a  b" ],)"
                R"("s":"tab\tand é","twice":1,"nan":NaN,"twice":2,"e\"k":true,"none":null,"empty":""},"args":{"n":3})")
            + ',' + slice("b", 2, R"(,"args":[1, 2])") + ',' + slice("c", 3, R"(,"args":null)") + ','
            + slice("d", 4)))});
    QVERIFY(trace);
    const auto args = (*trace)->args(SliceRef{LaneId(0), 0});
    QVERIFY(args);
    const ArgList expected
        = {{"big", "18446744073709551616"}, {"list", R"([[1,2],"a  b"])"}, {"s", "tab\tand \xC3\xA9"}, {"nan", "NaN"},
            {"twice", "2"}, {"e\"k", "true"}, {"none", "null"}, {"empty", ""}, {"n", "3"}};
    QCOMPARE(args->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE((*args)[i].first, expected[i].first);
        QCOMPARE((*args)[i].second, expected[i].second);
    }
    QCOMPARE(*(*trace)->args(SliceRef{LaneId(0), 1}), (ArgList{{"args", "[1,2]"}}));
    QCOMPARE((*trace)->args(SliceRef{LaneId(0), 2})->size(), size_t{0});
    QCOMPARE((*trace)->args(SliceRef{LaneId(0), 3})->size(), size_t{0});
    const uint64_t offset = (*trace)->lane(LaneId(0)).eventOffset(3);
    QCOMPARE(*(*trace)->file(0).source->text(offset), slice("d", 4));
    QVERIFY(!(*trace)->file(0).source->args(offset + 1));
}

void TestLoad::argumentsOfManyInOnePass()
{
    std::string events;
    for (int i = 0; i < 3000; ++i)
        events += (i == 0 ? "" : ",") + slice("op", i * 10, R"(,"args":{"i":)" + std::to_string(i) + '}');
    for (const bool isPacked : {false, true}) {
        const std::string text = traceOf(events);
        const auto trace = loadTraces({write("many.json", isPacked ? gzipped(text) : text)});
        QVERIFY(trace);
        std::vector<uint64_t> offsets;
        for (uint32_t i = 0; i < 3000; i += 7)
            offsets.push_back((*trace)->lane(LaneId(0)).eventOffset(i));
        size_t next = 0;
        const Status status = (*trace)->file(0).source->argsOfMany(offsets, [&](size_t k, ArgList&& args) {
            QCOMPARE(k, next++);
            QCOMPARE(*findArg(args, "i"), std::to_string(k * 7));
        });
        QVERIFY(status);
        QCOMPARE(next, offsets.size());
    }
}

void TestLoad::argumentsOfRepairedEvents()
{
    const auto trace = loadTraces({write("repaired.json",
        traceOf(slice(R"(C:\dir\)", 1, R"(,"args":{"file":"D:\","q":"say "hi"","k":5})") + ',' + slice("b", 2)))});
    QVERIFY(trace);
    QCOMPARE(namesOf(**trace), (QStringList{uR"(C:\dir\)"_s, u"b"_s}));
    const auto args = (*trace)->args(SliceRef{LaneId(0), 0});
    QVERIFY2(args, args ? "" : args.error().message().c_str());
    QCOMPARE(*args, (ArgList{{"file", R"(D:\)"}, {"q", R"(say "hi")"}, {"k", "5"}}));
}

/// The file is gone, but it is open still.
void TestLoad::argumentsSurviveTheFile()
{
    const std::string path = write("gone.json", traceOf(slice("a", 1, R"(,"args":{"k":"v"})")));
    const auto trace = loadTraces({path});
    QVERIFY(trace);
    QCOMPARE(unlink(path.c_str()), 0);
    QCOMPARE(*findArg(*(*trace)->args(SliceRef{LaneId(0), 0}), "k"), "v"s);
}

void TestLoad::progressAndGeneration()
{
    std::string events;
    for (int i = 0; i < 200'000; ++i)
        events += (i == 0 ? "" : ",") + slice("op", i * 10);
    const std::string text = traceOf(events);
    const std::string path = write("progress.json", text);
    std::vector<LoadProgress> steps;
    LoadOptions options;
    options.chunkBytes = 64 * 1024;
    options.generation = 7;
    options.progress = [&](const LoadProgress& step) {
        steps.push_back(step);
        QTest::qSleep(20); // so that a fast machine has several
    };
    QElapsedTimer timer;
    timer.start();
    const auto trace = loadTraces({path}, options);
    QVERIFY(trace);
    QCOMPARE((*trace)->generation(), uint64_t{7});
    QVERIFY(steps.size() <= static_cast<size_t>(timer.elapsed() / 50 + 1));
    for (size_t i = 0; i < steps.size(); ++i) {
        QCOMPARE(steps[i].bytesTotal, uint64_t{text.size()});
        QVERIFY(steps[i].bytesRead <= text.size() && steps[i].bytesRead > 0);
        QVERIFY(steps[i].memoryBytes > 0);
        if (i > 0)
            QVERIFY(steps[i].bytesRead >= steps[i - 1].bytesRead && steps[i].slices >= steps[i - 1].slices);
    }
}

void TestLoad::cancelsAtOnce()
{
    std::stop_source stop;
    stop.request_stop();
    const auto trace = loadTraces({kCases + "healthy-train-step.json"}, {}, stop.get_token());
    QVERIFY(!trace);
    QCOMPARE(trace.error().code(), ErrorCode::Cancelled);
}

void TestLoad::cancelsWhileWaitingForAPipe()
{
    const std::string fifo = m_dir.path().toStdString() + "/never-written";
    QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
    std::stop_source stop;
    std::thread canceller([&] {
        QTest::qSleep(100);
        stop.request_stop();
    });
    const auto trace = loadTraces({fifo}, {}, stop.get_token());
    canceller.join();
    QVERIFY(!trace);
    QCOMPARE(trace.error().code(), ErrorCode::Cancelled);
}

void TestLoad::noticesThatTheFileChanged()
{
    std::string events;
    for (int i = 0; i < 100'000; ++i)
        events += (i == 0 ? "" : ",") + slice("op", i * 10);
    const std::string path = write("changed.json", traceOf(events));
    LoadOptions options;
    options.chunkBytes = 4096;
    bool isChanged = false;
    options.progress = [&](const LoadProgress&) {
        const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        isChanged |= ::write(fd, " ", 1) == 1;
        close(fd);
    };
    const auto trace = loadTraces({path}, options);
    QVERIFY(trace);
    QVERIFY(isChanged);
    QCOMPARE(codesOf((*trace)->file(0)), QStringList{u"file-changed"_s});
}

void TestLoad::foreseesTooLittleMemory()
{
    std::string events;
    for (int i = 0; i < 100'000; ++i)
        events += (i == 0 ? "" : ",") + slice("op", i * 10);
    const std::string path = write("large.json", traceOf(events));
    uint64_t readAtMost = 0;
    LoadOptions options;
    options.chunkBytes = 65536;
    options.threads = 1;
    options.progress = [&](const LoadProgress& progress) { readAtMost = std::max(readAtMost, progress.bytesRead); };
    options.memoryBytes = uint64_t{1} << 30;
    QVERIFY(loadTraces({path}, options));

    readAtMost = 0;
    options.memoryBytes = uint64_t{1} << 20;
    const auto refused = loadTraces({path}, options);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code(), ErrorCode::Limit);
    QVERIFY(refused.error().message().starts_with(path + ": not enough memory"));
    QVERIFY(readAtMost < events.size() / 2); // said before it is taken
}

void TestLoad::manyBeginningsWithoutEndDoNotHang()
{
    const auto check = [&](const std::string& unit, const std::string& tail) {
        std::string text = R"({"traceEvents":[)";
        while (text.size() < 2'000'000)
            text += unit;
        QElapsedTimer timer;
        timer.start();
        const auto trace = loadTraces({write("hostile.json", text + tail)});
        QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::fromStdString(unit)));
        if (trace)
            QVERIFY(!codesOf((*trace)->file(0)).isEmpty());
    };
    check(R"({"ph":"X","a":[)", "");
    check(R"({"ph":"X","args":{"a":[)", "");
    check(R"({"ph":"X","name":")", "");
    check(R"({"ph":"X","name":"a)", "\"");
    check(R"({"ph":"X",)", "}");
    check("[", "]");
    check("[{", "");
    check("{\"", "");
    check("\\\"{", "");
    check("]", "");
    check("}", "");
    check("{},", "]}");
    check("nan,", "]}");
    check(R"({"ph":"C","ts":1,"args":{"a":1,"a":2,"b":"x"}},)", "]}");
    check(std::string(1000, '\0'), "");
}

QTEST_GUILESS_MAIN(TestLoad)
#include "tst_load.moc"
