// The stacks that the agent takes of a program's operators, named by what reads them.

#include "capture/stack_book.h"
#include "recorded.h"

#include <QCoreApplication>
#include <QFile>
#include <QStandardPaths>
#include <QtTest>

#include <algorithm>

using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

/// Stacks of all operators of this name, in their order, as text.
QStringList stacksOf(RecordedProcess& process, const std::string& name)
{
    const MappedSegment& segment = *process.segments.front();
    torchline::StackBook book;
    for (const std::string& stack : segment.arena(wire::ArenaKind::Stack))
        book.addStack(0, std::as_bytes(std::span(stack)));
    for (const std::string& entry : segment.arena(wire::ArenaKind::Module)) {
        if (const auto module = torchline::readModuleItem(std::as_bytes(std::span(entry))))
            book.addModule(*module);
    }
    QStringList texts;
    for (const RecordedSlot& slot : process.slots()) {
        for (const RecordedOp& op : slot.ops) {
            if (op.name == name)
                texts.append(QString::fromStdString(book.text(0, op.stack)));
        }
    }
    return texts;
}

/// The functions of this list that are in the stack, innermost first.
QStringList namesIn(const QString& stack)
{
    QStringList found;
    for (const QString& frame : stack.split(u';', Qt::SkipEmptyParts)) {
        for (const char* const name : {"innermostCaller(", "middleCaller(", "outermostCaller(", ": main"}) {
            if (frame.contains(QLatin1String(name)))
                found.append(QString::fromLatin1(name).remove(u'(').remove(u": "_s));
        }
    }
    return found;
}

} // namespace

