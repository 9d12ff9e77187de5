// Stacks of a recorded process as text: this program stands in for it.

#include "capture/stack_book.h"
#include "export/kineto_json.h"
#include "import/load.h"
#include "recorded_program.h"
#include "trace_tables.h"

#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <cstdio>
#include <sys/stat.h>

using namespace torchline;
using torchline::test::opRecord;
using torchline::test::Recording;

namespace sample {

[[gnu::noinline]] int plainFunction(int value)
{
    return value * 3 + 1;
}

struct Shape {
    [[gnu::noinline]] static int area(int a, int b) { return a * b + plainFunction(a); }
};

} // namespace sample

namespace {

/// Where this program lies in memory.
ModuleItem ownModule(uint64_t address)
{
    static std::string path;
    ModuleItem module;
    FILE* const maps = std::fopen("/proc/self/maps", "r");
    char line[8192];
    while (maps && std::fgets(line, sizeof(line), maps)) {
        unsigned long long begin = 0;
        unsigned long long end = 0;
        unsigned long long offset = 0;
        int pathAt = 0;
        std::sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &begin, &end, &offset, &pathAt);
        if (address < begin || address >= end)
            continue;
        path = line + pathAt;
        path.pop_back();
        module.place.begin = begin;
        module.place.end = end;
        module.place.fileOffset = offset;
    }
    if (maps)
        std::fclose(maps);
    struct stat file = {};
    ::stat(path.c_str(), &file);
    module.place.fileBytes = static_cast<uint64_t>(file.st_size);
    module.place.modifiedNs = file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
    module.path = path;
    return module;
}

template <typename Function> uint64_t addressOf(Function* function)
{
    return reinterpret_cast<uint64_t>(function);
}

void addStack(StackBook& book, const std::vector<uint64_t>& addresses)
{
    book.addStack(0, std::as_bytes(std::span(addresses)));
}

} // namespace

