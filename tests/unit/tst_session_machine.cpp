// What leads from one phase of a recording to the next.

#include "capture/session_machine.h"

#include <QTest>

using namespace torchline::capture;

class TestSessionMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesFromPhaseToPhase_data()
    {
        using enum Phase;
        using enum SessionEvent;
        QTest::addColumn<std::vector<SessionEvent>>("events");
        QTest::addColumn<Phase>("expected");
        const auto row = [](const char* name, std::vector<SessionEvent> events, Phase expected) {
            QTest::newRow(name) << std::move(events) << expected;
        };
        row("nothing", {}, Idle);
        row("launch", {Launched}, Connecting);
        row("refused", {LaunchFailed}, Failed);
        row("found", {Launched, Found}, Waiting);
        row("records before it is told that it is bound", {Launched, AgentsRecord}, Recording);
        row("schedule", {Launched, Found, AgentsWait, AgentsWarmUp}, Warmup);
        row("schedule records", {Launched, Found, AgentsWarmUp, AgentsRecord}, Recording);
        row("schedule waits for the next round", {Launched, Found, AgentsRecord, AgentsWait}, Waiting);
        row("a second process", {Launched, Found, AgentsRecord, Found}, Recording);
        row("pause", {Launched, Found, AgentsRecord, PauseAsked}, Paused);
        row("pause outlasts who waits", {Launched, Found, AgentsRecord, PauseAsked, AgentsWait, Found}, Paused);
        row("on again", {Launched, Found, AgentsRecord, PauseAsked, AgentsRecord}, Recording);
        row("stop", {Launched, Found, AgentsRecord, StopAsked}, Draining);
        row("stop before anything", {Launched, StopAsked}, Draining);
        row("stop in a pause", {Launched, Found, PauseAsked, StopAsked}, Draining);
        row("draining hears nothing", {Launched, StopAsked, AgentsRecord, Found, PauseAsked, ProgramEnded}, Draining);
        row("program ends", {Launched, Found, AgentsRecord, ProgramEnded}, Draining);
        row("done", {Launched, Found, AgentsRecord, ProgramEnded, Drained}, Done);
        row("nothing in it", {Launched, ProgramEnded, DrainedNothing}, Failed);
        row("drained too early", {Launched, Found, AgentsRecord, Drained}, Recording);
        row("stop without a program", {StopAsked}, Idle);
    }
    void goesFromPhaseToPhase()
    {
        QFETCH(std::vector<SessionEvent>, events);
        QFETCH(Phase, expected);
        Phase phase = Phase::Idle;
        for (const SessionEvent event : events)
            phase = next(phase, event);
        QCOMPARE(phaseName(phase), phaseName(expected));
    }

    void theEndIsFinal()
    {
        for (const Phase end : {Phase::Done, Phase::Failed}) {
            QVERIFY(isOver(end));
            for (size_t event = 0; event < kSessionEvents; ++event)
                QVERIFY(next(end, static_cast<SessionEvent>(event)) == end);
        }
    }

    void onlyDrainingLeadsToDone()
    {
        for (size_t phase = 0; phase < kPhases; ++phase) {
            for (size_t event = 0; event < kSessionEvents; ++event) {
                const Phase from = static_cast<Phase>(phase);
                const Phase to = next(from, static_cast<SessionEvent>(event));
                if (to == Phase::Done)
                    QVERIFY(from == Phase::Done || from == Phase::Draining);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestSessionMachine)
#include "tst_session_machine.moc"
