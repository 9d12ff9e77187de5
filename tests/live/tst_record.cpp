// torchline-cli record on real LibTorch programs: what it writes is what the program itself counted, whatever becomes
// of the program.

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using Json = nlohmann::json;

namespace {

struct Ended {
    int status = -1;
    QByteArray out;
    QByteArray err;
};

using Words = std::vector<std::string>;

QStringList listOf(const Words& words)
{
    QStringList list;
    for (const std::string& word : words)
        list.append(QString::fromStdString(word));
    return list;
}

/// torchline-cli with these arguments.
Ended run(const Words& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(QStringLiteral(TORCHLINE_CLI), listOf(arguments));
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(120'000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
        process.readAllStandardError()};
}

Json readJson(const std::string& path)
{
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return Json::parse(file.readAll().toStdString(), nullptr, false);
}

} // namespace

class TestRecord : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
#ifndef TORCHLINE_WITH_TORCH
        QSKIP("LibTorch is not there");
#endif
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
    }

    void theTableEqualsWhatTheProgramCounted_data()
    {
        QTest::addColumn<std::string>("workload");
        QTest::newRow("training") << std::string("train");
        QTest::newRow("threads") << std::string("threads");
    }
    void theTableEqualsWhatTheProgramCounted()
    {
        QFETCH(std::string, workload);
        const std::string counts = path("counts.json");
        const Ended recorded = record({"--shapes", "--memory"}, {workload, "5", "--counts", counts});
        QVERIFY2(recorded.status == 0, recorded.err.constData());
        QVERIFY2(recorded.err.contains("0 dropped") && recorded.err.contains("exit 0"), recorded.err.constData());
        std::map<std::string, int64_t> counted;
        for (const Json& each : readJson(counts))
            ++counted[each.at("name").get<std::string>()];
        QVERIFY(counted.size() > 3);
        const std::map<std::string, int64_t> table = callsIn(path("run.json.gz"));
        for (const auto& [name, calls] : counted)
            QVERIFY2(table.contains(name) && table.at(name) == calls,
                (name + ": " + std::to_string(table.contains(name) ? table.at(name) : 0) + " recorded, "
                    + std::to_string(calls) + " counted")
                    .c_str());
        QCOMPARE(table.size(), counted.size());
        QVERIFY(spools().isEmpty());
    }

    void stacksAreSavedAsTorchProfilerWritesThem()
    {
        const Ended recorded = record({"--stacks", "--shapes"}, {"stacks", "4"});
        QVERIFY2(recorded.status == 0, recorded.err.constData());
        const Ended answer = run({"ops", path("run.json.gz"), "--group-by", "name+stack", "--stack-depth", "64",
            "--totals", "once", "--format", "json"});
        const Json table = Json::parse(answer.out.toStdString(), nullptr, false);
        std::map<std::string, int64_t> calls; // by the functions of ours that the stack names
        for (const Json& row : table.value("rows", Json::array())) {
            if (row.at("name") != "aten::mul_")
                continue;
            const std::string stack = row.at("stack").get<std::string>();
            std::string found;
            size_t last = 0;
            for (const char* const each : {"innermostCaller", "middleCaller", "outermostCaller", ": main"}) {
                const size_t at = stack.find(each);
                if (at == std::string::npos)
                    continue;
                QVERIFY(at > last);
                last = at;
                found += std::string(each) + ' ';
            }
            calls[found] += row.at("calls").get<int64_t>();
        }
        const std::map<std::string, int64_t> wanted{{"innermostCaller middleCaller outermostCaller : main ", 4},
            {"innermostCaller middleCaller : main ", 1}, {"innermostCaller : main ", 1}};
        QVERIFY2(calls == wanted, answer.out.constData());
    }

    void aScheduleRecordsItsSteps()
    {
        const Ended recorded = record(
            {"--skip-first", "1", "--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "1"}, {"train", "8"});
        QVERIFY2(recorded.status == 0, recorded.err.constData());
        QVERIFY2(recorded.err.contains("the schedule is done"), recorded.err.constData());
        const std::map<std::string, int64_t> table = callsIn(path("run.json.gz"));
        QCOMPARE(
            std::ranges::count_if(table, [](const auto& each) { return each.first.starts_with("ProfilerStep#"); }), 2);
    }

    void aProgramThatIsKilledIsSaved()
    {
        const Ended recorded = record({}, {"segv"});
        QVERIFY2(recorded.status == 0, recorded.err.constData());
        QVERIFY2(recorded.err.contains("killed by SIGSEGV in "), recorded.err.constData());
        QVERIFY(!callsIn(path("run.json.gz")).empty());
    }

    void killedFromOutsideTheLastBatchIsThere()
    {
        QProcess process;
        process.start(QStringLiteral(TORCHLINE_CLI),
            listOf({"record", "-o", path("run.json"), "--", TORCH_WORKLOAD, "steps", "100000"}));
        QVERIFY(process.waitForStarted());
        qint64 child = 0;
        QTRY_VERIFY_WITH_TIMEOUT((child = childOf(process.processId())) != 0, 10'000);
        // Two seconds of steps, as the spool tells.
        QTRY_VERIFY_WITH_TIMEOUT(!spools().isEmpty() && QFileInfo(spools().front()).size() > 50'000, 60'000);
        ::kill(static_cast<pid_t>(child), SIGKILL);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 0);
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(err.contains("killed by SIGKILL"), err.constData());
        const Ended info = run({"dump", path("run.json")});
        const Json dump = Json::parse(info.out.toStdString());
        QVERIFY(dump.at("slices").size() > 100);
        int unfinished = 0;
        for (const Json& slice : dump.at("slices"))
            unfinished += slice.at("unfinished").get<bool>() ? 1 : 0;
        // At most what ran at that moment: nothing in between is lost.
        QVERIFY(unfinished <= 3);
    }

    void theTerminalIsTheProgramsOwn()
    {
        const Ended ended = run(
            {"record", "-o", path("r.json"), "--", "sh", "-c", "read line; echo \"got $line\"; echo oops >&2; exit 7"},
            "hallo\n");
        QCOMPARE(ended.status, 1); // there is no LibTorch in sh
        QCOMPARE(ended.out, QByteArray("got hallo\n"));
        QVERIFY(ended.err.startsWith("oops\n"));
        QCOMPARE(ended.err.count('\n'), 2);
        QVERIFY(ended.err.contains("torchline-cli: sh: "));
        QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("r.json"))));
    }

    void aFullDiskIsToldAndTheSpoolKept()
    {
        if (!QFile::exists(QStringLiteral("/dev/full")))
            QSKIP("no /dev/full");
        const Ended ended = run({"record", "-o", "/dev/full", "--", TORCH_WORKLOAD, "train", "2"});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.contains("kept in ") && ended.err.contains("/dev/full"), ended.err.constData());
        QCOMPARE(spools().size(), 1);
    }

