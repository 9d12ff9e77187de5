// Programs that end badly, multiply, or pull the floor from under the agent: they must not notice it, and what was
// recorded must be there.

#include "recorded.h"

#include <QCoreApplication>
#include <QtTest>

#include <chrono>
#include <set>
#include <thread>

using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

size_t operatorsOf(RecordedProcess& process)
{
    size_t count = 0;
    for (const RecordedSlot& slot : process.slots())
        count += slot.ops.size();
    return count;
}

constexpr size_t kPerTurn = 2; // add, mul_
constexpr size_t kOnes = 3; // ones, empty, fill_

} // namespace

class TestAgentFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REQUIRE_TORCH(); }

    void crashLeavesRecordsAndOpenOperators_data()
    {
        QTest::addColumn<QString>("how");
        for (const char* const how : {"segv", "abort", "terminate", "kill", "exit"})
            QTest::newRow(how) << QString::fromLatin1(how);
    }
    void crashLeavesRecordsAndOpenOperators()
    {
        QFETCH(const QString, how);
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {how}, u"record=now"_s));
        if (how == u"exit"_s)
            QCOMPARE(recorded.program().exitCode(), 3);
        else
            QCOMPARE(recorded.program().exitStatus(), QProcess::CrashExit);
        const auto process = recorded.first();
        QCOMPARE(operatorsOf(*process), 2 * kOnes + 101 * kPerTurn);
        const std::vector<RecordedSlot> slots = process->slots();
        QCOMPARE(slots.size(), size_t{1});
        QCOMPARE(slots.front().open, (std::vector<std::string>{"outer", "inner"}));
        QVERIFY(process->segments.front()->isSealed());
    }

    void forkedChildrenRecordThemselves()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"fork"_s, u"3"_s}, u"record=now"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const auto processes = recorded.processes();
        QCOMPARE(processes.size(), size_t{4});
        std::set<int> pids;
        for (const auto& process : processes) {
            pids.insert(process->pid());
            const bool parent = process == processes.front();
            // the scope "forks" began before the fork: its end in the child is nobody's
            QCOMPARE(operatorsOf(*process), parent ? 5 * kOnes + 23 * kPerTurn + 3 : kOnes + 50 * kPerTurn);
            for (const RecordedSlot& slot : process->slots())
                QVERIFY(slot.asyncEnd.empty());
            if (!parent)
                QCOMPARE(process->ofType("hello").front().at("ppid").get<int>(), processes.front()->pid());
            QCOMPARE(process->ofType("state").back().at("state"), "recording");
        }
        QCOMPARE(pids.size(), size_t{4});
    }

    void childrenAreLeftAloneIfAsked()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"fork"_s, u"2"_s}, u"record=now children=0"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        QCOMPARE(recorded.processes().size(), size_t{1});
        Recorded executed;
        QVERIFY(executed.run(workload(), {u"fork-exec"_s, u"2"_s}, u"record=now children=0"_s));
        QCOMPARE(executed.program().exitCode(), 0);
        QCOMPARE(executed.processes().size(), size_t{1});
        Recorded itself;
        QVERIFY(itself.run(workload(), {u"exec"_s, u"2"_s}, u"record=now children=0"_s));
        QCOMPARE(itself.processes().size(), size_t{2}); // the same process, another program
    }

    void executedProgramsRecordThemselves()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"fork-exec"_s, u"30"_s}, u"record=now"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        std::multiset<size_t> operators;
        for (const auto& process : recorded.processes())
            operators.insert(operatorsOf(*process));
        const size_t parent = 2 * kOnes + 20 * kPerTurn;
        const size_t child = kOnes + 10 * kPerTurn;
        const size_t executed = kOnes + 30 * kPerTurn;
        QVERIFY(operators.contains(parent));
        QVERIFY(operators.contains(child));
        QVERIFY(operators.contains(executed));
    }

    void closedDescriptors()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"close-all"_s, u"100"_s}, u"record=now"_s));
        QVERIFY2(recorded.program().exitCode() == 0, recorded.program().readAll().constData());
        const auto processes = recorded.processes();
        QVERIFY(processes.size() >= 2); // it connected again, more than once if that was while they were being closed
        for (size_t i = 1; i < processes.size(); ++i) {
            const std::vector<nlohmann::json> hello = processes[i]->ofType("hello");
            QVERIFY(hello.empty() || hello.front().at("resumed") == true);
            QVERIFY(hello.empty() || processes[i]->pid() == processes.front()->pid());
        }
        QVERIFY(!processes.back()->ofType("hello").empty());
        QVERIFY(operatorsOf(*processes.front()) > 2 * (kOnes + 100 * kPerTurn));
    }

    void otherDirectoryAndUser()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"identity"_s, u"100"_s}, u"record=now"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        QCOMPARE(operatorsOf(*recorded.first()), 2 * (kOnes + 100 * kPerTurn));
    }

    void manyThreadsInTurnReuseDrainedSlots()
    {
        Recorded recorded;
        recorded.start(workload(), {u"threads-in-turn"_s, u"200"_s}, u"record=now slots=16 ring_kib=64"_s);
        const auto process = recorded.first();
        std::thread reader([&] {
            for (bool closed = false; !closed; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
                const std::lock_guard lock(process->mutex);
                closed = process->closed;
                for (const auto& segment : process->segments)
                    segment->drain();
            }
        });
        const bool finished = recorded.finish();
        reader.join();
        QVERIFY(finished);
        uint64_t written = 0;
        size_t slots = 0;
        for (const auto& segment : process->segments) {
            for (const RecordedSlot& slot : segment->read())
                QCOMPARE(slot.dropped, uint64_t{0});
            QCOMPARE(segment->header().threadsWithoutSlot.load(), uint64_t{0});
            written += segment->written();
            slots += segment->header().slotsUsed.load();
        }
        QVERIFY(slots < 128);
        QCOMPARE(written, 200 * (kOnes + 20 * kPerTurn + 1)); // and one Thread record each
    }

    void moreThreadsThanSlots()
    {
        Recorded recorded; // nobody reads: no slot is drained, so further segments are made
        QVERIFY(recorded.run(workload(), {u"threads-in-turn"_s, u"25"_s}, u"record=now slots=10 ring_kib=64"_s));
        const auto process = recorded.first();
        QCOMPARE(process->segments.size(), size_t{3});
        QCOMPARE(process->ofType("bound").back().at("segment"), 2);
        QCOMPARE(process->slots().size(), size_t{25});
        QCOMPARE(operatorsOf(*process), 25 * (kOnes + 20 * kPerTurn));
        for (const RecordedSlot& slot : process->slots()) {
            QCOMPARE(slot.threads.size(), size_t{1});
            QCOMPARE(slot.state, wire::SlotState::Ended);
        }
    }

    void threadsBeyondAllSegmentsAreCounted()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"threads-in-turn"_s, u"20"_s}, u"record=now slots=1 ring_kib=64"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const auto process = recorded.first();
        QCOMPARE(process->segments.size(), size_t{8});
        uint64_t without = 0;
        for (const auto& segment : process->segments)
            without += segment->header().threadsWithoutSlot.load();
        QCOMPARE(without, uint64_t{12});
    }

    void fullRingDropsAndCounts()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"flood"_s, u"20000"_s}, u"record=now ring_kib=64"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const std::vector<RecordedSlot> slots = recorded.first()->slots();
        QCOMPARE(slots.size(), size_t{1});
        QVERIFY(slots.front().ops.size() > 1000);
        QCOMPARE(slots.front().ops.size() + slots.front().dropped, size_t{20000 + kOnes});
    }

    void windowGoesAway()
    {
        Recorded recorded;
        recorded.start(workload(), {u"steps"_s, u"400"_s}, u"record=now"_s);
        const auto process = recorded.first();
        QVERIFY(QTest::qWaitFor([&] { return !process->ofType("bound").empty(); }, 20'000));
        const std::shared_ptr<MappedSegment> segment = process->segments.front();
        recorded.leave();
        QVERIFY(recorded.program().waitForFinished(60'000));
        QCOMPARE(recorded.program().exitCode(), 0);
        QCOMPARE(segment->header().state.load(), static_cast<uint32_t>(wire::RecordState::Idle));
        size_t steps = 0;
        for (const RecordedSlot& slot : segment->read())
            steps += slot.steps.size();
        QVERIFY(steps < 400);
    }

    void nobodyListens()
    {
        Recorded recorded;
        recorded.leave();
        recorded.start(workload(), {u"some"_s, u"1000"_s}, u"record=now"_s);
        QVERIFY(recorded.program().waitForFinished(60'000));
        QCOMPARE(recorded.program().exitCode(), 0);
    }

private:
    [[nodiscard]] static QString workload() { return QCoreApplication::applicationDirPath() + u"/torch-workload"_s; }
};

QTEST_GUILESS_MAIN(TestAgentFaults)
#include "tst_agent_faults.moc"
