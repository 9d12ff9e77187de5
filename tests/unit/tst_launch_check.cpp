// What is said before a program is started that cannot be recorded.

#include "capture/exit_words.h"
#include "capture/launch_check.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstring>

#include <elf.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace torchline;
using namespace torchline::capture;

class TestLaunchCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void findsWhatThereIs()
    {
        const auto found = checkLaunch({.program = "sh"});
        QVERIFY2(found, found ? "" : found.error().message().c_str());
        QVERIFY(found->ends_with("/sh"));
        QCOMPARE(*checkLaunch({.program = "/bin/sh"}), std::string("/bin/sh"));
    }

    void aScriptIsAsGoodAsItsInterpreter()
    {
        QVERIFY(checkLaunch({.program = write("ok", "#!/bin/sh\necho\n", 0755)}));
        QVERIFY(checkLaunch({.program = write("env", "#!/usr/bin/env sh\n", 0755)}));
        QVERIFY(checkLaunch({.program = write("flags", "#! /usr/bin/env -S sh -e\n", 0755)}));
        const std::string inner = write("inner", "#!/bin/sh\n", 0755);
        QVERIFY(checkLaunch({.program = write("outer", "#!" + inner + "\n", 0755)}));
    }

    void pathsCountFromTheFolder()
    {
        write("here", "#!/bin/sh\n", 0755);
        LaunchRequest request{.program = "./here", .folder = m_folder->path().toStdString()};
        const auto found = checkLaunch(request);
        QVERIFY(found);
        QCOMPARE(*found, m_folder->path().toStdString() + "/./here");
    }

    void pathOfTheRequestCounts()
    {
        write("only-here", "#!/bin/sh\n", 0755);
        LaunchRequest request{.program = "only-here"};
        QVERIFY(!checkLaunch(request));
        request.environment = {{"PATH", "/nowhere:" + m_folder->path().toStdString()}};
        QVERIFY(checkLaunch(request));
    }

    void saysWhatToDo_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("said");
        const auto row = [](const char* name, const QByteArray& content, int mode, const char* said) {
            QTest::newRow(name) << content << mode << QByteArray(said);
        };
        row("not executable", "#!/bin/sh\n", 0644, "is not executable; chmod +x makes it so");
        row("empty", "", 0755, "is neither a program nor a script");
        row("text", "import torch\n", 0755, "record its interpreter: python3 ");
        row("no interpreter", "#!\n", 0755, "names no interpreter");
        row("missing interpreter", "#!/no/such/python\n", 0755,
            "is a script for '/no/such/python', which is not there");
        row("missing in env", "#!/usr/bin/env no-such-python\n", 0755, "for 'no-such-python', which is not in PATH");
        row("cut", QByteArray(ELFMAG).append('\x02'), 0755, "cut short");
        row("other architecture", elf(EM_AARCH64 + 60, ELFCLASS64, PT_INTERP), 0755, "but this is Torchline for ");
        row("32 bit", elf(EM_386, ELFCLASS32, PT_INTERP), 0755, "is built for 32 bit x86");
        row("static", elf(ownMachine(), ELFCLASS64, PT_LOAD), 0755, "is linked statically");
        row("set-user-ID", elf(ownMachine(), ELFCLASS64, PT_INTERP), 04755, "");
    }
    void saysWhatToDo()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, mode);
        QFETCH(QByteArray, said);
        const std::string path = write("program", content.toStdString(), static_cast<mode_t>(mode));
        const auto found = checkLaunch({.program = path});
        if (said.isEmpty()) { // ours: its rights are those we have
            QVERIFY(found);
            return;
        }
        QVERIFY(!found);
        const std::string& message = found.error().message();
        QVERIFY2(message.starts_with(path + ": "), message.c_str());
        QVERIFY2(message.find(said.toStdString()) != std::string::npos, message.c_str());
    }

    void saysWhatIsMissing()
    {
        const auto message = [](const LaunchRequest& request) { return checkLaunch(request).error().message(); };
        QVERIFY(message({.program = "no-such-program"}).find("there is no such program in PATH") != std::string::npos);
        QVERIFY(message({.program = "./no-such-program"}).find("there is no such program; give") != std::string::npos);
        QVERIFY(message({.program = "/tmp"}).find("is a folder; give the program in it") != std::string::npos);
        QVERIFY(message({.program = "/dev/null"}).find("is no program") != std::string::npos);
        QVERIFY(message({.program = "sh", .folder = "/no/such/folder"})
                    .find("/no/such/folder: cannot be the working folder")
            == 0);
        write("local", "#!/bin/sh\n", 0755);
        QVERIFY(message({.program = "local", .folder = m_folder->path().toStdString()}).find("write ./local")
            != std::string::npos);
        write("train.py", "import torch\n", 0644);
        QVERIFY(
            message({.program = "./train.py", .folder = m_folder->path().toStdString()}).find("record its interpreter")
            != std::string::npos);
        QCOMPARE(checkLaunch({}).error().code(), ErrorCode::Usage);
    }

    void otherRightsKeepTheAgentOut()
    {
        if (::geteuid() != 0)
            QSKIP("only root can give a file away");
        const std::string path = write("sudo", elf(ownMachine(), ELFCLASS64, PT_INTERP).toStdString(), 0755);
        QCOMPARE(::chown(path.c_str(), 12345, 12345), 0);
        QCOMPARE(::chmod(path.c_str(), 04755), 0);
        const auto found = checkLaunch({.program = path});
        QVERIFY(!found);
        QVERIFY(found.error().message().find("record a copy without them") != std::string::npos);
    }

    void theAgentIsFoundOrMissed()
    {
        const std::string agent = write("agent.so", "", 0644);
        qputenv("TORCHLINE_AGENT", agent.c_str());
        QCOMPARE(*findAgent(), agent);
        qputenv("TORCHLINE_AGENT", "/no/such/agent.so");
        QVERIFY(findAgent().error().message().starts_with("/no/such/agent.so: "));
        qunsetenv("TORCHLINE_AGENT");
    }

    void recognisesLibTorch()
    {
        QVERIFY(!holdsLibTorch(write("plain", std::string(3 << 20, 'x'), 0755)));
        std::string text(3 << 20, 'x');
        text.replace(
            (size_t{1} << 20) - 20, 48, "aten::add.Tensor(Tensor self, Tensor other, *, S"); // across two reads
        QVERIFY(holdsLibTorch(write("with", text, 0755)));
    }

    void exitsInWords()
    {
        QCOMPARE(exitWords(W_EXITCODE(3, 0)), std::string("exit 3"));
        QCOMPARE(exitWords(W_EXITCODE(0, SIGSEGV)), std::string("killed by SIGSEGV"));
        QVERIFY(isSuccess(W_EXITCODE(0, 0)) && !isSuccess(W_EXITCODE(3, 0)) && !isSuccess(W_EXITCODE(0, SIGKILL)));
        const RunningThread main{4711, "main", {"step", "aten::conv2d"}};
        const RunningThread idle{4712, "idle", {}};
        const RunningThread other{4713, "", {"aten::add"}};
        QCOMPARE(exitWords(W_EXITCODE(0, SIGSEGV), {main, idle}),
            std::string("killed by SIGSEGV in aten::conv2d on thread 4711 (main)"));
        QCOMPARE(exitWords(W_EXITCODE(0, SIGABRT), {main, other}),
            std::string("killed by SIGABRT; what ran: aten::conv2d on thread 4711 (main), aten::add on thread 4713"));
        QCOMPARE(exitWords(W_EXITCODE(0, SIGABRT), {idle}), std::string("killed by SIGABRT"));
        QCOMPARE(exitWords(W_EXITCODE(1, 0), {main}), std::string("exit 1"));
    }

private:
    std::string write(const char* name, const std::string& content, mode_t mode)
    {
        const QString path = m_folder->filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content.data(), static_cast<qint64>(content.size())) < 0)
            qFatal("cannot write a test file");
        file.close();
        ::chmod(path.toUtf8().constData(), mode);
        return path.toStdString();
    }

    static uint16_t ownMachine()
    {
        QFile self(QStringLiteral("/proc/self/exe"));
        Elf64_Ehdr header{};
        if (!self.open(QIODevice::ReadOnly) || self.read(reinterpret_cast<char*>(&header), sizeof header) < 0)
            qFatal("cannot read this program");
        return header.e_machine;
    }

    static QByteArray elf(int machine, unsigned char kind, uint32_t part)
    {
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = kind;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_machine = static_cast<uint16_t>(machine);
        header.e_phoff = sizeof header;
        header.e_phnum = 1;
        Elf64_Phdr entry{};
        entry.p_type = part;
        return QByteArray(reinterpret_cast<const char*>(&header), sizeof header)
            + QByteArray(reinterpret_cast<const char*>(&entry), sizeof entry);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestLaunchCheck)
#include "tst_launch_check.moc"
