// What a drawn range, a step and a lane hold: the window's figures are those of torchline-cli and of brute force.

#include "window_session.h"

#include "details/details_pane.h"
#include "operators/table_pane.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

#include <map>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

using Key = std::pair<std::string, std::string>; // name, kind
using Figures = std::map<Key, std::vector<int64_t>>; // count, sum, mean, min, median, max

std::vector<int64_t> figuresOf(std::vector<int64_t> durations)
{
    std::ranges::sort(durations);
    const auto count = static_cast<int64_t>(durations.size());
    int64_t sum = 0;
    for (const int64_t ns : durations)
        sum += ns;
    const size_t half = durations.size() / 2;
    const int64_t median = count % 2 != 0 ? durations[half] : divideHalfEven(durations[half - 1] + durations[half], 2);
    return {count, sum, divideHalfEven(sum, count), durations.front(), median, durations.back()};
}

/// From `torchline-cli dump`: slices by name and category, whole durations.
std::map<std::string, std::vector<int64_t>> dumped(const QStringList& options)
{
    QProcess cli;
    cli.start(QString::fromUtf8(TORCHLINE_CLI), QStringList{u"dump"_s, QStringLiteral(TORCHLINE_SAMPLE)} + options);
    std::map<std::string, std::vector<int64_t>> durations;
    if (!cli.waitForFinished(120'000) || cli.exitCode() != 0)
        return durations;
    const QJsonDocument document = QJsonDocument::fromJson(cli.readAllStandardOutput());
    for (const QJsonValue& slice : document[u"slices"_s].toArray())
        durations[slice[u"name"_s].toString().toStdString()].push_back(
            std::llround(slice[u"dur_us"_s].toDouble() * 1000));
    return durations;
}

Figures bruteForce(const TraceSnapshot& trace, const std::function<bool(SliceRef)>& isIn)
{
    std::map<std::pair<std::string, int>, std::vector<int64_t>> durations;
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lane(LaneId(l)).size(); ++i) {
            const SliceRef slice{LaneId(l), i};
            if (isIn(slice))
                durations[{std::string(trace.text(trace.name(slice))), static_cast<int>(trace.kind(slice))}].push_back(
                    trace.durationNs(slice));
        }
    }
    constexpr std::array kKinds{"other", "op", "annotation", "python", "runtime", "driver", "kernel", "memcpy",
        "memset", "sync", "device_annotation", "overhead"};
    Figures figures;
    for (auto& [key, list] : durations)
        figures[{key.first, kKinds[static_cast<size_t>(key.second)]}] = figuresOf(std::move(list));
    return figures;
}

Figures shown(const Table& table)
{
    Figures figures;
    const auto at = [&](const std::vector<Cell>& row, const char* key) { return row[*table.columnOf(key)]; };
    for (const std::vector<Cell>& row : table.rows) {
        std::vector<int64_t>& out
            = figures[{std::get<std::string>(at(row, "name")), std::get<std::string>(at(row, "kind"))}];
        out.push_back(std::get<int64_t>(at(row, "calls")));
        for (const char* key : {"total_us", "avg_us", "min_us", "median_us", "max_us"})
            out.push_back(std::get<TimeCell>(at(row, key)).ns);
    }
    return figures;
}

struct Bench : WindowSession {
    Bench()
    {
        open(QStringLiteral(TORCHLINE_SAMPLE));
        window.workspace().showPane(Pane::Slices);
        settle();
    }
    void settle()
    {
        QTest::qWait(200); // a range being drawn is left alone for a moment
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled() && pane().table() != nullptr && !pane().isBusy(), 60'000);
    }
    [[nodiscard]] TablePane& pane() { return *window.workspace().table(Pane::Slices); }
    /// Count and sum by name, whatever the kind.
    [[nodiscard]] std::map<std::string, std::vector<int64_t>> byName()
    {
        std::map<std::string, std::vector<int64_t>> out;
        for (const auto& [key, figures] : shown(*pane().table())) {
            std::vector<int64_t>& sums = out[key.first];
            sums.resize(2);
            sums[0] += figures[0];
            sums[1] += figures[1];
        }
        return out;
    }
};

std::map<std::string, std::vector<int64_t>> sumsOf(const std::map<std::string, std::vector<int64_t>>& durations)
{
    std::map<std::string, std::vector<int64_t>> out;
    for (const auto& [name, list] : durations) {
        const std::vector<int64_t> figures = figuresOf(list);
        out[name] = {figures[0], figures[1]};
    }
    return out;
}

} // namespace

class TestRangeFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDrawnRangeHoldsWhatStartsInIt()
    {
        Bench b;
        QWidget& lanes = *b.timeline().viewport();
        for (const auto& [from, to] : {std::pair(400, 900), std::pair(1000, 1010), std::pair(1400, 500)}) {
            b.drag(lanes, {from, 60}, {to, 70});
            QVERIFY(b.state().range().has_value());
            const TimeRange range = *b.state().range();
            b.settle();
            const TraceSnapshot& trace = *b.state().trace();
            const Figures expected
                = bruteForce(trace, [&](SliceRef slice) { return range.contains(trace.startNs(slice)); });
            QVERIFY(shown(*b.pane().table()) == expected);
            const QString option = u"%1ns..%2ns"_s.arg(range.beginNs).arg(range.endNs);
            const auto told = dumped({u"--range"_s, option});
            QCOMPARE(told.empty(), expected.empty());
            QVERIFY(b.byName() == sumsOf(told));

            // The details say the same of all of it.
            std::vector<int64_t> all;
            for (const auto& [name, list] : told)
                all.insert(all.end(), list.begin(), list.end());
            auto* details = b.window.findChild<DetailsPane*>();
            QTRY_VERIFY(details->marked().has_value() && !details->isBusy());
            const MarkFacts& marked = *details->marked();
            QCOMPARE(marked.count, all.size());
            const std::vector<int64_t> figures = figuresOf(all);
            QCOMPARE(marked.sumNs, figures[1]);
            QCOMPARE(marked.minNs, figures[3]);
            QCOMPARE(marked.medianNs, figures[4]);
            QCOMPARE(marked.maxNs, figures[5]);
        }
    }

    void theRangeBecomesTheScopeWithOneKey()
    {
        Bench b;
        b.drag(*b.timeline().viewport(), {500, 60}, {900, 70});
        const TimeRange range = *b.state().range();
        QTest::keyClick(&b.timeline(), Qt::Key_R);
        QCOMPARE(b.state().scope().range, std::optional(range));
        b.state().setRange(std::nullopt);
        b.settle();
        QVERIFY(b.byName() == sumsOf(dumped({u"--range"_s, u"%1ns..%2ns"_s.arg(range.beginNs).arg(range.endNs)})));
    }

    void aStepAsScopeHoldsWhatTheCommandLineSays()
    {
        Bench b;
        const auto& bars = b.steps().bars();
        QTest::mouseClick(&b.steps(), Qt::LeftButton, Qt::ShiftModifier, bars[3].rect.center());
        QVERIFY(b.state().scope().step.has_value());
        b.settle();
        QVERIFY(b.byName() == sumsOf(dumped({u"--step"_s, QString::number(*b.state().scope().step)})));
    }

    void aLaneAsScopeHoldsItsSlices()
    {
        Bench b;
        const TraceSnapshot& trace = *b.state().trace();
        for (const LaneId lane : trace.laneOrder()) {
            b.timeline().scopeToLane(lane);
            b.settle();
            const Figures expected = bruteForce(trace, [&](SliceRef slice) { return slice.lane == lane; });
            QVERIFY(shown(*b.pane().table()) == expected);
            QVERIFY(b.byName() == sumsOf(dumped({u"--filter"_s, QString::fromStdString(b.state().scope().filter)})));
        }
    }

    void anAnnotationAsScopeHoldsWhatStartsInsideAllOfItsName_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"DistributedDataParallel.forward", "Optimizer.step#AdamW.step", "nccl:all_reduce",
                 "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "ProfilerStep#5"})
            QTest::newRow(name) << QByteArray(name);
    }

    void anAnnotationAsScopeHoldsWhatStartsInsideAllOfItsName()
    {
        QFETCH(QByteArray, name);
        Bench b;
        const TraceSnapshot& trace = *b.state().trace();
        std::vector<TimeRange> occurrences;
        SliceRef one;
        for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
            for (uint32_t i = 0; i < trace.lane(LaneId(l)).size(); ++i) {
                const SliceRef slice{LaneId(l), i};
                if (trace.kind(slice) != SliceKind::UserAnnotation
                    || trace.text(trace.name(slice)) != name.toStdString())
                    continue;
                occurrences.push_back({trace.startNs(slice), trace.endNs(slice)});
                one = slice;
            }
        }
        QVERIFY(one.isValid());
        const auto isIn = [&](SliceRef slice) {
            return std::ranges::any_of(
                occurrences, [&](const TimeRange& range) { return range.contains(trace.startNs(slice)); });
        };
        b.state().select(one);
        QTest::keyClick(&b.timeline(), Qt::Key_I);
        QCOMPARE(b.state().scope().annotation, std::optional(name.toStdString()));
        b.state().select({});
        b.settle();
        const Figures expected = bruteForce(trace, isIn);
        QVERIFY(!expected.empty());
        QVERIFY(shown(*b.pane().table()) == expected);
        QVERIFY(b.byName() == sumsOf(dumped({u"--annotation"_s, QString::fromUtf8(name)})));
    }

    void theWholeTraceHoldsEverything()
    {
        Bench b;
        const Figures expected = bruteForce(*b.state().trace(), [](SliceRef) { return true; });
        QVERIFY(shown(*b.pane().table()) == expected);
    }
};

QTEST_MAIN(TestRangeFigures)
#include "tst_range_figures.moc"