private:
    std::string path(const char* name) const
    {
        return m_folder->filePath(QString::fromLatin1(name)).toStdString();
    }

    Ended record(const Words& options, const Words& workload)
    {
        Words all{"record", "-o", path("run.json.gz")};
        all.insert(all.end(), options.begin(), options.end());
        all.insert(all.end(), {"--", TORCH_WORKLOAD});
        all.insert(all.end(), workload.begin(), workload.end());
        return run(all);
    }

    std::map<std::string, int64_t> callsIn(const std::string& file) const
    {
        std::map<std::string, int64_t> calls;
        const Ended answer = run({"ops", file, "--totals", "once", "--format", "json"});
        const Json table = Json::parse(answer.out.toStdString(), nullptr, false);
        for (const Json& row : table.value("rows", Json::array()))
            calls[row.at("name").get<std::string>()] = row.at("calls").get<int64_t>();
        return calls;
    }

    QStringList spools() const
    {
        QStringList paths;
        const QDir folder(m_folder->filePath(QStringLiteral("torchline/spool")));
        for (const QString& name : folder.entryList(QDir::Files))
            paths.append(folder.filePath(name));
        return paths;
    }

    static qint64 childOf(qint64 parent)
    {
        QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(parent));
        return children.open(QIODevice::ReadOnly) ? children.readAll().split(' ').front().toLongLong() : 0;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestRecord)
#include "tst_record.moc"
