// What the agent says and does over its socket: hello, start, stop, schedules, detach.

#include "recorded.h"

#include "elf_needed.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QtTest>

#include <algorithm>

using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

std::vector<std::string> statesOf(RecordedProcess& process)
{
    std::vector<std::string> out;
    for (const nlohmann::json& message : process.ofType("state"))
        out.push_back(message.at("state"));
    return out;
}

std::vector<std::string> stepScopes(RecordedProcess& process)
{
    std::vector<std::string> out;
    for (const RecordedSlot& slot : process.slots()) {
        for (const RecordedOp& op : slot.ops) {
            if (op.name.starts_with("ProfilerStep#"))
                out.push_back(op.name.substr(13));
        }
    }
    return out;
}

} // namespace

class TestAgentControl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linksOnlyTheCLibrary()
    {
        const QByteArrayList needed
            = neededLibraries(QCoreApplication::applicationDirPath() + u"/libtorchline-agent.so"_s);
        QVERIFY(!needed.isEmpty());
        for (const QByteArray& name : needed)
            QVERIFY2(name.startsWith("libc.so.") || name.startsWith("ld-linux"), name.constData());
    }

    void programWithoutTorch()
    {
        Recorded recorded;
        recorded.start(u"/bin/sh"_s, {u"-c"_s, u"sleep 0.3; exit 4"_s}, u"record=now"_s);
        const int pid = static_cast<int>(recorded.program().processId());
        QVERIFY(recorded.finish());
        QCOMPARE(recorded.program().exitCode(), 4);
        // What the shell starts may connect before it.
        const auto processes = recorded.processes();
        const auto found = std::ranges::find_if(processes, [pid](const auto& p) { return p->pid() == pid; });
        QVERIFY(found != processes.end());
        const auto process = *found;
        QVERIFY(process->segments.empty());
        const std::vector<nlohmann::json> hello = process->ofType("hello");
        QCOMPARE(hello.size(), size_t{1});
        QCOMPARE(hello.front().at("protocol"), 1);
        QCOMPARE(hello.front().at("args").at(1), "-c");
        QCOMPARE(hello.front().at("resumed"), false);
        QVERIFY(QFileInfo::exists(QString::fromStdString(hello.front().at("exe").get<std::string>())));
    }

    void withoutSocketNothingHappens()
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"LD_PRELOAD"_s, QCoreApplication::applicationDirPath() + u"/libtorchline-agent.so"_s);
        environment.remove(u"TORCHLINE_SOCK"_s);
        process.setProcessEnvironment(environment);
        process.start(u"/bin/sh"_s, {u"-c"_s, u"ls /proc/$$/task | wc -l"_s});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardOutput().trimmed(), QByteArray("1"));
        QVERIFY(process.readAllStandardError().isEmpty());
    }

    void unknownLayoutGivesNamesAndTimes()
    {
        Recorded recorded;
        QVERIFY(recorded.run(
            QCoreApplication::applicationDirPath() + u"/strange-workload"_s, {}, u"record=now shapes=1 memory=1"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const auto process = recorded.first();
        const nlohmann::json bound = process->ofType("bound").front();
        QCOMPARE(bound.at("torch").at("names_only"), true);
        QCOMPARE(bound.at("torch").at("shapes"), false);
        std::vector<std::string> notes;
        for (const nlohmann::json& note : process->ofType("note"))
            notes.push_back(note.at("code"));
        QCOMPARE(notes, (std::vector<std::string>{"probe-failed", "no-shapes", "no-memory-records"}));
        const RecordedSlot slot = process->slots().front();
        QCOMPARE(slot.ops.size(), size_t{40});
        QCOMPARE(slot.ops[0].name, "inner");
        QCOMPARE(slot.ops[0].record.depth, uint16_t{1});
        QCOMPARE(slot.ops[0].record.sequence, int64_t{-1});
        QCOMPARE(slot.ops[3].name, "outer");
        QCOMPARE(slot.ops[3].record.depth, uint16_t{0});
        QVERIFY(slot.ops[3].record.start < slot.ops[0].record.start && slot.ops[2].record.end < slot.ops[3].record.end);
    }

    void boundTellsWhatItFound()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"some"_s, u"5"_s}, u"record=idle"_s));
        const auto process = recorded.first();
        const nlohmann::json bound = process->ofType("bound").front();
        QCOMPARE(bound.at("torch").at("names_only"), false);
        QCOMPARE(bound.at("torch").at("shapes"), true);
        QVERIFY(bound.at("torch").at("offsets").at("sequence").get<int>() > 0);
        QVERIFY(bound.at("memory").get<int>() >= 2);
        QCOMPARE(bound.at("segment"), 0);
        QVERIFY(process->ofType("note").empty());
        const wire::SegmentHeader& header = process->segments.front()->header();
        QCOMPARE(header.magic, wire::kMagic);
        QCOMPARE(header.version, wire::kVersion);
        QCOMPARE(static_cast<int>(header.pid), process->pid());
        QVERIFY(header.last.monotonicNs.load() >= header.first.monotonicNs.load());
        QCOMPARE(process->slots().size(), size_t{0}); // nobody said start
    }

    void startAndStop()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        recorded.start(workload(), {u"steps"_s, u"1000"_s}, u"record=idle"_s);
        const auto process = recorded.first();
        const auto has = [&](const char* state, size_t times) {
            return QTest::qWaitFor(
                [&] {
                    const std::vector<std::string> states = statesOf(*process);
                    return static_cast<size_t>(std::count(states.begin(), states.end(), state)) >= times;
                },
                20'000);
        };
        QVERIFY(has("idle", 1));
        process->say("start shapes=1");
        QVERIFY(has("recording", 1));
        QTest::qWait(100);
        process->say("stop");
        QVERIFY(has("idle", 2));
        const uint64_t atStop = process->segments.front()->written();
        QVERIFY(atStop > 0);
        QTest::qWait(100);
        // What was open when recording stopped is still written at its end; nothing that begins later is.
        const uint64_t written = process->segments.front()->written();
        constexpr uint64_t kDeepestNesting = 16;
        QVERIFY2(written - atStop <= kDeepestNesting, qPrintable(QString::number(written - atStop)));
        QTest::qWait(100);
        QCOMPARE(process->segments.front()->written(), written);
        process->say("start memory=1");
        QVERIFY(has("recording", 2));
        QTest::qWait(100);
        process->say("ping");
        process->say("dance");
        process->say("detach");
        QVERIFY(recorded.finish());
        QCOMPARE(recorded.program().exitCode(), 0);
        QVERIFY(process->segments.front()->written() > written);
        QCOMPARE(process->ofType("pong").size(), size_t{1});
        QCOMPARE(process->ofType("note").front().at("code"), "unknown-verb");
        QVERIFY(stepScopes(*process).size() < 1000);
        size_t memory = 0;
        for (const RecordedSlot& slot : process->slots())
            memory += slot.memory.size();
        QVERIFY(memory > 0);
    }

    void schedules_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QStringList>("steps");
        QTest::addColumn<QStringList>("states");
        QTest::newRow("all") << u"record=now"_s
                             << QStringList{u"0"_s, u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"5"_s, u"6"_s, u"7"_s, u"8"_s,
                                    u"9"_s}
                             << QStringList{};
        QTest::newRow("once") << u"record=now skip_first=1 wait=1 warmup=1 active=2 repeat=1"_s
                              << QStringList{u"3"_s, u"4"_s} << QStringList{u"done"_s};
        QTest::newRow("twice") << u"record=now wait=1 warmup=1 active=2 repeat=2"_s
                               << QStringList{u"2"_s, u"3"_s, u"6"_s, u"7"_s} << QStringList{u"done"_s};
        QTest::newRow("again and again") << u"record=now wait=3 active=1"_s << QStringList{u"3"_s, u"7"_s}
                                         << QStringList{};
        QTest::newRow("by a pattern of its own") << u"record=now wait=1 active=2 repeat=1 step=scope:Profiler%53tep#?"_s
                                                 << QStringList{u"1"_s, u"2"_s} << QStringList{u"done"_s};
        QTest::newRow("by operators") << u"record=now wait=2 active=3 repeat=1 step=ops:2"_s
                                      << QStringList{u"4"_s, u"5"_s, u"6"_s, u"7"_s, u"8"_s, u"9"_s}
                                      << QStringList{u"done"_s};
    }
    void schedules()
    {
        REQUIRE_TORCH();
        QFETCH(const QString, config);
        QFETCH(const QStringList, steps);
        QFETCH(const QStringList, states);
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"steps"_s, u"10"_s}, config));
        const auto process = recorded.first();
        QStringList recordedSteps;
        for (const std::string& step : stepScopes(*process))
            recordedSteps << QString::fromStdString(step);
        QCOMPARE(recordedSteps, steps);
        if (!states.isEmpty())
            QCOMPARE(QString::fromStdString(statesOf(*process).back()), states.front());
    }

    void stepsAreRecorded()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"steps"_s, u"10"_s}, u"record=now"_s));
        const auto process = recorded.first();
        const RecordedSlot slot = process->slots().front();
        QCOMPARE(slot.steps.size(), size_t{10});
        for (size_t i = 0; i < slot.steps.size(); ++i)
            QCOMPARE(slot.steps[i].step, i + 1);
        QCOMPARE(process->segments.front()->header().step.load(), uint64_t{10});
    }

    void timedSteps()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"steps"_s, u"300"_s}, u"record=now wait=1 active=1 repeat=1 step=ms:100"_s));
        const auto process = recorded.first();
        QCOMPARE(statesOf(*process).back(), "done");
        const size_t recordedSteps = stepScopes(*process).size();
        QVERIFY(recordedSteps > 0 && recordedSteps < 300);
    }

private:
    [[nodiscard]] static QString workload() { return QCoreApplication::applicationDirPath() + u"/torch-workload"_s; }
};

QTEST_GUILESS_MAIN(TestAgentControl)
#include "tst_agent_control.moc"
