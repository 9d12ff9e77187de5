#include "analysis/slow_steps.h"
#include "trace_fixture.h"

#include <QtTest>

using namespace torchline;

namespace {

constexpr int64_t us = 1000;

/// Steps one behind the other, each with a loader, a forward and a backward part of these lengths.
struct Part {
    int64_t loaderUs;
    int64_t forwardUs;
    int64_t backwardUs;
};

struct Run {
    std::shared_ptr<const TraceSnapshot> trace;
    std::vector<StepMark> steps;

    explicit Run(const std::vector<Part>& parts)
    {
        TraceFixture f;
        const uint32_t main = f.lane("1", "1");
        int64_t at = 0;
        int number = 0;
        for (const Part& part : parts) {
            const int64_t length = part.loaderUs + part.forwardUs + part.backwardUs + 10;
            f.annotation(main, "ProfilerStep#" + std::to_string(++number), at * us, length * us);
            if (part.loaderUs > 0)
                f.annotation(main, "enumerate(DataLoader)#next", at * us, part.loaderUs * us);
            const int64_t forward = at + part.loaderUs;
            f.annotation(main, "forward", forward * us, part.forwardUs * us);
            f.op(main, "aten::mm", forward * us, part.forwardUs * us / 2, 1); // inside: no cause of its own
            f.annotation(main, "backward", (forward + part.forwardUs) * us, part.backwardUs * us);
            at += length;
        }
        trace = f.snapshot();
        steps = profilerSteps(*trace);
    }
};

} // namespace

class TestSlowSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noneIsSlow()
    {
        const Run run({{10, 50, 30}, {11, 50, 30}, {10, 52, 30}});
        const SlowSteps found = slowSteps(*run.trace, run.steps, 100 * us);
        QCOMPARE(found.count, size_t{0});
        QVERIFY(!found.last.isValid());
        QVERIFY(slowSteps(*run.trace, {}, 0).cause.empty());
    }

    void theOneThatTookLongerIsToBlame()
    {
        const Run run({{10, 50, 30}, {80, 50, 30}, {10, 50, 30}, {10, 50, 30}, {60, 60, 30}, {10, 50, 30}});
        const SlowSteps found = slowSteps(*run.trace, run.steps, 100 * us);
        QCOMPARE(found.count, size_t{2});
        QCOMPARE(found.longestNs, 170 * us);
        QCOMPARE(found.last, run.steps[4].slice);
        QCOMPARE(found.cause, std::string("enumerate(DataLoader)#next"));
    }

    void whatOnlySlowStepsHaveIsToBlame()
    {
        const Run run({{0, 50, 30}, {0, 50, 30}, {90, 50, 30}, {0, 50, 30}});
        QCOMPARE(slowSteps(*run.trace, run.steps, 90 * us).cause, std::string("enumerate(DataLoader)#next"));
    }

    void severalCausesAreNone()
    {
        const Run different({{10, 50, 30}, {80, 50, 30}, {10, 50, 30}, {10, 120, 30}, {10, 50, 30}});
        const SlowSteps each = slowSteps(*different.trace, different.steps, 100 * us);
        QCOMPARE(each.count, size_t{2});
        QCOMPARE(each.cause, std::string());
        // A third each: no name has half of it.
        const Run spread({{10, 50, 30}, {10, 50, 30}, {40, 80, 60}, {10, 50, 30}});
        QCOMPARE(slowSteps(*spread.trace, spread.steps, 100 * us).cause, std::string());
    }

    void onlyTheLastAreComparedButAllAreCounted()
    {
        std::vector<Part> parts;
        for (size_t i = 0; i < 3 * SlowSteps::kMostCompared; ++i)
            parts.push_back(i < SlowSteps::kMostCompared ? Part{10, 150, 30}
                    : i % 2 == 0                         ? Part{80, 50, 30}
                                                         : Part{10, 50, 30});
        const Run run(parts);
        const SlowSteps found = slowSteps(*run.trace, run.steps, 100 * us);
        QCOMPARE(found.count, 2 * SlowSteps::kMostCompared);
        QCOMPARE(found.longestNs, 200 * us);
        QCOMPARE(found.cause, std::string("enumerate(DataLoader)#next"));
    }
};

QTEST_GUILESS_MAIN(TestSlowSteps)
#include "tst_slow_steps.moc"
