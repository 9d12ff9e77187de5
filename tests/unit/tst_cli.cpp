#include "elf_needed.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

using namespace Qt::StringLiterals;

namespace {

const QString kProgram = QString::fromUtf8(TORCHLINE_CLI);
constexpr int kTimeoutMs = 60'000;

struct Answer {
    int status = -1; ///< -1: crashed or timed out
    QByteArray out;
    QByteArray err;
};

Answer finish(QProcess& process)
{
    if (!process.waitForFinished(kTimeoutMs)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    const bool ended = process.exitStatus() == QProcess::NormalExit;
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

Answer run(const QStringList& arguments, const QByteArray& input = {}, const QString& folder = {})
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(kProgram, arguments);
    process.write(input);
    process.closeWriteChannel();
    return finish(process);
}

/// A shell line in which $cli is the program.
Answer shell(const QString& line, const QString& folder, const QMap<QString, QString>& variables = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"cli"_s, kProgram);
    for (auto it = variables.begin(); it != variables.end(); ++it)
        environment.insert(it.key(), it.value());
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.start(u"bash"_s, {u"-c"_s, line});
    return finish(process);
}

QString words(const Answer& answer)
{
    return QString::number(answer.status) + u": "_s + QString::fromUtf8(answer.err);
}

QJsonObject json(const Answer& answer)
{
    return QJsonDocument::fromJson(answer.out).object();
}

QStringList column(const Answer& answer, const QString& key)
{
    QStringList values;
    for (const QJsonValue& row : json(answer)[u"rows"_s].toArray())
        values << row.toObject()[key].toVariant().toString();
    return values;
}

void put(const QString& path, const QByteArray& content)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(content), content.size());
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(cannot be read)");
}

QByteArray event(const char* name, const char* category, int tid, int ts, int dur, const char* args = "{}")
{
    QByteArray text
        = R"({"ph": "X", "cat": "%cat", "name": "%name", "pid": 9, "tid": %tid, "ts": %ts, "dur": %dur, "args": %args})";
    text.replace("%cat", category).replace("%name", name).replace("%tid", QByteArray::number(tid));
    text.replace("%ts", QByteArray::number(ts)).replace("%dur", QByteArray::number(dur)).replace("%args", args);
    return text;
}

/// Two steps, three operators, two kernels; ts begins at 1000.
QByteArray sampleTrace()
{
    const QByteArrayList events{
        event("ProfilerStep#1", "user_annotation", 1, 1000, 100),
        event("alpha", "cpu_op", 1, 1010, 30, R"({"External id": 1})"),
        event("launch", "cuda_runtime", 1, 1020, 2, R"({"correlation": 5})"),
        event("kern_a", "kernel", 7, 1120, 20, R"({"device": 0, "correlation": 5, "External id": 1})"),
        event("ProfilerStep#2", "user_annotation", 1, 1200, 50),
        event("beta", "cpu_op", 1, 1210, 10, R"({"External id": 2})"),
        event("beta", "cpu_op", 1, 1230, 10, R"({"External id": 3})"),
        event("launch", "cuda_runtime", 1, 1232, 2, R"({"correlation": 6})"),
        event("kern_b", "kernel", 7, 1240, 5, R"({"device": 0, "correlation": 6, "External id": 3})"),
    };
    return R"({"schemaVersion": 1, "traceEvents": [)" + events.join(",\n") + "]}";
}

/// Large enough that its dump fills every pipe.
QByteArray largeTrace(int slices)
{
    QByteArrayList events;
    for (int i = 0; i < slices; ++i)
        events << event("step", "cpu_op", 1, i * 10, 5);
    return R"({"traceEvents": [)" + events.join(",\n") + "]}";
}

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void helpIsComplete_data();
    void helpIsComplete();
    void versionIsPrinted();
    void wrongUsageIsStatus2_data();
    void wrongUsageIsStatus2();
    void wrongFilterIsMarked();
    void badInputIsOneLine_data();
    void badInputIsOneLine();
    void oneBadFileRefusesAll();
    void noticesAreOneLine();
    void standardInputIsRead();
    void optionsStandAnywhere();
    void optionsNarrowTables_data();
    void optionsNarrowTables();
    void formatsHaveTheSameRows();
    void unusualFileNamesWork_data();
    void unusualFileNamesWork();
    void invalidUtf8NamesWork();
    void localeChangesNoFigure();
    void brokenPipeEndsQuietly();
    void fullDiskIsStatus1();
    void outFileIsWholeOrUntouched();
    void interruptedOutLeavesNothing();
    void severalFilesAreOneAxis();
    void linksNoWindowLibraries();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QTemporaryDir m_folder;
    QString m_trace;
};