class TestStacks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void functionsAreNamedInnermostFirst()
    {
        QCOMPARE(sample::Shape::area(2, 3), 13);
        const std::vector<uint64_t> addresses
            = {addressOf(sample::plainFunction) + 1, addressOf(sample::Shape::area) + 1, 0x10};
        StackBook book;
        addStack(book, addresses);
        const ModuleItem own = ownModule(addresses[0]);
        book.addModule(own);
        const QStringList frames = framesOf(textOf(book));
        QCOMPARE(frames.size(), 3);
        QVERIFY2(frames[0].endsWith(QStringLiteral(": sample::plainFunction(int)")), qPrintable(frames[0]));
        QVERIFY2(frames[1].endsWith(QStringLiteral(": sample::Shape::area(int, int)")), qPrintable(frames[1]));
        QCOMPARE(frames[2], QStringLiteral("0x10"));
        // This file is built with debug information, or not; nothing else stands in front of a function.
        for (const QString& frame : frames.first(2))
            QVERIFY2(
                frame.contains(QStringLiteral("tst_stacks.cpp(")) || frame.startsWith(QStringLiteral("tst_stacks+0x")),
                qPrintable(frame));
    }

    void aFileThatWasReplacedNamesNothing()
    {
        const uint64_t address = addressOf(sample::plainFunction) + 1;
        ModuleItem own = ownModule(address);
        own.place.modifiedNs -= 1;
        StackBook book;
        addStack(book, {address});
        book.addModule(own);
        const auto offset = address - own.place.begin + own.place.fileOffset;
        QCOMPARE(QString::fromStdString(textOf(book)), QStringLiteral("tst_stacks+0x%1;").arg(offset, 0, 16));
    }

    void filesThatAreNoneNameNothing()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("lib;x.so")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\177ELF\2\1\1 and nothing more");
        file.close();
        const std::string path = file.fileName().toStdString();
        struct stat status = {};
        ::stat(path.c_str(), &status);
        ModuleItem module;
        module.place = {0x1000, 0x3000, 0x500, static_cast<uint64_t>(status.st_size),
            status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
        module.path = path;
        StackBook book;
        addStack(book, {0x1001, 0x2001, 0});
        book.addModule(module);
        module.path = "/no/such/file";
        module.place.begin = 0x2000;
        book.addModule(module);
        QCOMPARE(textOf(book), std::string("lib,x.so+0x501;file+0x501;0x0;"));
    }

    void aPipeIsNotWaitedFor()
    {
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("pipe")).toStdString();
        QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        struct stat status = {};
        ::stat(path.c_str(), &status);
        ModuleItem module;
        module.place = {0x1000, 0x3000, 0, 0, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
        module.path = path;
        StackBook book;
        addStack(book, {0x1001});
        book.addModule(module);
        QCOMPARE(textOf(book), std::string("pipe+0x1;"));
    }

    void idsThatWereNotGivenAreNone()
    {
        StackBook book;
        addStack(book, {0x10});
        QVERIFY(textOf(book, 0).empty());
        QVERIFY(textOf(book, 2).empty());
        QVERIFY(book.text(1, 1).empty());
    }

    void aModuleThatIsToldLaterNamesWhatWasUnknown()
    {
        const uint64_t address = addressOf(sample::plainFunction) + 1;
        StackBook book;
        addStack(book, {address});
        QVERIFY(textOf(book).starts_with("0x"));
        book.addModule(ownModule(address));
        QVERIFY(textOf(book).ends_with(": sample::plainFunction(int);"));
    }

    void savedAndOpenedTheStacksAreTheSame()
    {
        Recording run;
        const uint64_t address = addressOf(sample::plainFunction) + 1;
        const ModuleItem own = ownModule(address);
        run.writer.module(own.place, own.path);
        const uint32_t slot = run.writer.takeSlot(4711, 1);
        const wire::OpRecord op = opRecord(run.writer.name("aten::add"), 100, 200, 0, 1);
        run.writer.put(slot, wire::OpStackRecord{op, run.writer.stack({address, 0x20}), 0});
        run.writer.put(slot, opRecord(run.writer.name("aten::mul"), 300, 400, 0, 2));
        run.writer.put(slot, wire::AsyncRecord{{0, wire::RecordType::AsyncOpen, 0, 1}, 7, 500, -1, 1, 0});
        run.writer.put(slot, wire::AsyncRecord{{0, wire::RecordType::AsyncEnd, 0, 1}, 7, 550, -1, 0, 0});
        run.writer.pushOpen(slot, {9, 600, -1, run.writer.name("open"), 0, 0, wire::OpenKept, 0, 3, 1, 0});
        const auto recorded = run.finish();
        const std::string path = run.folder.path().toStdString() + "/run.json";
        const Result<std::vector<std::string>> written = saveKinetoJson(*recorded, path);
        QVERIFY2(written, written ? "" : written.error().message().c_str());
        const auto opened = loadTraces({path});
        QVERIFY(opened);
        const std::string wanted = textOf(*recorded, 0);
        QVERIFY2(wanted.ends_with(": sample::plainFunction(int);0x20;"), wanted.c_str());
        for (const TraceSnapshot* trace : {recorded.get(), opened->get()}) {
            QCOMPARE(trace->lane(LaneId(0)).size(), 4u);
            QCOMPARE(textOf(*trace, 0), wanted);
            QCOMPARE(textOf(*trace, 1), std::string());
            QCOMPARE(textOf(*trace, 2), wanted);
            QCOMPARE(textOf(*trace, 3), wanted);
        }
    }

private:
    static QStringList framesOf(const std::string& text)
    {
        return QString::fromStdString(text).split(QLatin1Char(';'), Qt::SkipEmptyParts);
    }

    /// "Call stack" of a slice of the first lane.
    static std::string textOf(const TraceSnapshot& trace, uint32_t index)
    {
        const Result<ArgList> args = trace.args({LaneId(0), index});
        const std::string* const text = args ? findArg(*args, "Call stack") : nullptr;
        return text ? *text : std::string();
    }
    static std::string textOf(const StackBook& book, uint32_t stack = 1) { return book.text(0, stack); }
};

QTEST_APPLESS_MAIN(TestStacks)
#include "tst_stacks.moc"
