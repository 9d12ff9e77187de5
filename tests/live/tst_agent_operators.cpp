// What the agent writes of a program's operators and memory, against what the program counted by itself.

#include "recorded.h"

#include <QCoreApplication>
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

/// One operator, written the same way from both sides.
std::string lineOf(
    const std::string& name, int scope, int depth, int64_t sequence, uint64_t forward, const std::string& shapes)
{
    return name + " scope " + std::to_string(scope) + " depth " + std::to_string(depth) + " seq "
        + std::to_string(sequence) + " fwd " + std::to_string(forward) + " " + shapes;
}

using ByThread = std::map<uint64_t, std::vector<std::string>>;

ByThread linesOf(const std::vector<CountedOp>& counted)
{
    ByThread out;
    for (const CountedOp& op : counted)
        out[op.thread].push_back(lineOf(op.name, op.scope, op.depth, op.sequence, op.forward, op.shapes));
    return out;
}

ByThread linesOf(const std::vector<RecordedSlot>& slots)
{
    ByThread out;
    for (const RecordedSlot& slot : slots) {
        for (const RecordedOp& op : slot.ops) {
            const wire::OpRecord& record = op.record;
            out[slot.torchThread].push_back(
                lineOf(op.name, record.head.scope, record.depth, record.sequence, record.forwardThread, op.shapes));
        }
    }
    return out;
}

QString explain(const ByThread& expected, const ByThread& actual)
{
    for (const auto& [thread, lines] : expected) {
        const auto found = actual.find(thread);
        if (found == actual.end())
            return u"thread %1 is missing"_s.arg(thread);
        for (size_t i = 0; i < std::max(lines.size(), found->second.size()); ++i) {
            const std::string a = i < lines.size() ? lines[i] : "-";
            const std::string b = i < found->second.size() ? found->second[i] : "-";
            if (a != b)
                return u"thread %1, operator %2\n  counted:  %3\n  recorded: %4"_s.arg(thread).arg(i).arg(
                    QString::fromStdString(a), QString::fromStdString(b));
        }
    }
    return expected.size() == actual.size() ? QString() : u"there are more threads than counted"_s;
}

} // namespace