void TestCli::initTestCase()
{
    QVERIFY(m_folder.isValid());
    m_trace = path(u"sample.json"_s);
    put(m_trace, sampleTrace());
    put(path(u"empty.json"_s), {});
    put(path(u"text.json"_s), "no trace at all");
    QByteArray cut = sampleTrace();
    cut.chop(20);
    put(path(u"cut\tshort.json"_s), cut);
}

void TestCli::helpIsComplete_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QStringList>("options");
    const QStringList common{u"--format"_s, u"--out"_s, u"--file"_s, u"--rank"_s, u"--range"_s, u"--step"_s,
        u"--annotation"_s, u"--filter"_s, u"--help"_s, u"FILE"_s};
    const QStringList table = common + QStringList{u"--sort"_s, u"--limit"_s};
    QTest::newRow("program") << QString()
                             << QStringList{u"info"_s, u"ops"_s, u"kernels"_s, u"memory"_s, u"steps"_s, u"dump"_s,
                                    u"--help"_s, u"--version"_s};
    QTest::newRow("info") << u"info"_s << common;
    QTest::newRow("ops") << u"ops"_s << table + QStringList{u"--totals"_s, u"--stack-depth"_s, u"--group-by"_s};
    QTest::newRow("kernels") << u"kernels"_s << table + QStringList{u"--group-by"_s};
    QTest::newRow("memory") << u"memory"_s << table;
    QTest::newRow("steps") << u"steps"_s << table;
    QTest::newRow("dump") << u"dump"_s << common + QStringList{u"--points"_s};
    QTest::newRow("record") << u"record"_s
                            << QStringList{u"--out"_s, u"--shapes"_s, u"--memory"_s, u"--scopes"_s, u"--after"_s,
                                   u"--for"_s, u"--active"_s, u"--step"_s, u"PROGRAM"_s};
}

void TestCli::helpIsComplete()
{
    QFETCH(QString, command);
    QFETCH(QStringList, options);
    const QStringList arguments = command.isEmpty() ? QStringList{u"--help"_s} : QStringList{command, u"--help"_s};
    const Answer answer = run(arguments);
    QVERIFY2(answer.status == 0 && answer.err.isEmpty(), qPrintable(words(answer)));
    for (const QString& option : options)
        QVERIFY2(answer.out.contains(option.toUtf8()), qPrintable(option));
}

void TestCli::versionIsPrinted()
{
    const Answer answer = run({u"--version"_s});
    QCOMPARE(answer.status, 0);
    QCOMPARE(answer.out, QByteArray("torchline-cli " TORCHLINE_VERSION "\n"));
}

