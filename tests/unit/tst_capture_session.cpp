// A recording from launch to end, with programs that speak the protocol well, badly or not at all.

#include "capture/capture_session.h"
#include "capture/spool.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <mutex>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace torchline;
using namespace torchline::capture;

namespace {

constexpr int64_t kLongNs = int64_t{60} * 1'000'000'000;

/// What the callbacks of a session brought.
struct Heard {
    std::mutex mutex;
    std::vector<Phase> phases;
    std::string output;

    SessionCallbacks callbacks()
    {
        SessionCallbacks all;
        all.statusChanged = [this](const SessionStatus& status) {
            const std::scoped_lock lock(mutex);
            if (phases.empty() || phases.back() != status.phase)
                phases.push_back(status.phase);
        };
        all.output = [this](std::string_view text) {
            const std::scoped_lock lock(mutex);
            output += text;
        };
        return all;
    }
    std::string outputNow()
    {
        const std::scoped_lock lock(mutex);
        return output;
    }
};

} // namespace

class TestCaptureSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_RUNTIME_DIR", m_folder->path().toUtf8());
    }

    void aProgramWithoutAnAgentFails()
    {
        Heard heard;
        auto session = start({"exit:3"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        const SessionStatus status = session->status();
        QVERIFY(status.phase == Phase::Failed);
        QCOMPARE(status.exitText, std::string("exit 3"));
        QVERIFY(status.fault.find("the agent did not report") != std::string::npos);
        QVERIFY(!session->trace());
        QVERIFY(spools().isEmpty());
        QCOMPARE(heard.phases, (std::vector{Phase::Connecting, Phase::Draining, Phase::Failed}));
    }

    void aProgramWithoutTorchSaysSo()
    {
        Heard heard;
        auto session = start({"hello:1", "exit:0"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        QVERIFY(session->status().fault.find("no LibTorch was seen in it") != std::string::npos);
        QCOMPARE(session->status().processes.size(), size_t{1});
    }

    void anotherVersionIsNamed()
    {
        Heard heard;
        auto session = start({"hello:77", "expect:nothing"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        const std::string fault = session->status().fault;
        QVERIFY2(fault.find("version 9.9 and speaks protocol 77") != std::string::npos, fault.c_str());
        QVERIFY(fault.find("install both from one package") != std::string::npos);
        QCOMPARE(session->status().exitText, std::string("exit 9")); // its socket was closed
    }

    void whatIsNoMessageClosesTheConnection_data()
    {
        QTest::addColumn<QByteArray>("packet");
        QTest::newRow("no JSON") << QByteArray("what?");
        QTest::newRow("before hello") << QByteArray("{\"type\":\"pong\",\"at_ns\":1}");
        QTest::newRow("wrong kinds") << QByteArray("{\"type\":\"hello\",\"protocol\":\"x\",\"pid\":1}");
    }
    void whatIsNoMessageClosesTheConnection()
    {
        QFETCH(QByteArray, packet);
        Heard heard;
        auto session = start({"say:" + packet.toStdString(), "expect:nothing"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        QCOMPARE(session->status().exitText, std::string("exit 9"));
        QVERIFY(session->status().processes.empty());
        QCOMPARE(session->status().notes.front().code, std::string("bad-message"));
    }

    void aBoundWithoutMemoryIsToldOff()
    {
        Heard heard;
        auto session = start({"hello:1", "say:{\"type\":\"bound\",\"clock\":\"tsc\",\"segment\":0}", "exit:0"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        QVERIFY(session->status().fault.find("memfd_create") != std::string::npos);
    }

    void notesOfAgentsAreKeptOnce()
    {
        Heard heard;
        const std::string note = "say:{\"type\":\"note\",\"code\":\"no-shapes\",\"text\":\"why\"}";
        auto session = start({"hello:1", note, note, "exit:0"}, heard);
        QVERIFY(session->wait(true, kLongNs));
        QCOMPARE(session->status().notes.size(), size_t{1});
        QCOMPARE(session->status().notes.front().text, std::string("why"));
    }

    void stopLetsTheProgramGoOn()
    {
        Heard heard;
        auto session = start({"hello:1", "expect:detach", "close", "sleep:200", "exit:5"}, heard);
        QTRY_VERIFY(!session->status().processes.empty());
        session->stop();
        QVERIFY(session->wait(false, kLongNs));
        QVERIFY(session->wait(true, kLongNs));
        QCOMPARE(session->status().exitText, std::string("exit 5"));
    }

    void whoIsDeafIsKilled()
    {
        Heard heard;
        auto session = start({"hello:1", "hang"}, heard);
        QTRY_VERIFY(!session->status().processes.empty());
        session->endProgram();
        QVERIFY(session->wait(true, kLongNs));
        QCOMPARE(session->status().exitText, std::string("exit 15"));

        auto deaf = start({"hello:1", "deaf", "hang"}, heard);
        QTRY_VERIFY(!deaf->status().processes.empty());
        deaf->endProgram();
        QVERIFY(deaf->wait(true, kLongNs));
        QCOMPARE(deaf->status().exitText, std::string("killed by SIGKILL"));
    }

    void whatCannotBeLaunchedLeavesNothing()
    {
        SessionOptions options = this->options({});
        options.program.program = "/no/such/program";
        const auto session = CaptureSession::start(options);
        QVERIFY(!session);
        QVERIFY(session.error().message().starts_with("/no/such/program: there is no such program"));
        QVERIFY(spools().isEmpty());
        QVERIFY(QDir(m_folder->filePath(QStringLiteral("torchline"))).entryList(QDir::System | QDir::Files).isEmpty());
    }

    void aMissingSpoolFolderIsNoted()
    {
        SessionOptions options = this->options({"hello:1", "exit:0"});
        options.spoolFolder = "/dev/null/spool";
        auto session = CaptureSession::start(options);
        QVERIFY(session);
        QVERIFY((*session)->wait(true, kLongNs));
        QCOMPARE((*session)->status().notes.front().code, std::string("spool-failed"));
    }

    void theSupervisedProgramHasATerminal()
    {
        Heard heard;
        auto session = startSupervised({"hello:1", "print:begin", "read", "exit:4"}, heard);
        QTRY_VERIFY(heard.outputNow().find("begin\r\n") != std::string::npos);
        session->writeInput("hallo\n");
        QVERIFY(session->wait(true, kLongNs));
        QCOMPARE(session->status().exitText, std::string("exit 4"));
        QVERIFY2(heard.outputNow().find("got hallo\r\n") != std::string::npos, heard.outputNow().c_str());
    }

    void theSupervisorReportsWhatTheSystemRefuses()
    {
        SessionOptions options = this->options({});
        options.supervisor = TORCHLINE_SUPERVISE;
        options.program.program = m_folder->path().toStdString() + "/broken";
        QFile broken(QString::fromStdString(options.program.program));
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("#!/bin/sh\n");
        broken.close();
        ::chmod(options.program.program.c_str(), 0755);
        options.program.folder = m_folder->path().toStdString();
        options.program.arguments = {std::string(300'000, 'x')};
        const auto session = CaptureSession::start(options);
        QVERIFY(!session);
        QVERIFY(session.error().message().find("longer than 192 KiB") != std::string::npos);
    }

    void theProgramOutlivesWhoWatches()
    {
        const QString mark = m_folder->filePath(QStringLiteral("mark"));
        {
            Heard heard;
            SessionOptions options = this->options({});
            options.supervisor = TORCHLINE_SUPERVISE;
            options.program.program = "sh";
            // More than a terminal holds, and a line that nobody will type any more.
            options.program.arguments
                = {"-c", "echo up; sleep 0.3; yes | head -c 1000000; read line; echo over > " + mark.toStdString()};
            auto session = CaptureSession::start(options, heard.callbacks());
            QVERIFY2(session, session ? "" : session.error().message().c_str());
            QTRY_VERIFY(heard.outputNow().find("up") != std::string::npos);
        }
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(mark), 30'000);
    }

private:
    SessionOptions options(std::vector<std::string> words)
    {
        SessionOptions all;
        all.program.program = TORCHLINE_FAKE_AGENT;
        all.program.arguments = std::move(words);
        all.agent = "libm.so.6"; // any library will do: the program speaks for itself
        all.spoolFolder = m_folder->filePath(QStringLiteral("spool")).toStdString();
        return all;
    }
    std::unique_ptr<CaptureSession> start(std::vector<std::string> words, Heard& heard)
    {
        auto session = CaptureSession::start(options(std::move(words)), heard.callbacks());
        if (!session)
            qFatal("%s", session.error().message().c_str());
        return std::move(*session);
    }
    std::unique_ptr<CaptureSession> startSupervised(std::vector<std::string> words, Heard& heard)
    {
        SessionOptions all = options(std::move(words));
        all.supervisor = TORCHLINE_SUPERVISE;
        auto session = CaptureSession::start(all, heard.callbacks());
        if (!session)
            qFatal("%s", session.error().message().c_str());
        return std::move(*session);
    }
    QStringList spools() const { return QDir(m_folder->filePath(QStringLiteral("spool"))).entryList(QDir::Files); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestCaptureSession)
#include "tst_capture_session.moc"
