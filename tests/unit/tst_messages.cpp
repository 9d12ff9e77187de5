// What agents say, right and wrong, and what is said to them.

#include "capture/messages.h"

#include <QTest>

#include <string>

using namespace torchline;
using namespace torchline::capture;

class TestMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsHello()
    {
        const auto message = parseMessage("{\"type\":\"hello\",\"protocol\":1,\"agent\":\"0.1.0\",\"pid\":4711,"
                                          "\"ppid\":4700,\"started_ns\":18446744073709551615,\"exe\":\"/usr/bin/"
                                          "python3\",\"args\":[\"python3\",\"train.py\",\"gr\xc3\xb6\xc3\x9f"
                                          "e\"],\"rank\":\"3\","
                                          "\"world_size\":\"8\",\"resumed\":true,\"new_key\":{\"a\":[1,2]}}");
        QVERIFY2(message, message ? "" : message.error().message().c_str());
        const Hello& hello = std::get<Hello>(*message);
        QCOMPARE(hello.protocol, 1u);
        QCOMPARE(hello.agent, std::string("0.1.0"));
        QCOMPARE(hello.pid, 4711);
        QCOMPARE(hello.parentPid, 4700);
        QCOMPARE(hello.startedNs, UINT64_MAX);
        QCOMPARE(hello.executable, std::string("/usr/bin/python3"));
        QCOMPARE(hello.arguments,
            (std::vector<std::string>{"python3", "train.py",
                "gr\xc3\xb6\xc3\x9f"
                "e"}));
        QCOMPARE(hello.rank, std::string("3"));
        QCOMPARE(hello.localRank, std::string());
        QCOMPARE(hello.worldSize, std::string("8"));
        QVERIFY(hello.isResumed);
    }

    void readsBound()
    {
        const auto message = parseMessage(
            "{\"type\":\"bound\",\"torch\":{\"path\":\"/usr/lib/"
            "libtorch_cpu.so.1.13\",\"names_only\":false,\"offsets\":{\"scope\":96,\"sequence\":200,\"inputs\":208,"
            "\"forward_thread\":248},\"shapes\":true,\"rank_at\":72},\"memory\":12,\"clock\":\"tsc\",\"segment\":1}");
        QVERIFY(message);
        const Bound& bound = std::get<Bound>(*message);
        QCOMPARE(bound.torchPath, std::string("/usr/lib/libtorch_cpu.so.1.13"));
        QVERIFY(!bound.namesOnly && bound.hasShapes);
        QCOMPARE(bound.memorySlots, uint64_t{12});
        QVERIFY(bound.clock == wire::ClockKind::Tsc);
        QCOMPARE(bound.segment, 1u);
    }

    void readsStates_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<int>("state");
        QTest::newRow("idle") << QByteArray("idle") << 0;
        QTest::newRow("waiting") << QByteArray("waiting") << 1;
        QTest::newRow("warmup") << QByteArray("warmup") << 2;
        QTest::newRow("recording") << QByteArray("recording") << 3;
        QTest::newRow("done") << QByteArray("done") << 4;
    }
    void readsStates()
    {
        QFETCH(QByteArray, word);
        QFETCH(int, state);
        const auto message = parseMessage("{\"type\":\"state\",\"state\":\"" + word.toStdString()
            + "\",\"step\":7,\"at_ns\":99,\"reason\":\"schedule\"}");
        QVERIFY(message);
        const StateChange& change = std::get<StateChange>(*message);
        QCOMPARE(static_cast<int>(change.state), state);
        QCOMPARE(change.step, uint64_t{7});
        QCOMPARE(change.atNs, uint64_t{99});
        QVERIFY(change.reason == StateReason::Schedule);
    }

    void knowsNoReasonOfTheFuture()
    {
        const auto message = parseMessage("{\"type\":\"state\",\"state\":\"idle\",\"reason\":\"full moon\"}");
        QVERIFY(message);
        QVERIFY(std::get<StateChange>(*message).reason == StateReason::Unknown);
    }

    void readsTheRest()
    {
        QCOMPARE(std::get<Note>(*parseMessage("{\"type\":\"note\",\"code\":\"no-memfd\",\"text\":\"why\"}")).code,
            std::string("no-memfd"));
        QCOMPARE(std::get<Pong>(*parseMessage("{\"type\":\"pong\",\"at_ns\":5}")).atNs, uint64_t{5});
        QCOMPARE(std::get<UnknownMessage>(*parseMessage("{\"type\":\"telepathy\"}")).type, std::string("telepathy"));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("packet");
        const auto row = [](const char* name, const QByteArray& packet) { QTest::newRow(name) << packet; };
        row("nothing", "");
        row("no JSON", "hello");
        row("cut short", "{\"type\":\"hello\",\"protocol\":1");
        row("a list", "[\"hello\"]");
        row("no type", "{\"pid\":1}");
        row("type of another kind", "{\"type\":7}");
        row("hello without protocol", "{\"type\":\"hello\",\"pid\":1}");
        row("hello without pid", "{\"type\":\"hello\",\"protocol\":1}");
        row("negative pid", "{\"type\":\"hello\",\"protocol\":1,\"pid\":-4}");
        row("pid beyond its range", "{\"type\":\"hello\",\"protocol\":1,\"pid\":2147483648}");
        row("pid as text", "{\"type\":\"hello\",\"protocol\":1,\"pid\":\"4711\"}");
        row("fraction", "{\"type\":\"hello\",\"protocol\":1.5,\"pid\":1}");
        row("args of numbers", "{\"type\":\"hello\",\"protocol\":1,\"pid\":1,\"args\":[1]}");
        row("no UTF-8", QByteArray("{\"type\":\"note\",\"text\":\"\xff\xfe\"}"));
        row("unknown state", "{\"type\":\"state\",\"state\":\"asleep\"}");
        row("unknown clock", "{\"type\":\"bound\",\"clock\":\"sundial\",\"segment\":0}");
        row("torch is no object", "{\"type\":\"bound\",\"torch\":1,\"clock\":\"tsc\"}");
        row("deep", QByteArray("{\"type\":\"note\",\"text\":") + QByteArray(30000, '[') + QByteArray(30000, ']') + "}");
        row("long", "{\"type\":\"note\",\"text\":\"" + QByteArray(70000, 'x') + "\"}");
    }
    void refuses()
    {
        QFETCH(QByteArray, packet);
        const auto message = parseMessage(packet.toStdString());
        QVERIFY(!message);
        QVERIFY(message.error().message().starts_with("the agent sent what is no message: "));
    }

    void writesLines()
    {
        RecordOptions options;
        options.shapes = true;
        options.memory = true;
        options.schedule = {1, 2, 3, 4, 5};
        options.step = "scope:my step*";
        QCOMPARE(startLine(options),
            std::string("start scopes=255 shapes=1 memory=1 stacks=0 children=1 skip_first=1 wait=2 warmup=3 active=4 "
                        "repeat=5 step=scope:my%20step*"));
        QCOMPARE(configText({}, true), std::string("record=now scopes=255 shapes=0 memory=0 stacks=0 children=1"));
        QCOMPARE(configText({}, false), std::string("record=idle scopes=255 shapes=0 memory=0 stacks=0 children=1"));
        QCOMPARE(stopLine(), std::string("stop"));
    }

    void encodesValues()
    {
        QCOMPARE(percentEncoded("a b%=\n\xc3\xa4"), std::string("a%20b%25%3D%0A%C3%A4"));
        QCOMPARE(percentEncoded("scope:Optimizer.step#*?"), std::string("scope:Optimizer.step%23*?"));
    }
};

QTEST_GUILESS_MAIN(TestMessages)
#include "tst_messages.moc"