void TestCli::wrongUsageIsStatus2_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* title, const QStringList& arguments, const char* says) {
        QTest::newRow(title) << arguments << QByteArray(says);
    };
    row("nothing", {}, "a command is missing (there are info, ops, kernels, memory, steps, dump, record)");
    row("unknown command", {u"frobnicate"_s}, "'frobnicate' is no command");
    row("option without command", {u"--format"_s, u"json"_s, u"info"_s, u"FILE"_s}, "--format");
    row("record without program", {u"record"_s}, "record");
    row("missing FILE", {u"info"_s}, "FILE");
    row("unknown option", {u"ops"_s, u"FILE"_s, u"--no-such-option"_s}, "--no-such-option");
    row("option of another command", {u"dump"_s, u"FILE"_s, u"--sort"_s, u"name"_s}, "--sort");
    row("value missing", {u"ops"_s, u"FILE"_s, u"--limit"_s}, "--limit");
    row("format", {u"ops"_s, u"FILE"_s, u"--format"_s, u"nonsense"_s}, "--format: 'nonsense'");
    row("format of info", {u"info"_s, u"FILE"_s, u"--format"_s, u"csv"_s}, "(there are table, json)");
    row("format of dump", {u"dump"_s, u"FILE"_s, u"--format"_s, u"table"_s}, "(there are json, jsonl)");
    row("limit", {u"ops"_s, u"FILE"_s, u"--limit"_s, u"many"_s}, "--limit: 'many'");
    row("negative limit", {u"ops"_s, u"FILE"_s, u"--limit"_s, u"-1"_s}, "--limit: '-1'");
    row("range", {u"ops"_s, u"FILE"_s, u"--range"_s, u"b..a"_s}, "--range: 'b..a'");
    row("range backwards", {u"ops"_s, u"FILE"_s, u"--range"_s, u"9..1"_s}, "ends before it begins");
    row("totals", {u"ops"_s, u"FILE"_s, u"--totals"_s, u"twice"_s}, "--totals: 'twice'");
    row("group", {u"ops"_s, u"FILE"_s, u"--group-by"_s, u"colour"_s}, "--group-by: 'colour'");
    row("group of the other table", {u"kernels"_s, u"FILE"_s, u"--group-by"_s, u"name+stack"_s}, "'stack'");
    row("group twice", {u"ops"_s, u"FILE"_s, u"--group-by"_s, u"name+shape+shape"_s}, "twice");
    row("sort key", {u"ops"_s, u"FILE"_s, u"--sort"_s, u"no_such_key"_s}, "--sort: no column is called 'no_such_key'");
    row("sort direction", {u"ops"_s, u"FILE"_s, u"--sort"_s, u"calls:up"_s}, "'up'");
    row("file number", {u"ops"_s, u"FILE"_s, u"--file"_s, u"x"_s}, "--file: 'x'");
    row("file number beyond", {u"ops"_s, u"FILE"_s, u"--file"_s, u"1"_s}, "no file 1");
    row("rank beyond", {u"ops"_s, u"FILE"_s, u"--rank"_s, u"5"_s}, "no rank 5");
    row("step beyond", {u"ops"_s, u"FILE"_s, u"--step"_s, u"3"_s}, "no step 3 in the input (there are 1 to 2)");
    row("no such annotation", {u"ops"_s, u"FILE"_s, u"--annotation"_s, u"al\npha"_s},
        "there is no annotation 'al\\npha' in the input");
    row("control character in a filter", {u"ops"_s, u"FILE"_s, u"--filter"_s, u"dur > \x1b[31m"_s},
        "'\\u001b[31m' is no time");
    row("control character", {u"ops"_s, u"FILE"_s, u"--sort"_s, u"a\nb"_s}, "'a\\nb'");
}

void TestCli::wrongUsageIsStatus2()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, says);
    arguments.replaceInStrings(u"FILE"_s, m_trace);
    const Answer answer = run(arguments);
    QVERIFY2(answer.status == 2, qPrintable(words(answer)));
    QVERIFY(answer.out.isEmpty());
    QVERIFY2(answer.err.startsWith("torchline-cli: ") && answer.err.contains(says), answer.err.constData());
}

void TestCli::wrongFilterIsMarked()
{
    const Answer answer = run({u"ops"_s, m_trace, u"--filter"_s, u"aten and dur > fast"_s});
    QCOMPARE(answer.status, 2);
    QVERIFY(answer.out.isEmpty());
    QVERIFY2(answer.err.startsWith("torchline-cli: ops: --filter: 'fast' is no time"), answer.err.constData());
    QVERIFY2(
        answer.err.contains("at character 16\n  aten and dur > fast\n                 ^~~~\n"), answer.err.constData());
}

void TestCli::badInputIsOneLine_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("missing") << path(u"no such file.json"_s);
    QTest::newRow("folder") << m_folder.path();
    QTest::newRow("empty") << path(u"empty.json"_s);
    QTest::newRow("no trace") << path(u"text.json"_s);
}

void TestCli::badInputIsOneLine()
{
    QFETCH(QString, file);
    for (const QString& command : {u"info"_s, u"ops"_s, u"kernels"_s, u"memory"_s, u"steps"_s, u"dump"_s}) {
        const Answer answer = run({command, file, u"--format"_s, u"json"_s});
        QVERIFY2(answer.status == 1, qPrintable(words(answer)));
        QVERIFY(answer.out.isEmpty());
        QCOMPARE(answer.err.count('\n'), 1);
        QVERIFY2(answer.err.startsWith(QByteArray("torchline-cli: " + file.toUtf8() + ": ")), answer.err.constData());
    }
}

