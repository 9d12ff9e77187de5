#include "operators/kernel_pane.h"
#include "operators/memory_pane.h"
#include "operators/operator_pane.h"
#include "operators/step_pane.h"
#include "trace_fixture.h"

#include "common/elided_label.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QtTest>

#include <numeric>
#include <sstream>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

/// Two steps of 10 us; in each aten::mm (4 us, its launch 1 us, its kernel 3 us) and aten::add (2 us, twice in step 2).
TracePtr makeTrace()
{
    TraceFixture f;
    const uint32_t main = f.lane("100", "100");
    const uint32_t stream = f.lane("0", "7");
    uint32_t id = 1;
    for (int64_t step = 0; step < 2; ++step) {
        const int64_t at = step * 20'000;
        f.annotation(main, "ProfilerStep#" + std::to_string(step), at, 10'000);
        f.op(main, "aten::mm", at + 1000, 4000, id)
            .args({{"Input Dims", step == 0 ? "[[8,8],[8,8]]" : "[[4,4],[4,4]]"}});
        f.call(main, "cudaLaunchKernel", at + 2000, 1000, 50 + id, id);
        f.kernel(stream, "sgemm", at + 6000, 3000, 50 + id, id);
        ++id;
        f.op(main, "aten::add", at + 5500, 2000, id++).args({{"Input Dims", "[[8,8],[8,8]]"}});
        f.memory(at + 1500, 1024, 1, 0, 1024 * (step + 1), 4096);
    }
    f.op(main, "aten::add", 28'000, 1000, id).args({{"Input Dims", "[[2],[2]]"}});
    return f.snapshot();
}

TracePtr makeHostTrace()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "aten::mul", 0, 100, 1);
    return f.snapshot();
}

/// 5000, each of another name.
TracePtr manyOperators()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    for (uint32_t i = 0; i < 5000; ++i)
        f.op(lane, "op " + std::to_string(i), i * 100, 50, i + 1);
    return f.snapshot();
}

class Bench {
public:
    Bench() { state.setTrace(makeTrace()); }

