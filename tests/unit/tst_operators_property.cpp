// Totals against the definitions of the README, computed slice by slice without any of the code under test.
#include "analysis/operators.h"
#include "trace_fixture.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

using namespace torchline;

namespace {

struct Slice {
    SliceRef ref;
    int64_t startNs = 0;
    int64_t endNs = 0;
    std::string name;
    bool isOp = false;
    int parent = -1; ///< in the list
};

/// Operators and calls of all lanes; the parent is the last slice of the lane that a slice lies in.
std::vector<Slice> hostSlices(const TraceSnapshot& trace)
{
    std::vector<Slice> all;
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lanes()[l];
        const size_t begin = all.size();
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (!isOperator(lane.kind(i)) && !isCall(lane.kind(i)))
                continue;
            Slice slice{{LaneId(l), i}, lane.startNs(i), lane.endNs(i), std::string(trace.text(lane.name(i))),
                isOperator(lane.kind(i))};
            for (size_t k = begin; k < all.size(); ++k) {
                if (slice.startNs >= all[k].startNs && slice.startNs < all[k].endNs && slice.endNs <= all[k].endNs)
                    slice.parent = static_cast<int>(k);
            }
            all.push_back(slice);
        }
    }
    return all;
}

struct Figures {
    int64_t calls = 0;
    int64_t selfNs = 0;
    int64_t totalNs = 0;
    int64_t selfWorkNs = 0;
    int64_t workNs = 0;
};

std::map<std::string, Figures> byDefinition(const TraceSnapshot& trace, const SliceMask* scope)
{
    const std::vector<Slice> slices = hostSlices(trace);
    const auto isIn = [&](const Slice& s) { return s.isOp && (scope == nullptr || scope->contains(s.ref)); };
    std::map<std::string, Figures> rows;
    for (const Slice& slice : slices) {
        if (!isIn(slice))
            continue;
        Figures& row = rows[slice.name];
        ++row.calls;
        int64_t childNs = 0;
        for (const Slice& child : slices) {
            if (child.parent >= 0 && slices[static_cast<size_t>(child.parent)].ref == slice.ref)
                childNs += child.endNs - child.startNs;
        }
        row.selfNs += std::max<int64_t>(0, slice.endNs - slice.startNs - childNs);
        bool isOutermost = true;
        for (int p = slice.parent; p >= 0; p = slices[static_cast<size_t>(p)].parent) {
            const Slice& around = slices[static_cast<size_t>(p)];
            isOutermost = isOutermost && !(isIn(around) && around.name == slice.name);
        }
        if (isOutermost)
            row.totalNs += slice.endNs - slice.startNs;
    }
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
            if (!isDeviceWork(trace.lanes()[l].kind(i)))
                continue;
            const SliceRef owner = trace.ownerOf({LaneId(l), i});
            const int64_t durationNs = trace.lanes()[l].durationNs(i);
            for (const Slice& slice : slices) {
                if (slice.ref != owner)
                    continue;
                if (isIn(slice))
                    rows[slice.name].selfWorkNs += durationNs;
                std::set<std::string> around;
                for (const Slice* s = &slice; s != nullptr;
                     s = s->parent < 0 ? nullptr : &slices[static_cast<size_t>(s->parent)]) {
                    if (isIn(*s))
                        around.insert(s->name);
                }
                for (const std::string& name : around)
                    rows[name].workNs += durationNs;
            }
        }
    }
    return rows;
}

std::string keyOf(const std::string& name, RowKind kind, OperatorTotals totals)
{
    return totals == OperatorTotals::Once ? name : name + ' ' + std::string(rowKindText(kind));
}

/// An event of torch.profiler's list.
struct Event {
    SliceRef ref;
    int64_t startNs = 0;
    int64_t endNs = 0;
    std::string name;
    RowKind kind = RowKind::Op;
    LaneId lane; ///< where it nests; invalid: nowhere
    int64_t workNs = 0; ///< its kernels
    int parent = -1;
    std::vector<int> children;
    bool isDeleted = false;
};

/// The operator that a call is linked to; invalid: none.
SliceRef linkedOperator(const TraceSnapshot& trace, SliceRef call)
{
    const Lane& lane = trace.lane(call.lane);
    const uint32_t id = lane.externalId(call.index);
    SliceRef nearest;
    for (uint32_t l = 0; id != 0 && l < trace.lanes().size(); ++l) {
        for (uint32_t i = 0; i < trace.lanes()[l].size(); ++i) {
            const SliceRef op{LaneId(l), i};
            if (!isOperator(trace.kind(op)) || trace.lanes()[l].externalId(i) != id)
                continue;
            const bool isAround = op.lane == call.lane && trace.startNs(op) <= trace.startNs(call)
                && trace.startNs(call) < trace.endNs(op) && trace.endNs(call) <= trace.endNs(op);
            if (isAround)
                return op;
            if (id != lane.correlation(call.index) && trace.startNs(op) <= trace.startNs(call)
                && (!nearest.isValid() || trace.startNs(op) >= trace.startNs(nearest)))
                nearest = op;
        }
    }
    return nearest;
}