void TestCli::oneBadFileRefusesAll()
{
    for (const QStringList& files : {QStringList{m_trace, path(u"empty.json"_s)}, {path(u"empty.json"_s), m_trace}}) {
        const Answer answer = run(QStringList{u"info"_s} + files);
        QVERIFY2(answer.status == 1 && answer.out.isEmpty(), qPrintable(words(answer)));
        QVERIFY(answer.err.contains("empty.json"));
    }
}

void TestCli::noticesAreOneLine()
{
    const QString file = path(u"cut\tshort.json"_s);
    const Answer info = run({u"info"_s, file, u"--format"_s, u"json"_s});
    QCOMPARE(info.status, 0);
    QVERIFY(info.err.isEmpty());
    const QJsonArray warnings = json(info)[u"warnings"_s].toArray();
    QVERIFY(!warnings.isEmpty());
    for (const QString& command : {u"ops"_s, u"kernels"_s, u"memory"_s, u"steps"_s, u"dump"_s}) {
        const Answer answer = run({command, file});
        QVERIFY2(answer.status == 0, qPrintable(words(answer)));
        QCOMPARE(answer.err.count('\n'), 1);
        QVERIFY2(answer.err.startsWith("torchline-cli: ") && answer.err.contains("cut\\tshort.json: "),
            answer.err.constData());
        QVERIFY(answer.err.contains(QByteArray(QByteArray::number(warnings.size()) + " notice")));
        QVERIFY(answer.err.contains(
            QByteArray("(see info): " + warnings.first().toObject()[u"text"_s].toString().toUtf8())));
    }
    QVERIFY(run({u"ops"_s, m_trace}).err.isEmpty());
}

void TestCli::standardInputIsRead()
{
    const Answer piped = run({u"info"_s, u"-"_s, u"--format"_s, u"json"_s}, sampleTrace());
    QVERIFY2(piped.status == 0, qPrintable(words(piped)));
    QCOMPARE(json(piped)[u"files"_s].toArray().first().toObject()[u"path"_s].toString(), u"-"_s);
    QCOMPARE(json(piped)[u"events"_s].toInt(), 9);
    const QStringList dump{u"dump"_s, u"-"_s, u"--format"_s, u"jsonl"_s};
    QCOMPARE(run(dump, sampleTrace()).out, run({u"dump"_s, m_trace, u"--format"_s, u"jsonl"_s}).out);
    const Answer nothing = run({u"info"_s, u"-"_s});
    QVERIFY2(nothing.status == 1 && nothing.err.startsWith("torchline-cli: -: "), qPrintable(words(nothing)));
}

void TestCli::optionsStandAnywhere()
{
    const Answer before = run({u"ops"_s, u"--format"_s, u"csv"_s, u"--file"_s, u"0"_s, u"--rank=0"_s, m_trace});
    QVERIFY2(before.status == 2 && before.err.contains("no rank 0"), qPrintable(words(before)));
    const Answer first = run({u"ops"_s, u"--file"_s, u"0"_s, m_trace, u"--format"_s, u"csv"_s});
    const Answer second = run({u"ops"_s, m_trace, u"--format=csv"_s, u"--file=0"_s});
    QVERIFY2(first.status == 0, qPrintable(words(first)));
    QCOMPARE(first.out, second.out);
}

