// What a program finds that was started to be recorded.

#include "capture/launcher.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include <csignal>
#include <sys/wait.h>

using namespace torchline;
using namespace torchline::capture;

namespace {

int waitFor(pid_t pid)
{
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid)
        qFatal("the child is gone");
    return status;
}

} // namespace

class TestLauncher : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAgentComesBeforeOtherPreloads()
    {
        qputenv("LD_PRELOAD", "");
        const LaunchRequest request{.program = "sh", .environment = {{"LD_PRELOAD", "libother.so"}, {"LANG", "xx"}}};
        const auto environment = launchEnvironment(request, {"/lib/agent.so", "/run/a.sock", "record=now"});
        const auto has = [&](const char* entry) { return std::ranges::count(environment, entry) == 1; };
        QVERIFY(has("LD_PRELOAD=/lib/agent.so:libother.so"));
        QVERIFY(has("TORCHLINE_SOCK=/run/a.sock"));
        QVERIFY(has("TORCHLINE_CONFIG=record=now"));
        QVERIFY(has("LANG=xx"));
        QCOMPARE(std::ranges::count_if(environment, [](const std::string& e) { return e.starts_with("LANG="); }), 1);
        const auto alone = launchEnvironment({.program = "sh"}, {"/lib/agent.so", "", ""});
        QCOMPARE(std::ranges::count(alone, "LD_PRELOAD=/lib/agent.so"), 1);
        qunsetenv("LD_PRELOAD");
    }

    void argumentsFolderAndVariablesArrive()
    {
        const QTemporaryDir folder;
        const LaunchRequest request{.program = "sh",
            .arguments
            = {"-c", "printf '%s|' \"$0\" \"$1\" \"$PWD\" \"$EXTRA\" \"$TORCHLINE_SOCK\" > out; exit 3", "a b", "*"},
            .folder = folder.path().toStdString(),
            .environment = {{"EXTRA", "x=y"}}};
        const auto pid = launchProgram(request, "/bin/sh", {"", "/the/socket", ""});
        QVERIFY2(pid, pid ? "" : pid.error().message().c_str());
        QCOMPARE(WEXITSTATUS(waitFor(*pid)), 3);
        QFile out(folder.filePath(QStringLiteral("out")));
        QVERIFY(out.open(QIODevice::ReadOnly));
        QCOMPARE(out.readAll(), "a b|*|" + folder.path().toUtf8() + "|x=y|/the/socket|");
    }

    void theSystemsRefusalIsToldExactly()
    {
        const auto missing = launchProgram({.program = "gone"}, "/no/such/program", {});
        QVERIFY(!missing);
        QCOMPARE(missing.error().message(), std::string("gone: cannot be started: no such file"));
        const auto folder = launchProgram({.program = "tmp"}, "/tmp", {});
        QCOMPARE(folder.error().message(), std::string("tmp: cannot be started: permission denied"));
    }

    void signalsAreAsTheyWere()
    {
        ::signal(SIGPIPE, SIG_IGN); // our own
        sigset_t blocked;
        ::sigemptyset(&blocked);
        ::sigaddset(&blocked, SIGUSR1);
        ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
        const QTemporaryDir folder;
        const auto pid = launchProgram({.program = "sh",
                                           .arguments = {"-c", "grep -E 'SigBlk|SigIgn' /proc/self/status > out"},
                                           .folder = folder.path().toStdString()},
            "/bin/sh", {});
        ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
        QVERIFY(pid);
        QCOMPARE(waitFor(*pid), 0);
        QFile out(folder.filePath(QStringLiteral("out")));
        QVERIFY(out.open(QIODevice::ReadOnly));
        const QByteArray text = out.readAll();
        QVERIFY(text.contains("SigBlk:\t0000000000000000"));
        const quint64 ignored = text.mid(text.indexOf("SigIgn:\t") + 8, 16).toULongLong(nullptr, 16);
        QVERIFY((ignored & (1ull << (SIGPIPE - 1))) == 0);
    }
};

QTEST_GUILESS_MAIN(TestLauncher)
#include "tst_launcher.moc"