class TestAgentOperators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { REQUIRE_TORCH(); }

    void equalToWhatTheProgramCounted_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("training") << QStringList{u"train"_s, u"12"_s};
        QTest::newRow("threads") << QStringList{u"threads"_s, u"8"_s};
        QTest::newRow("as deep as is kept") << QStringList{u"deep"_s, u"500"_s};
        QTest::newRow("LibTorch's own profiler at once") << QStringList{u"profiler"_s, u"5"_s};
    }
    void equalToWhatTheProgramCounted()
    {
        QFETCH(const QStringList, arguments);
        Recorded recorded;
        const QString counts = recorded.folder() + u"/counts.json"_s;
        QVERIFY(recorded.run(workload(), arguments + QStringList{u"--counts"_s, counts}, u"record=now shapes=1"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const ByThread expected = linesOf(readCounts(counts));
        QVERIFY(!expected.empty());
        QCOMPARE(explain(expected, linesOf(recorded.first()->slots())), QString());
    }

    void lateLibrary()
    {
        Recorded recorded;
        const QString counts = recorded.folder() + u"/counts.json"_s;
        const QString folder = QCoreApplication::applicationDirPath();
        QVERIFY(recorded.run(
            folder + u"/late-workload"_s, {folder + u"/torch-plugin.so"_s, u"50"_s, counts}, u"record=now shapes=1"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const ByThread expected = linesOf(readCounts(counts));
        QVERIFY(!expected.empty());
        QCOMPARE(explain(expected, linesOf(recorded.first()->slots())), QString());
    }

    void timesAreOrderedAndNested()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"train"_s, u"5"_s}, u"record=now"_s));
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            std::vector<wire::OpRecord> open; // records come in the order of their ends: children before parents
            uint64_t lastEnd = 0;
            for (const RecordedOp& op : slot.ops) {
                QVERIFY(op.record.start < op.record.end);
                QVERIFY(op.record.end >= lastEnd);
                lastEnd = op.record.end;
                while (!open.empty() && open.back().depth == op.record.depth + 1) {
                    QVERIFY(open.back().start > op.record.start);
                    open.pop_back();
                }
                open.push_back(op.record);
            }
        }
    }

    void tooDeepIsCounted()
    {
        Recorded recorded;
        const QString counts = recorded.folder() + u"/counts.json"_s;
        QVERIFY(recorded.run(workload(), {u"deep"_s, u"600"_s, u"--counts"_s, counts}, u"record=now"_s));
        const auto process = recorded.first();
        size_t written = 0;
        for (const RecordedSlot& slot : process->slots())
            written += slot.ops.size();
        QCOMPARE(written, size_t{wire::kOpenOps});
        const size_t counted = readCounts(counts).size();
        QCOMPARE(process->segments.front()->header().opsTooDeep.load(), counted - wire::kOpenOps);
    }

    void everyBlockIsFreed()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"memory"_s, u"1000"_s}, u"record=now memory=1"_s));
        std::map<uint64_t, int64_t> live;
        std::vector<wire::MemoryRecord> records;
        size_t threads = 0;
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            records.insert(records.end(), slot.memory.begin(), slot.memory.end());
            threads += slot.memory.size() > 1000 ? 1 : 0;
        }
        QCOMPARE(threads, size_t{2});
        std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
        size_t allocations = 0;
        size_t frees = 0;
        for (const wire::MemoryRecord& record : records) {
            if (record.bytes > 0) {
                QVERIFY(live.emplace(record.address, record.bytes).second);
                QVERIFY(record.head.name != 0); // inside aten::empty
                ++allocations;
            } else {
                QCOMPARE(live.erase(record.address), size_t{1});
                ++frees;
            }
        }
        QVERIFY(allocations >= 2000);
        QCOMPARE(frees, allocations);
    }

    void scopesThatEndElsewhere()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"elsewhere"_s, u"5"_s}, u"record=now"_s));
        std::multiset<uint64_t> begun;
        std::multiset<uint64_t> ended;
        size_t rounds = 0;
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            for (const RecordedAsync& async : slot.asyncOpen)
                begun.insert(async.record.key);
            for (const RecordedAsync& async : slot.asyncEnd)
                ended.insert(async.record.key);
            QVERIFY(slot.open.empty());
            for (const RecordedOp& op : slot.ops) {
                rounds += op.name == "round" ? 1 : 0;
                QVERIFY(op.name != "first");
                if (op.name == "round")
                    QCOMPARE(op.record.depth, uint16_t{0});
            }
        }
        QCOMPARE(rounds, size_t{5});
        QCOMPARE(ended.size(), size_t{5});
        QVERIFY(begun == ended);
    }

    void scriptedTasks()
    {
        Recorded recorded;
        const QString counts = recorded.folder() + u"/counts.json"_s;
        QVERIFY(recorded.run(workload(), {u"async"_s, u"200"_s, u"--counts"_s, counts}, u"record=now"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        std::map<std::string, size_t> expected;
        for (const CountedOp& op : readCounts(counts))
            ++expected[op.name];
        std::map<std::string, size_t> calls;
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            for (const RecordedOp& op : slot.ops)
                ++calls[op.name];
            for (const RecordedAsync& end : slot.asyncEnd)
                ++calls[end.name];
        }
        QVERIFY(expected.size() > 5);
        QVERIFY(calls == expected);
    }

    void scopesByMask()
    {
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"train"_s, u"3"_s}, u"record=now scopes=128"_s));
        std::map<std::string, size_t> calls;
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            for (const RecordedOp& op : slot.ops)
                ++calls[op.name];
        }
        QCOMPARE(calls["ProfilerStep#1"], size_t{1});
        QCOMPARE(calls["features"], size_t{3});
        QVERIFY(!calls.contains("aten::relu"));
    }

    void namesAreNotMixedUp()
    {
        Recorded recorded; // names of steps are made in memory that is used again and again
        QVERIFY(recorded.run(workload(), {u"steps"_s, u"60"_s}, u"record=now"_s));
        std::vector<std::string> names;
        const std::vector<RecordedSlot> slots = recorded.first()->slots();
        for (const RecordedOp& op : slots.front().ops) {
            if (op.record.head.scope == 7)
                names.push_back(op.name);
        }
        QCOMPARE(names.size(), size_t{60});
        for (size_t i = 0; i < names.size(); ++i)
            QCOMPARE(names[i], "ProfilerStep#" + std::to_string(i));
    }

private:
    [[nodiscard]] static QString workload() { return QCoreApplication::applicationDirPath() + u"/torch-workload"_s; }
};

QTEST_GUILESS_MAIN(TestAgentOperators)
#include "tst_agent_operators.moc"