void TestCli::optionsNarrowTables_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("names");
    const QStringList once{u"ops"_s, u"--totals"_s, u"once"_s};
    const auto row = [](const char* title, const QStringList& arguments, const QString& names) {
        QTest::newRow(title) << arguments << names;
    };
    row("default sort", once, u"ProfilerStep#1|ProfilerStep#2|alpha|beta"_s);
    row("sort and limit", once + QStringList{u"--sort"_s, u"calls"_s, u"--limit"_s, u"1"_s}, u"beta"_s);
    row("text falls", once + QStringList{u"--sort"_s, u"name:desc"_s}, u"beta|alpha|ProfilerStep#2|ProfilerStep#1"_s);
    row("range", once + QStringList{u"--range"_s, u"5..150"_s}, u"alpha"_s);
    row("open range", once + QStringList{u"--range"_s, u"..0.15ms"_s, u"--sort"_s, u"name"_s},
        u"ProfilerStep#1|alpha"_s);
    row("step and filter", once + QStringList{u"--step"_s, u"2"_s, u"--filter"_s, u"ta"_s}, u"beta"_s);
    row("annotation", once + QStringList{u"--annotation"_s, u"ProfilerStep#2"_s}, u"ProfilerStep#2|beta"_s);
    row("kernels of an annotation", {u"kernels"_s, u"--annotation=ProfilerStep#1"_s}, u"kern_a"_s);
    row("annotation and range", once + QStringList{u"--annotation"_s, u"ProfilerStep#2"_s, u"--range"_s, u"..225"_s},
        u"ProfilerStep#2|beta"_s);
    row("filter", once + QStringList{u"--filter"_s, u"dur > 20us and dur < 40us"_s}, u"alpha"_s);
    row("kernels of a step", {u"kernels"_s, u"--step"_s, u"1"_s}, u"kern_a"_s);
    row("kernels by launch", {u"kernels"_s, u"--range"_s, u"0..100"_s}, u"kern_a"_s);
    row("kernels by stream", {u"kernels"_s, u"--filter"_s, u"stream = 7 and name:_b"_s}, u"kern_b"_s);
    row("steps of a range", {u"steps"_s, u"--range"_s, u"100.."_s}, u"ProfilerStep#2"_s);
    row("torch folds steps", {u"ops"_s, u"--limit"_s, u"1"_s}, u"ProfilerStep*"_s);
    row("nothing is in", {u"kernels"_s, u"--filter"_s, u"no such kernel"_s}, QString());
}

void TestCli::optionsNarrowTables()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, names);
    const Answer answer = run(arguments + QStringList{m_trace, u"--format"_s, u"json"_s});
    QVERIFY2(answer.status == 0, qPrintable(words(answer)));
    QCOMPARE(column(answer, u"name"_s).join(u'|'), names);
}

void TestCli::formatsHaveTheSameRows()
{
    const auto written = [&](const QString& format) { return run({u"kernels"_s, m_trace, u"--format"_s, format}).out; };
    QCOMPARE(written(u"csv"_s),
        QByteArray(
            "\"name\",\"kind\",\"calls\",\"total_us\",\"total_percent\",\"avg_us\",\"min_us\",\"max_us\",\"bytes\","
            "\"gbps\",\"occupancy_percent\"\n"
            "\"kern_a\",\"kernel\",1,20.000,80.00,20.000,20.000,20.000,,,\n"
            "\"kern_b\",\"kernel\",1,5.000,20.00,5.000,5.000,5.000,,,\n"));
    QCOMPARE(written(u"markdown"_s).split('\n').value(2),
        QByteArray("| kern_a | kernel | 1 | 20.000 | 80.00 | 20.000 | 20.000 | 20.000 |  |  |  |"));
    QCOMPARE(written(u"tsv"_s).split('\n').value(2),
        QByteArray("kern_b\tkernel\t1\t5.000\t20.00\t5.000\t5.000\t5.000\t\t\t"));
    QCOMPARE(written(u"table"_s).split('\n').value(2).simplified(),
        QByteArray("kern_a kernel 1 20.000us 80.00% 20.000us 20.000us 20.000us"));
    QVERIFY(written(u"json"_s).contains("\"total_us\": 20.000, \"total_percent\": 80.00, \"avg_us\": 20.000,"));
}

void TestCli::unusualFileNamesWork_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : {u"-leading.json"_s, u"--help"_s, u"with blanks .json"_s, u"[a,b]"_s, u"{}"_s, u"info"_s,
             u"ops"_s, u"\u00e4\u5b57\U0001F525.json"_s, u"quote\"'`$x.json"_s, u"\x01[x]"_s})
        QTest::newRow(qPrintable(name)) << name;
}

void TestCli::unusualFileNamesWork()
{
    QFETCH(QString, name);
    put(path(name), sampleTrace());
    const Answer answer
        = run({u"info"_s, u"--format"_s, u"json"_s, u"--"_s, name, u"sample.json"_s}, {}, m_folder.path());
    QVERIFY2(answer.status == 0, qPrintable(words(answer)));
    QCOMPARE(json(answer)[u"files"_s].toArray().first().toObject()[u"path"_s].toString(), name);
    QCOMPARE(json(answer)[u"events"_s].toInt(), 18);
}