    template <typename Pane> std::unique_ptr<Pane> open(QSize size = {1300, 300})
    {
        auto pane = std::make_unique<Pane>(&state, &themes);
        tester = std::make_unique<QAbstractItemModelTester>(
            pane->dataTable()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        pane->resize(size);
        pane->show();
        pane->activateWindow();
        settle(*pane);
        return pane;
    }

    static void settle(const TablePane& pane) { QTRY_VERIFY_WITH_TIMEOUT(!pane.isBusy(), 30'000); }

    ViewState state;
    ThemeHost themes;
    std::unique_ptr<QAbstractItemModelTester> tester;
};

int rowNamed(TablePane& pane, const char* name)
{
    const Table& table = *pane.table();
    for (size_t row = 0; row < table.rows.size(); ++row) {
        if (std::get<std::string>(table.rows[row][0]) == name)
            return static_cast<int>(row);
    }
    return -1;
}

Cell figure(TablePane& pane, const char* name, const char* key)
{
    const int row = rowNamed(pane, name);
    const std::optional<size_t> column = pane.table()->columnOf(key);
    return row >= 0 && column ? pane.table()->rows[static_cast<size_t>(row)][*column] : Cell();
}

void clickRow(TablePane& pane, int row, Qt::KeyboardModifiers modifiers = {})
{
    QTableView* view = pane.dataTable()->view();
    const QRect place = view->visualRect(pane.dataTable()->model()->index(row, 0));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, modifiers, place.center());
}

void clickTitle(TablePane& pane, const char* key)
{
    QHeaderView* header = pane.dataTable()->view()->horizontalHeader();
    const int column = static_cast<int>(*pane.table()->columnOf(key));
    const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
}

QLineEdit* filterEdit(TablePane& pane)
{
    return pane.findChild<QLineEdit*>();
}

QAction* entry(QMenu* menu, const QString& text)
{
    Q_EMIT menu->aboutToShow();
    for (QAction* action : menu->actions()) {
        if (action->text() == text)
            return action;
    }
    return nullptr;
}

EmptyPane* emptyOf(TablePane& pane)
{
    auto* empty = pane.findChild<EmptyPane*>();
    return empty->isVisible() ? empty : nullptr;
}

} // namespace

class TestTablePanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin)"_s)); }

    void operatorsHaveTheirFiguresInTheDefaultOrder()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QCOMPARE(std::get<int64_t>(figure(*pane, "aten::add", "calls")), int64_t{3});
        QCOMPARE(std::get<TimeCell>(figure(*pane, "aten::add", "self_cpu_us")).ns, int64_t{5000});
        QCOMPARE(std::get<TimeCell>(figure(*pane, "aten::mm", "self_cpu_us")).ns, int64_t{6000});
        QCOMPARE(std::get<TimeCell>(figure(*pane, "aten::mm", "cuda_total_us")).ns, int64_t{6000});
        const size_t column = *pane->table()->columnOf("self_cpu_us");
        for (size_t row = 1; row < pane->table()->rows.size(); ++row)
            QVERIFY(pane->table()->rows[row - 1][column] >= pane->table()->rows[row][column]);
    }

    void theFooterHoldsSumsAndDenominators()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        const ShownTable& shown = *pane->dataTable()->model()->shown();
        const auto footer = [&](const char* key) { return shown.traits->footer[*shown.table.columnOf(key)]; };
        QCOMPARE(std::get<TimeCell>(footer("self_cuda_us")).ns, int64_t{6000});
        QCOMPARE(std::get<HundredthsCell>(footer("self_cuda_percent")).hundredths, int64_t{10'000});
        QVERIFY(std::holds_alternative<std::monostate>(footer("cpu_total_us")));
        QCOMPARE(footer("calls"), columnSum(shown.table, "calls"));
    }

    void aTypedFilterNarrowsTheRows()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QTest::keyClicks(filterEdit(*pane), u"aten and dur > 3us"_s);
        QTRY_COMPARE(pane->filter(), u"aten and dur > 3us"_s);
        Bench::settle(*pane);
        QCOMPARE(pane->table()->rows.size(), size_t{1});
        QCOMPARE(std::get<int64_t>(figure(*pane, "aten::mm", "calls")), int64_t{2});
        QTest::keyClick(filterEdit(*pane), Qt::Key_Escape);
        QTRY_COMPARE(pane->filter(), QString());
        Bench::settle(*pane);
        QVERIFY(rowNamed(*pane, "aten::add") >= 0);
    }

    void aWrongConditionIsMarkedAndChangesNoRow()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        const size_t rows = pane->table()->rows.size();
        QTest::keyClicks(filterEdit(*pane), u"dur > fast"_s);
        QTest::keyClick(filterEdit(*pane), Qt::Key_Return);
        const std::optional<QueryFault>& fault = pane->head()->filterField()->fault();
        QVERIFY(fault);
        QCOMPARE(fault->begin, size_t{6});
        QCOMPARE(pane->head()->status(), QString::fromStdString(fault->message));
        QVERIFY(!pane->isBusy());
        QCOMPARE(pane->table()->rows.size(), rows);
        const QImage marked = filterEdit(*pane)->grab().toImage();
        int wave = 0;
        for (int y = marked.height() / 2; y < marked.height(); ++y) {
            for (int x = 0; x < marked.width(); ++x) {
                const QColor c = marked.pixelColor(x, y);
                wave += c.red() > c.green() + 60 && c.red() > c.blue() + 60 ? 1 : 0;
            }
        }
        QVERIFY2(wave > 10, qPrintable(QString::number(wave)));
    }

    void clicksOnTitlesSort()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        clickTitle(*pane, "calls");
        Bench::settle(*pane);
        const size_t calls = *pane->table()->columnOf("calls");
        QCOMPARE(std::get<int64_t>(pane->table()->rows.front()[calls]), int64_t{3});
        clickTitle(*pane, "calls");
        Bench::settle(*pane);
        QCOMPARE(std::get<int64_t>(pane->table()->rows.back()[calls]), int64_t{3});
        clickTitle(*pane, "name");
        Bench::settle(*pane);
        QCOMPARE(std::get<std::string>(pane->table()->rows.front()[0]), std::string("ProfilerStep*"));
    }

    void groupingBySplitsRows()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QAction* shape = entry(pane->head()->groupMenu(), u"Input shape"_s);
        QVERIFY(shape);
        shape->trigger();
        Bench::settle(*pane);
        QVERIFY(pane->table()->columnOf("shape"));
        int mm = 0;
        for (const auto& row : pane->table()->rows)
            mm += std::get<std::string>(row[0]) == "aten::mm" ? 1 : 0;
        QCOMPARE(mm, 2);
        QVERIFY(pane->dataTable()->isColumnInView(static_cast<int>(*pane->table()->columnOf("shape"))));
        entry(pane->head()->groupMenu(), u"Input shape"_s)->trigger();
        Bench::settle(*pane);
        QVERIFY(!pane->table()->columnOf("shape"));
    }

    void copiedRowsAreTsvWithHeaders()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        clickRow(*pane, 1);
        clickRow(*pane, 0, Qt::ControlModifier);
        QTest::keySequence(pane->dataTable()->view(), QKeySequence::Copy);
        std::ostringstream expected;
        writeTsvRows(*pane->table(), {0, 1}, expected);
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), expected.str());
        QVERIFY(expected.str().starts_with("name\tkind\tcalls\tself_cpu_us"));
    }

    void manyRowsAreCopiedWhole()
    {
        Bench bench;
        bench.state.setTrace(manyOperators());
        const auto pane = bench.open<OperatorPane>();
        std::vector<uint32_t> rows(5000);
        std::iota(rows.begin(), rows.end(), 0u);
        std::ostringstream expected;
        writeTsvRows(*pane->table(), rows, expected);
        QGuiApplication::clipboard()->clear();
        pane->dataTable()->view()->setFocus();
        QTest::keySequence(pane->dataTable()->view(), QKeySequence::Copy);
        QTRY_VERIFY(!QGuiApplication::clipboard()->text().isEmpty());
        QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), expected.str());
    }

    void whatIsCopiedAfterManyRowsStays()
    {
        Bench bench;
        bench.state.setTrace(manyOperators());
        const auto pane = bench.open<OperatorPane>();
        pane->dataTable()->view()->setFocus();
        QTest::keySequence(pane->dataTable()->view(), QKeySequence::Copy);
        QGuiApplication::clipboard()->setText(u"later"_s);
        QTest::qWait(300); // the rows would be there
        QCOMPARE(QGuiApplication::clipboard()->text(), u"later"_s);
    }

    void aSelectedRowMarksItsSlices()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        clickRow(*pane, rowNamed(*pane, "aten::add"));
        QTRY_VERIFY(bench.state.marks());
        QCOMPARE(bench.state.marks()->count(), uint64_t{3});
        clickRow(*pane, rowNamed(*pane, "aten::mm"), Qt::ControlModifier);
        QTRY_COMPARE(bench.state.marks()->count(), uint64_t{5});
        pane->dataTable()->view()->clearSelection();
        QTRY_VERIFY(!bench.state.marks());
    }

    void aSelectedSliceSelectsItsRowAndMarksNothing()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        const int row = rowNamed(*pane, "aten::add");
        QSignalSpy marks(&bench.state, &ViewState::marksChanged);
        bench.state.select(sliceNamed(*bench.state.trace(), "aten::add"));
        QTRY_COMPARE(pane->dataTable()->selectedRows(), (std::vector<uint32_t>{static_cast<uint32_t>(row)}));
        QTest::qWait(20);
        QCOMPARE(marks.count(), 0);
    }

    void selectingAMarkedSliceKeepsTheMarks()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        clickRow(*pane, rowNamed(*pane, "aten::add"));
        QTRY_VERIFY(bench.state.marks());
        const MaskPtr marks = bench.state.marks();
        bench.state.select(sliceNamed(*bench.state.trace(), "aten::add"));
        QTest::qWait(50);
        QCOMPARE(bench.state.marks(), marks);
        bench.state.select(sliceNamed(*bench.state.trace(), "aten::mm"));
        QTRY_VERIFY(!bench.state.marks());
    }

    void twoTablesShareOneSelection()
    {
        Bench bench;
        const auto operators = bench.open<OperatorPane>();
        const auto kernels = bench.open<KernelPane>();
        clickRow(*operators, rowNamed(*operators, "aten::add"));
        QTRY_VERIFY(bench.state.marks());
        clickRow(*kernels, rowNamed(*kernels, "sgemm"));
        QTRY_COMPARE(bench.state.marks()->count(), uint64_t{2});
        QTRY_VERIFY(operators->dataTable()->selectedRows().empty());
        QCOMPARE(kernels->dataTable()->selectedRows().size(), size_t{1});
        QCOMPARE(bench.state.marks()->count(), uint64_t{2});
    }

    void allRowsAtOnceAreMarkedInOnePass()
    {
        Bench bench;
        const auto pane = bench.open<KernelPane>();
        pane->setGroupBy({GroupKey::Op});
        Bench::settle(*pane);
        pane->dataTable()->view()->setFocus();
        QTest::keySequence(pane->dataTable()->view(), QKeySequence::SelectAll);
        QTRY_VERIFY(bench.state.marks());
        QCOMPARE(bench.state.marks()->count(), uint64_t{2});
    }

    void enterGoesToTheFirstSlice()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QSignalSpy revealed(&bench.state, &ViewState::revealRequested);
        clickRow(*pane, rowNamed(*pane, "aten::add"));
        QTest::keyClick(pane->dataTable()->view(), Qt::Key_Return);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(bench.state.selection(), sliceNamed(*bench.state.trace(), "aten::add"));
    }

    void theScopeIsNamedAndRemovable()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QVERIFY(pane->head()->status().contains(u"whole trace"_s));
        Scope scope;
        scope.step = 1;
        bench.state.setScope(scope);
        Bench::settle(*pane);
        QCOMPARE(std::get<int64_t>(figure(*pane, "aten::add", "calls")), int64_t{2});
        QCOMPARE(pane->tableScope().step, std::optional<int64_t>(1));
        PaneButton* chip = nullptr;
        for (auto* button : pane->findChildren<PaneButton*>()) {
            if (button->accessibleName().contains(u"step 1"_s))
                chip = button;
        }
        QVERIFY(chip);
        QTest::mouseClick(chip, Qt::LeftButton);
        QVERIFY(bench.state.scope().isWhole());
        Bench::settle(*pane);
        QCOMPARE(std::get<int64_t>(figure(*pane, "aten::add", "calls")), int64_t{3});
    }

    void kernelsFollowTheLaunchIntoTheScope()
    {
        Bench bench;
        const auto pane = bench.open<KernelPane>();
        QCOMPARE(std::get<int64_t>(figure(*pane, "sgemm", "calls")), int64_t{2});
        Scope scope;
        scope.range = TimeRange{0, 5000}; // the first launch is in, its kernel starts later
        bench.state.setScope(scope);
        Bench::settle(*pane);
        QCOMPARE(std::get<int64_t>(figure(*pane, "sgemm", "calls")), int64_t{1});
    }

    void aStepRowLeadsToItsStep()
    {
        Bench bench;
        const auto pane = bench.open<StepPane>();
        QCOMPARE(pane->table()->rows.size(), size_t{2});
        QCOMPARE(std::get<TimeCell>(figure(*pane, "ProfilerStep#1", "kernel_us")).ns, int64_t{3000});
        clickRow(*pane, 1);
        QTest::keyClick(pane->dataTable()->view(), Qt::Key_Enter);
        QCOMPARE(bench.state.visible(), (TimeRange{20'000, 30'000}));
        QCOMPARE(bench.state.trace()->startNs(bench.state.selection()), int64_t{20'000});
    }

    void aSliceInAStepSelectsTheStep()
    {
        Bench bench;
        const auto pane = bench.open<StepPane>();
        const SliceRef kernel = sliceNamed(*bench.state.trace(), "sgemm");
        bench.state.select(SliceRef{kernel.lane, kernel.index + 1});
        QTRY_COMPARE(pane->dataTable()->selectedRows(), (std::vector<uint32_t>{1}));
    }

    void memoryHasARowADeviceThatLeadsToThePeak()
    {
        Bench bench;
        const auto pane = bench.open<MemoryPane>();
        QCOMPARE(pane->table()->rows.size(), size_t{1});
        QCOMPARE(std::get<int64_t>(figure(*pane, "1:0", "max_bytes")), int64_t{2048});
        clickRow(*pane, 0);
        QTest::keyClick(pane->dataTable()->view(), Qt::Key_Return);
        QCOMPARE(bench.state.cursorNs(), std::optional<int64_t>(21'500));
        QVERIFY(bench.state.visible().contains(21'500));
    }

    void emptyPanesSayWhatWouldFillThem()
    {
        Bench bench;
        bench.state.setTrace(makeHostTrace());
        const auto kernels = bench.open<KernelPane>();
        QVERIFY(emptyOf(*kernels));
        QVERIFY(emptyOf(*kernels)->text().advice.contains(u"ProfilerActivity.CUDA"_s));
        const auto steps = bench.open<StepPane>();
        QVERIFY(emptyOf(*steps)->text().advice.contains(u"prof.step()"_s));
        const auto memory = bench.open<MemoryPane>();
        QVERIFY(emptyOf(*memory)->text().advice.contains(u"profile_memory=True"_s));
    }

    void aFilterWithoutRowsCanBeClearedByALink()
    {
        Bench bench;
        const auto pane = bench.open<KernelPane>();
        pane->setFilter(u"nothing like it"_s);
        Bench::settle(*pane);
        QVERIFY(emptyOf(*pane));
        auto* link = emptyOf(*pane)->findChild<LinkLabel*>();
        QVERIFY(link->isVisible());
        QTest::mouseClick(link, Qt::LeftButton);
        Bench::settle(*pane);
        QVERIFY(!emptyOf(*pane));
        QCOMPARE(pane->filter(), QString());
        QVERIFY(rowNamed(*pane, "sgemm") >= 0);
    }

    void aStepThatIsNotThereIsAMessage()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        Scope scope;
        scope.step = 77;
        bench.state.setScope(scope);
        Bench::settle(*pane);
        QVERIFY(emptyOf(*pane));
        QVERIFY(emptyOf(*pane)->text().advice.contains(u"77"_s));
        QTest::mouseClick(emptyOf(*pane)->findChild<LinkLabel*>(), Qt::LeftButton);
        Bench::settle(*pane);
        QVERIFY(!emptyOf(*pane));
    }

    void hiddenPanesWaitUntilTheyAreAskedFor()
    {
        Bench bench;
        OperatorPane pane(&bench.state, &bench.themes);
        bench.state.setScope({});
        QVERIFY(!pane.isBusy());
        QVERIFY(pane.table() == nullptr);
        bench.state.setTrace(nullptr);
        bench.state.setTrace(makeTrace());
        QVERIFY(!pane.isBusy());
        QSignalSpy settled(&pane, &TablePane::settled);
        pane.refresh();
        QVERIFY(settled.wait());
        QVERIFY(pane.table() != nullptr);
    }

    void aClosedTraceLeavesNothingBehind()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        clickRow(*pane, 0);
        bench.state.setTrace(nullptr);
        QVERIFY(pane->table() == nullptr);
        QVERIFY(emptyOf(*pane));
        bench.state.setTrace(makeTrace());
        Bench::settle(*pane);
        QVERIFY(pane->table() != nullptr);
        QVERIFY(pane->dataTable()->selectedRows().empty());
    }

    void staleResultsAreDropped()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        for (int i = 0; i < 20; ++i)
            bench.state.setTrace(i % 2 == 0 ? makeHostTrace() : makeTrace());
        bench.state.setTrace(makeHostTrace());
        Bench::settle(*pane);
        QCOMPARE(pane->table()->rows.size(), size_t{1});
        QVERIFY(rowNamed(*pane, "aten::mul") >= 0);
    }

    void columnsSortAndGroupAreRemembered()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        pane->dataTable()->setColumnWanted(static_cast<int>(*pane->table()->columnOf("cpu_total_percent")), true);
        clickTitle(*pane, "calls");
        entry(pane->head()->groupMenu(), u"Thread"_s)->trigger();
        Bench::settle(*pane);
        const QJsonObject saved = pane->saveState();

        const auto other = bench.open<OperatorPane>();
        other->restoreState(saved);
        Bench::settle(*other);
        QVERIFY(other->table()->columnOf("thread"));
        QVERIFY(other->dataTable()->isColumnWanted(static_cast<int>(*other->table()->columnOf("cpu_total_percent"))));
        QCOMPARE(other->dataTable()->model()->shown()->order->column, *other->table()->columnOf("calls"));
    }

    void everythingIsReachedByTab()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QVERIFY(QTest::qWaitForWindowActive(pane.get()));
        filterEdit(*pane)->setFocus();
        QStringList names;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            names.append(QApplication::focusWidget()->accessibleName());
        }
        for (const QString& name : {u"Group rows by"_s, u"Show and hide columns"_s, u"Copy rows with headers"_s,
                 u"Export this table"_s, u"Operators"_s})
            QVERIFY2(names.contains(name), qPrintable(name + u" not in "_s + names.join(u", "_s)));
    }

    void everyFigureExplainsItself()
    {
        Bench bench;
        const auto check = [](TablePane& pane) {
            TableModel* model = pane.dataTable()->model();
            for (int column = 0; column < model->columnCount(); ++column) {
                const QString tip = model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
                const qsizetype help = tip.size() - tip.indexOf(u"<br/>"_s);
                QVERIFY2(help > 20, pane.table()->columns[static_cast<size_t>(column)].key.c_str());
            }
        };
        const auto operators = bench.open<OperatorPane>();
        OperatorOptions options;
        options.groupBy
            = {GroupKey::Shape, GroupKey::Stack, GroupKey::Thread, GroupKey::Process, GroupKey::File, GroupKey::Rank};
        operators->setOptions(options);
        Bench::settle(*operators);
        check(*operators);
        options.totals = OperatorTotals::Once;
        operators->setOptions(options);
        Bench::settle(*operators);
        check(*operators);
        const auto kernels = bench.open<KernelPane>();
        kernels->setGroupBy({GroupKey::Device, GroupKey::Stream, GroupKey::Op, GroupKey::Shape});
        Bench::settle(*kernels);
        check(*kernels);
        check(*bench.open<StepPane>());
        check(*bench.open<MemoryPane>());
    }

    void theThemeSwitchesLive()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        const auto corner = [&] { return pane->grab().toImage().pixelColor(pane->width() - 30, pane->height() - 40); };
        QCOMPARE(corner(), Theme::light().panel);
        bench.themes.setMode(ThemeMode::Dark);
        QCOMPARE(corner(), Theme::dark().panel);
    }

    void largerTextMakesLargerRows()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        const int row = pane->dataTable()->view()->rowHeight(0);
        const int head = pane->head()->height();
        QFont font = pane->font();
        font.setPixelSize(QFontInfo(font).pixelSize() * 2);
        pane->setFont(font);
        QTRY_VERIFY(pane->head()->height() >= head * 2 - 1);
        QVERIFY(pane->dataTable()->view()->rowHeight(0) >= row * 2 - 1);
    }

    void theAccentLineSaysThatTheRowsHaveTheKeyboard()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        QVERIFY(QTest::qWaitForWindowActive(pane.get()));
        const auto line = [&] { return pane->grab().toImage().pixelColor(pane->width() / 2, 0); };
        filterEdit(*pane)->setFocus();
        QCOMPARE(line(), Theme::light().bar);
        pane->dataTable()->setFocus();
        QCOMPARE(line(), Theme::light().accent);
    }

    void anySizeIsSurvived()
    {
        Bench bench;
        const auto pane = bench.open<OperatorPane>();
        for (const QSize size :
            {QSize(0, 0), QSize(1, 1), QSize(40, 20), QSize(120, 600), QSize(3000, 30), QSize(900, 200)}) {
            pane->resize(size);
            pane->grab();
        }
        QVERIFY(pane->dataTable()->isColumnInView(0));
    }
};

QTEST_MAIN(TestTablePanes)
#include "tst_table_panes.moc"
