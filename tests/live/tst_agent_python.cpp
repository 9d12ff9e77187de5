// A Python program under torch.profiler and the agent at once: both saw the same.

#include "recorded.h"

#include <QFile>
#include <QtTest>

#include <algorithm>
#include <map>

using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

/// "[2, 3]6;;[]6;" as torch.profiler has it: "2,3;;"
std::string withoutDtypes(const std::string& shapes)
{
    std::string out;
    bool inside = false;
    for (const char c : shapes) {
        if (c == '[' || c == ']')
            inside = c == '[';
        else if (c == ';' || (inside && c != ' '))
            out += c;
    }
    return out.empty() ? out : out.substr(0, out.size() - 1);
}

struct Seen {
    std::vector<std::string> operators;
    std::vector<int64_t> sizes;
    int64_t peak = 0;
};

/// torch.profiler gives an evaluate_function the number of the node that it runs.
int64_t sequenceOf(const std::vector<RecordedOp>& ops, std::vector<RecordedOp>::const_iterator op)
{
    const std::string prefix = "autograd::engine::evaluate_function: ";
    const auto child = op + 1;
    const bool runsChild = child != ops.end() && op->name == prefix + child->name;
    return runsChild ? child->record.sequence : op->record.sequence;
}

/// What the agent recorded on the thread of "measured", from its beginning to its end.
Seen seenInside(const RecordedSlot& slot)
{
    Seen out;
    std::vector<RecordedOp> ops = slot.ops;
    std::sort(ops.begin(), ops.end(),
        [](const RecordedOp& a, const RecordedOp& b) { return a.record.start < b.record.start; });
    const auto whole = std::find_if(ops.begin(), ops.end(), [](const RecordedOp& op) { return op.name == "measured"; });
    if (whole == ops.end())
        return out;
    for (auto op = whole; op != ops.end() && op->record.end <= whole->record.end; ++op) {
        out.operators.push_back(std::to_string(op->record.depth - whole->record.depth) + ' ' + op->name + ' '
            + std::to_string(sequenceOf(ops, op)) + ' ' + withoutDtypes(op->shapes));
    }
    std::map<uint64_t, int64_t> live;
    int64_t current = 0;
    for (const wire::MemoryRecord& record : slot.memory) {
        if (record.time < whole->record.start || record.time > whole->record.end)
            continue;
        if (record.bytes > 0) {
            out.sizes.push_back(record.bytes);
            live[record.address] = record.bytes;
            current += record.bytes;
            out.peak = std::max(out.peak, current);
        } else if (const auto block = live.find(record.address); block != live.end()) {
            current -= block->second;
            live.erase(block);
        }
    }
    return out;
}

QString firstDifference(const std::vector<std::string>& expected, const std::vector<std::string>& actual)
{
    for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
        const std::string a = i < expected.size() ? expected[i] : "-";
        const std::string b = i < actual.size() ? actual[i] : "-";
        if (a != b)
            return u"operator %1\n  torch.profiler: %2\n  recorded:       %3"_s.arg(i).arg(
                QString::fromStdString(a), QString::fromStdString(b));
    }
    return {};
}

} // namespace

class TestAgentPython : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QProcess look;
        look.start(
            python(), {u"-c"_s, u"import importlib.util, sys; sys.exit(not importlib.util.find_spec('torch'))"_s});
        if (!look.waitForFinished() || look.exitCode() != 0)
            QSKIP("Python has no torch");
    }

    void equalToTorchProfiler()
    {
        Recorded recorded;
        const QString file = recorded.folder() + u"/seen.json"_s;
        QVERIFY(recorded.run(python(), {QStringLiteral(TORCHLINE_PROFILED), file}, u"record=now shapes=1 memory=1"_s));
        QVERIFY2(recorded.program().exitCode() == 0, recorded.program().readAll().constData());
        QFile json(file);
        QVERIFY(json.open(QIODevice::ReadOnly));
        const QByteArray text = json.readAll();
        const nlohmann::json profiler = nlohmann::json::parse(text.begin(), text.end());

        Seen seen;
        for (const RecordedSlot& slot : recorded.first()->slots()) {
            QCOMPARE(slot.dropped, uint64_t{0});
            if (Seen found = seenInside(slot); !found.operators.empty())
                seen = std::move(found);
        }
        const auto expected = profiler.at("operators").get<std::vector<std::string>>();
        QVERIFY(expected.size() > 1000);
        QCOMPARE(firstDifference(expected, seen.operators), QString());
        QCOMPARE(seen.sizes, profiler.at("sizes").get<std::vector<int64_t>>());
        QCOMPARE(seen.peak, profiler.at("peak").get<int64_t>());
        QVERIFY(seen.peak > 0);
    }

private:
    [[nodiscard]] static QString python() { return u"/usr/bin/python3"_s; }
};

QTEST_GUILESS_MAIN(TestAgentPython)
#include "tst_agent_python.moc"
