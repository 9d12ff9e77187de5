// When a view reads a trace that grows: its jobs and its pace together.

#include "common/background_job.h"
#include "common/growth_pace.h"

#include <QSemaphore>
#include <QTest>

#include <memory>

using namespace torchline;

namespace {

struct View {
    int refreshed = 0;
    int done = 0;
    QObject context;
    GrowthPace pace{[this] { ++refreshed; }};
    BackgroundJob first{&context, &pace};
    BackgroundJob second{&context, &pace};

    /// Runs until the gate lets it go on.
    void start(BackgroundJob& job, const std::shared_ptr<QSemaphore>& gate)
    {
        job.start(
            [gate](const std::stop_token&) {
                gate->acquire();
                return 0;
            },
            [this](int) { ++done; });
    }
};

void letAllPass()
{
    QTest::qWait(70); // longer than the least rest
}

} // namespace

class TestGrowthPace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsOnceAllHaveHeard()
    {
        View view;
        view.pace.wait();
        view.pace.wait();
        QCOMPARE(view.refreshed, 0);
        QTRY_COMPARE_WITH_TIMEOUT(view.refreshed, 1, 60'000);
        letAllPass();
        QCOMPARE(view.refreshed, 1);
    }

    void readsNothingWhileAJobRuns()
    {
        View view;
        const auto gate = std::make_shared<QSemaphore>();
        const auto later = std::make_shared<QSemaphore>();
        view.start(view.first, gate);
        view.start(view.second, later);
        view.pace.wait();
        letAllPass();
        QCOMPARE(view.refreshed, 0);
        gate->release();
        QTRY_COMPARE(view.done, 1);
        letAllPass();
        QCOMPARE(view.refreshed, 0); // the other one still does
        later->release();
        QTRY_COMPARE(view.done, 2);
        QCOMPARE(view.refreshed, 0); // it rests first
        QTRY_COMPARE_WITH_TIMEOUT(view.refreshed, 1, 60'000);
    }

    void aCancelledJobIsNotWaitedFor()
    {
        View view;
        const auto gate = std::make_shared<QSemaphore>();
        view.start(view.first, gate);
        view.pace.wait();
        view.first.cancel();
        QTRY_COMPARE_WITH_TIMEOUT(view.refreshed, 1, 60'000);
        QCOMPARE(view.done, 0);
        gate->release();
    }

    void startingAnewIsTheSameWork()
    {
        View view;
        const auto gate = std::make_shared<QSemaphore>();
        view.start(view.first, gate);
        view.pace.wait();
        view.start(view.first, gate);
        letAllPass();
        QCOMPARE(view.refreshed, 0);
        gate->release(2);
        QTRY_COMPARE_WITH_TIMEOUT(view.refreshed, 1, 60'000);
        QCOMPARE(view.done, 1);
    }

    void resetForgetsWhatIsDue()
    {
        View view;
        view.pace.wait();
        view.pace.reset();
        letAllPass();
        QCOMPARE(view.refreshed, 0);
    }

    void aViewMayGoWhileItShows()
    {
        auto view = std::make_unique<View>();
        bool isGone = false;
        view->first.start([](const std::stop_token&) { return 0; },
            [&](int) {
                view.reset();
                isGone = true;
            });
        QTRY_VERIFY(isGone);
        letAllPass();
    }
};

QTEST_MAIN(TestGrowthPace)
#include "tst_growth_pace.moc"