void TestCli::invalidUtf8NamesWork()
{
    // Qt cannot name such a file: the shell makes it, and takes it away.
    const auto withLink = [&](const QString& command) {
        return shell(u"name=$(printf 'bad\\377\\033.json'); ln -s sample.json \"$name\"; \"$cli\" "_s + command
                + u"; status=$?; rm \"$name\"; exit $status"_s,
            m_folder.path());
    };
    const Answer info = withLink(u"info --format json \"$name\""_s);
    QVERIFY2(info.status == 0, qPrintable(words(info)));
    QVERIFY2(info.out.contains("\"path\": \"bad\xEF\xBF\xBD\\u001b.json\""), info.out.constData());
    const Answer csv = withLink(u"ops --group-by name+file --format csv \"$name\""_s);
    QVERIFY2(csv.out.contains("\"bad\xEF\xBF\xBD\x1b.json\""), csv.out.constData());
    const Answer table = withLink(u"info \"$name\""_s);
    QVERIFY2(table.out.contains("bad\xEF\xBF\xBD\\u001b.json"), table.out.constData());
    const Answer missing = shell(u"\"$cli\" ops \"$(printf 'none\\377')\""_s, m_folder.path());
    QCOMPARE(missing.status, 1);
    QCOMPARE(missing.err.count('\n'), 1);
    QVERIFY2(missing.err.startsWith("torchline-cli: none\xEF\xBF\xBD: "), missing.err.constData());
    const Answer out = shell(
        u"name=$(printf 'out\\377'); \"$cli\" ops sample.json --out \"$name\" && cat \"$name\" && rm \"$name\""_s,
        m_folder.path());
    QVERIFY2(out.status == 0 && out.out.contains("ProfilerStep*"), qPrintable(words(out)));
}

void TestCli::localeChangesNoFigure()
{
    for (const QString& command : {u"info"_s, u"ops"_s, u"kernels"_s, u"steps"_s, u"dump"_s}) {
        const QString line = u"\"$cli\" "_s + command + u" sample.json"_s;
        const Answer plain = shell(line, m_folder.path(), {{u"LC_ALL"_s, u"C"_s}});
        const Answer german = shell(line, m_folder.path(), {{u"LC_ALL"_s, u"de_DE.UTF-8"_s}, {u"LANG"_s, u"de_DE"_s}});
        QVERIFY(!plain.out.isEmpty());
        QCOMPARE(german.out, plain.out);
    }
}