/// key_averages() as torch computes it: a list of events, deleted from until nothing changes.
std::map<std::string, Figures> byTorch(const TraceSnapshot& trace, int* deleted)
{
    std::vector<Event> events;
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const Lane& lane = trace.lanes()[l];
        for (uint32_t i = 0; i < lane.size(); ++i) {
            Event event{{LaneId(l), i}, lane.startNs(i), lane.endNs(i), std::string(trace.text(lane.name(i))),
                RowKind::Op, LaneId(l), 0, -1, {}, false};
            if (isCall(lane.kind(i))) {
                event.kind = RowKind::Runtime;
                const SliceRef op = linkedOperator(trace, event.ref);
                event.lane = op.isValid() ? op.lane : LaneId();
            } else if (lane.kind(i) == SliceKind::UserAnnotation) {
                event.kind = RowKind::Annotation;
            } else if (isDeviceWork(lane.kind(i))) {
                event.kind = RowKind::Device;
            } else if (lane.kind(i) != SliceKind::CpuOp) {
                continue;
            }
            events.push_back(event);
        }
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        const bool isVisitor = a.ref.lane != a.lane; // a call put on another lane comes after what was there
        return std::tuple(a.startNs, -a.endNs, isVisitor) < std::tuple(b.startNs, -b.endNs, b.ref.lane != b.lane);
    });
    for (size_t e = 0; e < events.size(); ++e) {
        Event& event = events[e];
        if (event.kind == RowKind::Device) {
            const SliceRef owner = trace.ownerOf(event.ref);
            for (Event& other : events) {
                if (other.ref == owner)
                    other.workNs += event.endNs - event.startNs;
            }
            continue;
        }
        for (size_t k = 0; event.lane.isValid() && k < e; ++k) {
            const Event& around = events[k];
            if (around.lane == event.lane && around.kind != RowKind::Device && event.startNs < around.endNs
                && event.endNs <= around.endNs)
                event.parent = static_cast<int>(k);
        }
        if (event.parent >= 0)
            events[static_cast<size_t>(event.parent)].children.push_back(static_cast<int>(e));
    }
    for (bool isChanged = true; isChanged;) {
        isChanged = false;
        for (Event& event : events) {
            if (event.isDeleted || event.parent < 0)
                continue;
            Event& parent = events[static_cast<size_t>(event.parent)];
            if (parent.name != event.name || parent.children.size() != 1)
                continue;
            parent.children = event.children;
            parent.workNs = event.workNs;
            for (const int child : event.children)
                events[static_cast<size_t>(child)].parent = event.parent;
            event.isDeleted = true;
            ++*deleted;
            isChanged = true;
        }
    }
    std::map<std::string, Figures> rows;
    for (size_t e = events.size(); e-- > 0;) {
        Event& event = events[e];
        if (event.isDeleted)
            continue;
        Figures& row = rows[keyOf(event.name, event.kind, OperatorTotals::Torch)];
        ++row.calls;
        const int64_t durationNs = event.endNs - event.startNs;
        if (event.kind == RowKind::Device) {
            row.selfWorkNs += durationNs;
            row.workNs += durationNs;
            continue;
        }
        row.totalNs += durationNs;
        row.selfNs += durationNs;
        row.selfWorkNs += event.workNs;
        for (const int child : event.children) {
            const Event& inner = events[static_cast<size_t>(child)];
            row.selfNs -= inner.endNs - inner.startNs;
            event.workNs += inner.workNs; // of a child: its total by now
        }
        row.workNs += event.workNs;
    }
    return rows;
}

std::map<std::string, Figures> byProgram(const TraceSnapshot& trace, OperatorTotals totals, const SliceMask* scope)
{
    OperatorOptions options;
    options.totals = totals;
    std::map<std::string, Figures> rows;
    const Result<OperatorTable> table = operatorTable(trace, options, scope);
    if (!table)
        return {{"failed", {}}};
    for (const OperatorRow& row : table->rows)
        rows[keyOf(row.name, row.kind, totals)]
            = {row.calls, row.selfCpuNs, row.cpuTotalNs, row.selfCudaNs, row.cudaTotalNs};
    return rows;
}

