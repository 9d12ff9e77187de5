// Files, processes, lanes and slices are found again in another snapshot, whatever their numbers and order are there.

#include "model/same_slice.h"
#include "model/snapshot_delta.h"
#include "trace_fixture.h"

#include <QTest>

using namespace torchline;

namespace {

using Pool = std::shared_ptr<StringPool>;
using Store = std::shared_ptr<const FileStore>;

/// A process of a recording, or a file: one operator a thread.
Store process(const Pool& pool, const std::string& path, const std::string& pid, const std::vector<std::string>& tids,
    int64_t beginNs = 0)
{
    TraceFixture f(pool);
    f.info.path = path;
    f.info.baseTimeNs = 0;
    for (const std::string& tid : tids) {
        f.op(f.lane(pid, tid), "op " + pid + " " + tid, beginNs + 1000, 50);
        f.op(f.lane(pid, tid), "later " + pid + " " + tid, beginNs + 2000, 50);
    }
    return f.store();
}

std::shared_ptr<const TraceSnapshot> snapshot(const Pool& pool, std::vector<Store> stores)
{
    return TraceSnapshot::combine(pool, std::move(stores));
}

/// "pid/tid", in whichever file; "-" for none.
std::string lanesOf(const LaneMatch& match)
{
    std::string text;
    for (uint32_t l = 0; l < match.from().lanes().size(); ++l) {
        const std::optional<LaneId> lane = match.lane(LaneId(l));
        const auto name = [](const TraceSnapshot& trace, LaneId id) {
            return trace.file(trace.lane(id).fileIndex()).info.path + ":" + std::string(trace.pid(id)) + "/"
                + std::string(trace.tid(id));
        };
        text += name(match.from(), LaneId(l)) + (lane ? " is " + name(match.to(), *lane) : " is gone") + "\n";
    }
    return text;
}

void compareNames(const LaneMatch& match)
{
    for (uint32_t l = 0; l < match.from().lanes().size(); ++l) {
        for (uint32_t i = 0; i < match.from().lane(LaneId(l)).size(); ++i) {
            const SliceRef slice{LaneId(l), i};
            const SliceRef now = sameSlice(match, slice);
            QVERIFY(now.isValid());
            QCOMPARE(match.to().text(match.to().name(now)), match.from().text(match.from().name(slice)));
        }
    }
}

} // namespace

class TestLaneMatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The file of a process lies before that of another once it has records.
    void aProcessOfARecordingBeginsLater()
    {
        const Pool pool = std::make_shared<StringPool>();
        const Store other = process(pool, "run", "7", {"7", "8"}, 500);
        const auto before = snapshot(pool, {other});
        const auto now = snapshot(pool, {process(pool, "run", "5", {"5", "8"}), other});
        const LaneMatch match(*before, *now);
        QCOMPARE(lanesOf(match), std::string("run:7/7 is run:7/7\nrun:7/8 is run:7/8\n"));
        QCOMPARE(match.file(0), std::optional(1u));
        compareNames(match);
        QVERIFY(!haveSameLanes(*before, *now));
        QCOMPARE(match.group(0), std::optional(1u));
        QCOMPARE(now->groups()[1].fileIndex, 1u);
        // The axis begins with what is earlier than all that was there.
        QCOMPARE(shiftBetween(match), int64_t{500});
        QCOMPARE(before->startNs({LaneId(0), 0}) + 500, now->startNs(sameSlice(match, {LaneId(0), 0})));

        SliceMask marked(*before);
        marked.insert({LaneId(1), 1});
        const SliceMask again = sameSlices(*before, marked, *now);
        QCOMPARE(again.count(), uint64_t{1});
        QVERIFY(again.contains(sameSlice(match, {LaneId(1), 1})));
    }

    void blocksOfAnotherFileOrderAreKnown()
    {
        const Pool pool = std::make_shared<StringPool>();
        const Store first = process(pool, "run", "7", {"7"});
        const auto before = snapshot(pool, {first});
        const auto now = snapshot(pool, {process(pool, "run", "5", {"7"}, 100), first});
        const SnapshotDelta delta(*before, *now);
        QCOMPARE(delta.laneBefore(LaneId(1)), std::optional(LaneId(0)));
        QVERIFY(delta.isSame(LaneId(1)));
        QVERIFY(delta.isSameBlock(LaneId(1), 0));
        QVERIFY(!delta.laneBefore(LaneId(0)));
    }

    void filesInAnotherOrder()
    {
        const Pool pool = std::make_shared<StringPool>();
        const Store a = process(pool, "a.json", "1", {"1", "2"});
        const Store b = process(pool, "b.json", "1", {"2", "1"});
        const auto was = snapshot(pool, {a, b});
        const auto is = snapshot(pool, {b, a});
        const LaneMatch match(*was, *is);
        QCOMPARE(lanesOf(match),
            std::string("a.json:1/1 is a.json:1/1\na.json:1/2 is a.json:1/2\nb.json:1/2 is b.json:1/2\n"
                        "b.json:1/1 is b.json:1/1\n"));
        QCOMPARE(match.group(0), std::optional(1u));
        QVERIFY(!haveSameLanes(*was, *is));
        QVERIFY(haveSameLanes(*was, *was));
    }

    void filesOfOneNameGoInOrder()
    {
        const Pool pool = std::make_shared<StringPool>();
        const Store a = process(pool, "a.json", "1", {"1"});
        const Store b = process(pool, "a.json", "1", {"1"});
        const auto trace = snapshot(pool, {a, b});
        const LaneMatch match(*trace, *trace);
        QCOMPARE(match.lane(LaneId(0)), std::optional(LaneId(0)));
        QCOMPARE(match.lane(LaneId(1)), std::optional(LaneId(1)));
    }

    void namesFindFiles_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("found");
        const auto row = [](const char* name, const QByteArray& from, const QByteArray& to, const QByteArray& found) {
            QTest::newRow(name) << from << to << found;
        };
        row("the same", "/a/x . 1", "/a/x . 1", "0");
        row("another first process", "/a/x . 1", "/a/x . 2", "0");
        row("which process", "run . 1,run . 2", "run . 2,run . 1", "1,0");
        row("one gone, one new", "run . 1,run . 2", "run . 2,run . 3", "1,0");
        row("moved", "/a/x . 1,/a/y . 1", "/b/y . 1,/b/x . 1", "1,0");
        row("moved and not", "/a/x . 1,/b/x . 1", "/b/x . 1", "-,0");
        row("members", "/z one 1,/z two 1", "/z two 1,/z one 1", "1,0");
        row("another member", "/z one 1", "/z two 1", "-");
        row("others", "/a/x . 1", "/a/y . 1", "-");
    }
    void namesFindFiles()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QByteArray, found);
        const auto names = [](const QByteArray& text) {
            std::vector<FileName> files;
            for (const QByteArray& file : text.split(',')) {
                const QList<QByteArray> parts = file.split(' ');
                files.push_back({parts[0].toStdString(), parts[1].toStdString(), parts[2].toStdString()});
            }
            return files;
        };
        QByteArrayList numbers;
        for (const std::optional<uint32_t> file : matchedFiles(names(from), names(to)))
            numbers.push_back(file ? QByteArray::number(*file) : QByteArray("-"));
        QCOMPARE(numbers.join(','), found);
    }

    void aStreamIsNoThread()
    {
        TraceFixture f;
        f.op(f.lane("7", "7"), "aten::mm", 0, 50);
        f.kernel(f.lane("7", "7"), "gemm", 100, 50, 1);
        const auto trace = f.snapshot();
        QCOMPARE(trace->lanes().size(), size_t{2});
        const LaneMatch match(*trace, *trace);
        const LaneNames names(*trace);
        for (const bool isDevice : {false, true}) {
            const std::optional<LaneId> lane = names.lane(0, "7", "7", isDevice);
            QVERIFY(lane);
            QCOMPARE(trace->lane(*lane).isDevice(), isDevice);
            QCOMPARE(match.lane(*lane), lane);
            QVERIFY(names.group(0, "7", isDevice));
        }
        QVERIFY(names.group(0, "7", false) != names.group(0, "7", true));
        QVERIFY(!names.lane(0, "7", "8", false));
        QVERIFY(!names.lane(1, "7", "7", false));
    }
};

QTEST_GUILESS_MAIN(TestLaneMatch)
#include "tst_lane_match.moc"