void TestCli::brokenPipeEndsQuietly()
{
    put(path(u"large.json"_s), largeTrace(20'000));
    for (const QString& form : {u"json"_s, u"jsonl"_s}) {
        const Answer answer = shell(
            u"set -o pipefail; \"$cli\" dump large.json --format "_s + form + u" | head -n 1"_s, m_folder.path());
        QVERIFY2(answer.status == 0 && answer.err.isEmpty(), qPrintable(words(answer)));
        QCOMPARE(answer.out.count('\n'), 1);
    }
    const Answer help = shell(u"set -o pipefail; \"$cli\" ops --help | true"_s, m_folder.path());
    QVERIFY2(help.status == 0 && help.err.isEmpty(), qPrintable(words(help)));
}

void TestCli::fullDiskIsStatus1()
{
    if (!QFile::exists(u"/dev/full"_s))
        QSKIP("there is no /dev/full here");
    for (const QString& line : {u"\"$cli\" ops sample.json > /dev/full"_s, u"\"$cli\" --help > /dev/full"_s,
             u"\"$cli\" dump sample.json --out /dev/full"_s, u"\"$cli\" info sample.json --out /dev/full"_s}) {
        const Answer answer = shell(line, m_folder.path());
        QVERIFY2(answer.status == 1 && answer.out.isEmpty(), qPrintable(words(answer)));
        QVERIFY2(answer.err.endsWith(": cannot be written: No space left on device\n"), answer.err.constData());
        QCOMPARE(answer.err.count('\n'), 1);
    }
}

void TestCli::outFileIsWholeOrUntouched()
{
    const QString target = path(u"out.csv"_s);
    const QStringList kernels{u"kernels"_s, m_trace, u"--format"_s, u"csv"_s};
    const Answer written = run(kernels + QStringList{u"--out"_s, target});
    QVERIFY2(written.status == 0 && written.out.isEmpty() && written.err.isEmpty(), qPrintable(words(written)));
    QCOMPARE(contentOf(target), run(kernels).out);
    put(target, "mine");
    QCOMPARE(run({u"kernels"_s, path(u"empty.json"_s), u"--out"_s, target}).status, 1);
    QCOMPARE(run({u"kernels"_s, m_trace, u"--step"_s, u"77"_s, u"--out"_s, target}).status, 2);
    QCOMPARE(contentOf(target), QByteArray("mine"));
    const Answer nowhere = run(kernels + QStringList{u"--out"_s, path(u"no/such/folder.csv"_s)});
    QVERIFY2(nowhere.status == 1 && nowhere.out.isEmpty() && nowhere.err.count('\n') == 1, qPrintable(words(nowhere)));
    QVERIFY(nowhere.err.endsWith("folder.csv: cannot be written: No such file or directory\n"));
    QVERIFY(QDir(m_folder.path()).entryList({u"*.part"_s, u".*.part"_s}, QDir::Files | QDir::Hidden).isEmpty());
}

void TestCli::interruptedOutLeavesNothing()
{
    put(path(u"large.json"_s), largeTrace(300'000));
    const QDir folder(m_folder.path());
    const auto parts = [&] { return folder.entryList({u".torchline-*.part"_s}, QDir::Files | QDir::Hidden); };
    QProcess process;
    process.start(kProgram, {u"dump"_s, path(u"large.json"_s), u"--out"_s, path(u"interrupted.json"_s)});
    QElapsedTimer timer;
    timer.start();
    while (parts().isEmpty() && process.state() != QProcess::NotRunning && timer.elapsed() < kTimeoutMs)
        process.waitForFinished(1);
    QVERIFY(!parts().isEmpty());
    process.terminate();
    QVERIFY(process.waitForFinished(kTimeoutMs));
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
    QCOMPARE(process.exitCode(), SIGTERM);
    QVERIFY(parts().isEmpty());
    QVERIFY(!folder.exists(u"interrupted.json"_s));
}

void TestCli::severalFilesAreOneAxis()
{
    const QString cases = QString::fromUtf8(TORCHLINE_TEST_DATA "/cases/two-ranks/");
    const QStringList both{cases + u"rank0.json"_s, cases + u"rank1.json"_s};
    const QStringList form{u"--format"_s, u"json"_s};
    const Answer info = run(QStringList{u"info"_s} + both + form);
    QVERIFY2(info.status == 0, qPrintable(words(info)));
    QCOMPARE(json(info)[u"files"_s].toArray().size(), 2);
    const Answer ranks = run(QStringList{u"ops"_s} + both + form + QStringList{u"--group-by"_s, u"name+rank"_s});
    QStringList seen = column(ranks, u"rank"_s);
    seen.removeDuplicates();
    seen.sort();
    QCOMPARE(seen, (QStringList{u"0"_s, u"1"_s}));
    const Answer one = run(QStringList{u"ops"_s} + both + form + QStringList{u"--rank"_s, u"1"_s});
    const Answer same = run(QStringList{u"ops"_s} + both + form + QStringList{u"--file"_s, u"1"_s});
    QVERIFY(!column(one, u"name"_s).isEmpty());
    QCOMPARE(one.out, same.out);
    QVERIFY(column(one, u"calls"_s) != column(run(QStringList{u"ops"_s} + both + form), u"calls"_s));
}

void TestCli::linksNoWindowLibraries()
{
    const QByteArrayList libraries = neededLibraries(kProgram);
    QVERIFY2(libraries.join(' ').contains("libc.so"), libraries.join(' ').constData());
    for (const QByteArray& library : libraries) {
        for (const char* unwanted :
            {"qt", "gl.", "glx", "egl", "opengl", "vulkan", "x11", "xcb", "wayland", "torch", "c10", "cuda", "cupti"})
            QVERIFY2(!library.toLower().contains(QByteArray(QByteArray("lib") + unwanted)), library.constData());
    }
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