std::string textOf(const std::map<std::string, Figures>& rows)
{
    std::string text;
    for (const auto& [name, row] : rows) {
        text += name + ':';
        for (const int64_t figure : {row.calls, row.selfNs, row.totalNs, row.selfWorkNs, row.workNs})
            text += ' ' + std::to_string(figure);
        text += '\n';
    }
    return text;
}

std::shared_ptr<const TraceSnapshot> randomTrace(uint32_t seed, bool withCrossing)
{
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<int64_t>(random() % n); };
    TraceFixture f;
    const std::vector<uint32_t> threads{f.lane("1", "1"), f.lane("1", "2")};
    const uint32_t stream = f.lane("0", "7");
    uint32_t id = 0;
    uint32_t correlation = 1000;
    // Spans to be cut up: what is put into one may lie in it or stick out.
    struct Span {
        uint32_t lane;
        int64_t beginNs;
        int64_t endNs;
    };
    std::vector<Span> open{{threads[0], 0, 4000}, {threads[1], 100, 3000}};
    for (int i = 0; i < 60; ++i) {
        const Span around = open[static_cast<size_t>(below(static_cast<uint32_t>(open.size())))];
        const int64_t beginNs = around.beginNs + below(static_cast<uint32_t>(around.endNs - around.beginNs + 1));
        const int64_t lastNs = withCrossing && below(4) == 0 ? around.endNs + 100 : around.endNs;
        const int64_t endNs = beginNs + below(static_cast<uint32_t>(std::max<int64_t>(lastNs - beginNs, 0) + 1));
        const std::string name = "op" + std::to_string(below(4));
        const int64_t kind = below(6);
        if (kind == 0) {
            const uint32_t owner = static_cast<uint32_t>(below(id + 1));
            f.call(around.lane, "launch", beginNs, endNs - beginNs, ++correlation, owner);
            f.kernel(stream, "k", 5000 + i * 50, below(60), correlation, below(2) == 0 ? owner : 0);
        } else if (kind == 1) {
            f.annotation(around.lane, name, beginNs, endNs - beginNs, ++id);
            open.push_back({around.lane, beginNs, endNs});
        } else if (kind == 2) {
            f.python(around.lane, name, beginNs, endNs - beginNs);
        } else {
            f.op(around.lane, name, beginNs, endNs - beginNs, ++id);
            open.push_back({around.lane, beginNs, endNs});
        }
    }
    return f.snapshot();
}

} // namespace

class TestOperatorsProperty : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onceTotalsFollowTheDefinition_data();
    void onceTotalsFollowTheDefinition();
    void torchTotalsFollowTheAlgorithm_data();
    void torchTotalsFollowTheAlgorithm();
};

void TestOperatorsProperty::onceTotalsFollowTheDefinition_data()
{
    QTest::addColumn<bool>("withCrossing");
    QTest::newRow("nested") << false;
    QTest::newRow("crossing") << true;
}

void TestOperatorsProperty::onceTotalsFollowTheDefinition()
{
    QFETCH(bool, withCrossing);
    for (uint32_t seed = 1; seed <= 100; ++seed) {
        const auto trace = randomTrace(seed, withCrossing);
        const std::string whole = textOf(byProgram(*trace, OperatorTotals::Once, nullptr));
        QVERIFY2(whole == textOf(byDefinition(*trace, nullptr)), std::to_string(seed).c_str());

        SliceMask scope(*trace);
        std::mt19937 random(seed);
        for (uint32_t l = 0; l < trace->lanes().size(); ++l) {
            for (uint32_t i = 0; i < trace->lanes()[l].size(); ++i) {
                if (random() % 3 != 0)
                    scope.insert({LaneId(l), i});
            }
        }
        const std::string narrowed = textOf(byProgram(*trace, OperatorTotals::Once, &scope));
        QVERIFY2(narrowed == textOf(byDefinition(*trace, &scope)), std::to_string(seed).c_str());
    }
}

void TestOperatorsProperty::torchTotalsFollowTheAlgorithm_data()
{
    onceTotalsFollowTheDefinition_data();
}

void TestOperatorsProperty::torchTotalsFollowTheAlgorithm()
{
    QFETCH(bool, withCrossing);
    int folded = 0;
    for (uint32_t seed = 1; seed <= 300; ++seed) {
        const auto trace = randomTrace(seed, withCrossing);
        const std::string wanted = textOf(byTorch(*trace, &folded));
        const std::string got = textOf(byProgram(*trace, OperatorTotals::Torch, nullptr));
        QVERIFY2(got == wanted, (std::to_string(seed) + '\n' + got + "instead of\n" + wanted).c_str());
    }
    QVERIFY2(folded > 200, std::to_string(folded).c_str());
}

QTEST_GUILESS_MAIN(TestOperatorsProperty)
#include "tst_operators_property.moc"
