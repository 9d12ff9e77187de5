// What a pane shows under a filter, a scope, a grouping and a sort is what torchline-cli prints for the same options.

#include "import/load.h"
#include "operators/kernel_pane.h"
#include "operators/memory_pane.h"
#include "operators/operator_pane.h"
#include "operators/step_pane.h"

#include <QProcess>
#include <QtTest>

#include <sstream>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

enum class Kind { Operators, Kernels, Steps, Memory };

struct Options {
    std::string filter;
    Scope scope;
    std::vector<GroupKey> groupBy;
    OperatorTotals totals = OperatorTotals::Torch;
    std::string sort; ///< key
    bool descending = true;
};

std::unique_ptr<TablePane> makePane(Kind kind, const Options& options, ViewState* state, ThemeHost* themes)
{
    if (kind == Kind::Operators) {
        auto pane = std::make_unique<OperatorPane>(state, themes);
        OperatorOptions operators;
        operators.groupBy = options.groupBy;
        operators.totals = options.totals;
        pane->setOptions(operators);
        return pane;
    }
    if (kind == Kind::Kernels) {
        auto pane = std::make_unique<KernelPane>(state, themes);
        pane->setGroupBy(options.groupBy);
        return pane;
    }
    if (kind == Kind::Steps)
        return std::make_unique<StepPane>(state, themes);
    return std::make_unique<MemoryPane>(state, themes);
}

} // namespace

Q_DECLARE_METATYPE(Kind)
Q_DECLARE_METATYPE(Options)

class TestPaneTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u"^(?!This plugin)"_s));
        const auto trace = loadTraces({TORCHLINE_SAMPLE});
        QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
        m_trace = *trace;
    }

    void paneIsCommandLine_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<Options>("options");
        QTest::addColumn<QStringList>("arguments");
        Options options;
        QTest::newRow("operators") << Kind::Operators << options << QStringList{u"ops"_s};
        options.filter = "aten and dur > 20us";
        options.sort = "calls";
        QTest::newRow("filtered operators, by calls")
            << Kind::Operators << options
            << QStringList{u"ops"_s, u"--filter"_s, u"aten and dur > 20us"_s, u"--sort"_s, u"calls:desc"_s};
        options = {};
        options.groupBy = {GroupKey::Shape, GroupKey::Thread};
        options.sort = "name";
        options.descending = false;
        QTest::newRow("grouped operators, by name")
            << Kind::Operators << options
            << QStringList{u"ops"_s, u"--group-by"_s, u"name+shape+thread"_s, u"--sort"_s, u"name:asc"_s};
        options = {};
        options.totals = OperatorTotals::Once;
        options.scope.step = kStep;
        QTest::newRow("operators of a step, once")
            << Kind::Operators << options
            << QStringList{u"ops"_s, u"--totals"_s, u"once"_s, u"--step"_s, QString::number(kStep)};
        options = {};
        options.scope.filter = "kernel";
        options.filter = "not memcpy";
        QTest::newRow("operators, filter within a filtered scope")
            << Kind::Operators << options << QStringList{u"ops"_s, u"--filter"_s, u"(kernel) and (not memcpy)"_s};
        options = {};
        options.scope.range = TimeRange{5'000'000, 60'000'000};
        options.groupBy = {GroupKey::Stream, GroupKey::Op};
        QTest::newRow("kernels of a range by stream and operator")
            << Kind::Kernels << options
            << QStringList{u"kernels"_s, u"--range"_s, u"5ms..60ms"_s, u"--group-by"_s, u"name+stream+op"_s};
        options = {};
        options.filter = "cat:gpu_memcpy";
        QTest::newRow("copies") << Kind::Kernels << options
                                << QStringList{u"kernels"_s, u"--filter"_s, u"cat:gpu_memcpy"_s};
        options = {};
        options.sort = "dur_us";
        QTest::newRow("steps, longest first")
            << Kind::Steps << options << QStringList{u"steps"_s, u"--sort"_s, u"dur_us:desc"_s};
        options = {};
        options.scope.step = kStep;
        QTest::newRow("memory of a step")
            << Kind::Memory << options << QStringList{u"memory"_s, u"--step"_s, QString::number(kStep)};
    }

    void paneIsCommandLine()
    {
        QFETCH(Kind, kind);
        QFETCH(Options, options);
        QFETCH(QStringList, arguments);
        ViewState state;
        ThemeHost themes;
        state.setTrace(m_trace);
        state.setScope(options.scope);
        const std::unique_ptr<TablePane> pane = makePane(kind, options, &state, &themes);
        pane->setFilter(QString::fromStdString(options.filter));
        if (!options.sort.empty())
            pane->setSort(options.sort, options.descending);
        pane->refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!pane->isBusy(), 60'000);
        QVERIFY(pane->table() != nullptr);
        QVERIFY(!pane->table()->rows.empty());

        for (const auto& [format, name] :
            {std::pair(TableFormat::Csv, u"csv"_s), std::pair(TableFormat::Json, u"json"_s)}) {
            std::ostringstream shown;
            writeTable(*pane->table(), format, shown);
            QProcess cli;
            cli.start(QString::fromUtf8(TORCHLINE_CLI),
                arguments + QStringList{u"--format"_s, name, QString::fromUtf8(TORCHLINE_SAMPLE)});
            QVERIFY(cli.waitForFinished(60'000));
            QCOMPARE(cli.exitCode(), 0);
            QCOMPARE(QByteArray::fromStdString(shown.str()), cli.readAllStandardOutput());
        }
    }

private:
    static constexpr int kStep = 3;
    TracePtr m_trace;
};

QTEST_MAIN(TestPaneTables)
#include "tst_pane_tables.moc"