class TestAgentStacks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFunctionsThatCallAreNamedInOrder()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"stacks"_s, u"3"_s}, u"record=now stacks=48"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const auto process = recorded.first();
        const QStringList stacks = stacksOf(*process, "aten::mul_");
        QCOMPARE(stacks.size(), 5);
        for (const QString& stack : stacks.first(3))
            QCOMPARE(namesIn(stack),
                (QStringList{u"innermostCaller"_s, u"middleCaller"_s, u"outermostCaller"_s, u"main"_s}));
        QCOMPARE(namesIn(stacks[3]), (QStringList{u"innermostCaller"_s, u"middleCaller"_s, u"main"_s}));
        QCOMPARE(namesIn(stacks[4]), (QStringList{u"innermostCaller"_s, u"main"_s}));
        QCOMPARE(stacks[0], stacks[1]);
        const QStringList scope = stacksOf(*process, "outermost scope");
        QCOMPARE(scope.size(), 1);
        QCOMPARE(namesIn(scope[0]), (QStringList{u"outermostCaller"_s, u"main"_s}));
        // What stands between an operator and the agent is not of the program.
        for (const QString& stack : stacks + scope) {
            QVERIFY2(!stack.contains(u"torchline-agent"_s), qPrintable(stack));
            QVERIFY2(!stack.contains(u"at::RecordFunction::"_s), qPrintable(stack));
        }
    }

    void theLinesOfTheCallsAreTold()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"stacks"_s, u"1"_s}, u"record=now stacks=48"_s));
        const QString stack = stacksOf(*recorded.first(), "aten::mul_").value(0);
        for (const QString& call : {u"innermost"_s, u"middle"_s}) {
            const QString wanted
                = u"call_stack.cpp(%1): %2Caller("_s.arg(lineWith(u"the line of the %1 call"_s.arg(call))).arg(call);
            QVERIFY2(stack.contains(wanted), qPrintable(wanted + u" is not in "_s + stack));
        }
    }

    void aStrippedProgramHasPlaces()
    {
        REQUIRE_TORCH();
        const QString strip = QStandardPaths::findExecutable(u"strip"_s);
        if (strip.isEmpty())
            QSKIP("there is no strip");
        Recorded recorded;
        const QString stripped = recorded.folder() + u"/stripped-workload"_s;
        QCOMPARE(QProcess::execute(strip, {u"-o"_s, stripped, workload()}), 0);
        QVERIFY(recorded.run(stripped, {u"stacks"_s, u"1"_s}, u"record=now stacks=48"_s));
        QCOMPARE(recorded.program().exitCode(), 0);
        const QStringList stacks = stacksOf(*recorded.first(), "aten::mul_");
        QCOMPARE(stacks.size(), 3);
        static const QRegularExpression place(u"(^|;)stripped-workload\\+0x[0-9a-f]+;"_s);
        qsizetype depth = 0;
        for (const QString& stack : stacks) {
            QVERIFY(namesIn(stack).isEmpty());
            const qsizetype places = stack.count(place);
            QVERIFY2(places >= 2, qPrintable(stack));
            QVERIFY(depth == 0 || places == depth - 1); // one caller less each time
            depth = places;
        }
    }

    void equalStacksAreWrittenOnce()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"stacks"_s, u"5000"_s}, u"record=now stacks=48"_s));
        const auto process = recorded.first();
        QVERIFY(process->segments.front()->arena(wire::ArenaKind::Stack).size() < 100);
        QCOMPARE(process->segments.front()->header().stacksRefused.load(), uint64_t{0});
        size_t without = 0;
        size_t all = 0;
        for (const RecordedSlot& slot : process->slots()) {
            all += slot.ops.size();
            without += static_cast<size_t>(
                std::ranges::count_if(slot.ops, [](const RecordedOp& op) { return op.stack == 0; }));
        }
        QVERIFY(all > 5000);
        QCOMPARE(without, size_t{0});
    }

    void noMoreFramesThanAskedFor()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"train"_s, u"2"_s}, u"record=now stacks=5"_s));
        const std::vector<std::string> stacks = recorded.first()->segments.front()->arena(wire::ArenaKind::Stack);
        QVERIFY(stacks.size() > 20);
        for (const std::string& stack : stacks)
            QVERIFY(stack.size() <= 5 * sizeof(uint64_t));
    }

    void noneAreTakenUnasked()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"train"_s, u"2"_s}, u"record=now"_s));
        const auto process = recorded.first();
        QVERIFY(process->segments.front()->arena(wire::ArenaKind::Stack).empty());
        QVERIFY(process->segments.front()->arena(wire::ArenaKind::Module).empty());
        QVERIFY(process->ofType("note").empty());
    }

    void manyThreadsAndChildren()
    {
        REQUIRE_TORCH();
        for (const QString& name : {u"threads"_s, u"fork"_s, u"async"_s}) {
            Recorded recorded;
            QVERIFY(recorded.run(workload(), {name, u"8"_s}, u"record=now stacks=48"_s));
            QCOMPARE(recorded.program().exitCode(), 0);
            for (const auto& process : recorded.processes()) {
                if (!process->ofType("note").empty())
                    continue; // forked at a moment that allows no stacks, and said so
                for (const RecordedSlot& slot : process->slots()) {
                    for (const RecordedOp& op : slot.ops)
                        QVERIFY2(op.stack != 0, op.name.c_str());
                }
            }
        }
    }

    void whereDescriptorsAreClosedStacksEnd()
    {
        REQUIRE_TORCH();
        Recorded recorded;
        QVERIFY(recorded.run(workload(), {u"close-all"_s, u"100"_s}, u"record=now stacks=48"_s));
        QVERIFY2(recorded.program().exitCode() == 0, recorded.program().readAll().constData());
        bool isTold = false;
        for (const auto& process : recorded.processes()) {
            for (const nlohmann::json& note : process->ofType("note"))
                isTold = isTold || (note.at("code") == "no-stacks" && textOf(note).contains(u"closed descriptors"_s));
        }
        QVERIFY(isTold);
    }

    void withoutLibunwindASentenceSaysSo()
    {
        // LibTorch itself may need the library: a stand-in for both that does not.
        Recorded recorded;
        QFile broken(recorded.folder() + u"/libunwind.so.8"_s);
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("no library");
        broken.close();
        qputenv("LD_LIBRARY_PATH", recorded.folder().toLocal8Bit());
        const bool ran = recorded.run(
            QCoreApplication::applicationDirPath() + u"/strange-workload"_s, {}, u"record=now stacks=48"_s);
        qunsetenv("LD_LIBRARY_PATH");
        QVERIFY(ran);
        QCOMPARE(recorded.program().exitCode(), 0);
        QStringList told;
        for (const nlohmann::json& note : recorded.first()->ofType("note")) {
            if (note.at("code") == "no-stacks")
                told.append(textOf(note));
        }
        QCOMPARE(told.size(), 1);
        QVERIFY2(told[0].contains(u"install the package libunwind8"_s), qPrintable(told[0]));
        size_t operators = 0;
        for (const RecordedSlot& slot : recorded.first()->slots())
            operators += slot.ops.size();
        QVERIFY(operators > 0);
    }

private:
    [[nodiscard]] static QString workload() { return QCoreApplication::applicationDirPath() + u"/torch-workload"_s; }
    [[nodiscard]] static QString textOf(const nlohmann::json& note)
    {
        return QString::fromStdString(note.at("text").get<std::string>());
    }
    /// Number of the line of call_stack.cpp with this comment.
    [[nodiscard]] static int lineWith(const QString& comment)
    {
        QFile source(QStringLiteral(TORCHLINE_CALL_STACK));
        if (!source.open(QIODevice::ReadOnly))
            return 0;
        const QStringList lines = QString::fromUtf8(source.readAll()).split(u'\n');
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (lines[i].contains(comment))
                return static_cast<int>(i) + 1;
        }
        return 0;
    }
};

QTEST_GUILESS_MAIN(TestAgentStacks)
#include "tst_agent_stacks.moc"
