#include "common/data_table.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QtTest>

#include <atomic>
#include <thread>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

Table makeTable(int rows)
{
    Table table;
    table.command = "ops";
    table.groupBy = {"name"};
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count},
        {"total_us", "Total", ColumnUnit::Time}, {"bytes", "Bytes", ColumnUnit::Bytes}};
    for (int i = 0; i < rows; ++i) {
        table.sourceRows.push_back(static_cast<uint32_t>(i));
        table.rows.push_back(
            {"row " + std::to_string(i), int64_t{i}, TimeCell{int64_t{1000} * ((i * 37) % rows)}, Cell()});
    }
    return table;
}

std::shared_ptr<const ShownTable> shownOf(Table table)
{
    FooterFigures footer{u"all"_s, {{"calls", columnSum(table, "calls")}}};
    return std::make_shared<const ShownTable>(makeShown(std::move(table), {}, footer));
}

ColumnPolicy policy()
{
    return {{"bytes"}, {"calls", "total_us"}, {"bytes", "calls"}};
}

} // namespace

class TestTableModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin)"_s)); }

    void modelHoldsThroughResetsAndReorders()
    {
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTable(shownOf(makeTable(50)));
        QCOMPARE(model.rowCount(), 50);
        model.reorder(std::make_shared<const ShownTable>(sortedBy(*model.shown(), {2, true})));
        model.reorder(std::make_shared<const ShownTable>(sortedBy(*model.shown(), {1, false})));
        model.setTable(shownOf(makeTable(3)));
        QCOMPARE(model.rowCount(), 3);
        model.setTable(shownOf(makeTable(0)));
        QCOMPARE(model.rowCount(), 0);
        model.setTable(nullptr);
        QCOMPARE(model.columnCount(), 0);
    }

    void whatIsShownNoMoreIsFreedByAWorker()
    {
        std::atomic<int> freedHere = 0;
        std::atomic<int> freed = 0;
        const auto here = std::this_thread::get_id();
        const auto watched = [&] {
            return std::shared_ptr<const ShownTable>(
                new ShownTable(*shownOf(makeTable(20))), [&, here](const ShownTable* table) {
                    delete table;
                    freedHere += std::this_thread::get_id() == here ? 1 : 0;
                    ++freed;
                });
        };
        TableModel model;
        model.setTable(watched());
        model.reorder(watched());
        model.setTable(nullptr);
        QTRY_COMPARE(freed.load(), 2);
        QCOMPARE(freedHere.load(), 0);
    }

    void anOrderMovesPersistentIndexesWithTheirRows()
    {
        TableModel model;
        model.setTable(shownOf(makeTable(20)));
        const QPersistentModelIndex seventh = model.index(7, 0);
        const QString name = seventh.data().toString();
        model.reorder(std::make_shared<const ShownTable>(sortedBy(*model.shown(), {2, true})));
        QCOMPARE(seventh.data().toString(), name);
        QVERIFY(seventh.row() != 7);
    }

    void toolTipsNeverReadNamesAsHtml()
    {
        Table table = makeTable(1);
        table.rows[0][0] = std::string("<b>bold</b> & <img src=x>");
        TableModel model;
        model.setTable(shownOf(std::move(table)));
        const QString tip = model.index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(u"&lt;b&gt;bold&lt;/b&gt; &amp; &lt;img src=x&gt;"_s));
        QVERIFY(!tip.contains(u"<img"_s));
    }

    void toolTipsSayTheFigureToTheNanosecond()
    {
        Table table = makeTable(1);
        table.rows[0][2] = TimeCell{1'234'567};
        TableModel model;
        model.setColumnHelp([](const std::string& key) { return QString::fromStdString("help of " + key); });
        model.setTable(shownOf(std::move(table)));
        const QString tip = model.index(0, 2).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(u"1.234\u2009567"_s), qPrintable(tip));
        QVERIFY(tip.contains(u"help of total_us"_s));
        QVERIFY(model.headerData(2, Qt::Horizontal, Qt::ToolTipRole).toString().contains(u"help of total_us"_s));
    }

    void emptyColumnsAreHiddenUntilAskedFor()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.setColumnPolicy(policy());
        data.resize(800, 300);
        data.show();
        data.setTable(shownOf(makeTable(5)));
        QVERIFY(data.isColumnInView(1));
        QVERIFY(!data.isColumnInView(3));
        data.setColumnWanted(3, true);
        QVERIFY(data.isColumnInView(3));
        data.resetColumns();
        QVERIFY(!data.isColumnInView(3));
    }

    void columnsLeaveANarrowTableAndComeBack()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.setColumnPolicy(policy());
        data.resize(800, 300);
        data.show();
        data.setTable(shownOf(makeTable(5)));
        data.resize(220, 300);
        QVERIFY(!data.isColumnInView(1));
        QVERIFY(data.isColumnWanted(1));
        QVERIFY(data.isColumnInView(2));
        data.resize(800, 300);
        QVERIFY(data.isColumnInView(1));
        int sum = 0;
        for (int column = 0; column < 4; ++column)
            sum += data.view()->horizontalHeader()->sectionSize(column);
        QCOMPARE(sum, data.view()->viewport()->width());
    }

    void selectionCurrentAndScrollSurviveANewResult()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.setColumnPolicy(policy());
        data.resize(500, 200);
        data.show();
        data.setTable(shownOf(makeTable(200)));
        data.view()->selectRow(120);
        data.view()->scrollTo(data.model()->index(120, 0), QAbstractItemView::PositionAtTop);
        QSignalSpy edited(&data, &DataTable::selectionEdited);
        Table next = makeTable(200);
        next.rows.erase(next.rows.begin(), next.rows.begin() + 50);
        next.sourceRows.resize(next.rows.size());
        data.setTable(shownOf(std::move(next)));
        QCOMPARE(data.selectedRows(), (std::vector<uint32_t>{70}));
        QCOMPARE(data.view()->currentIndex().row(), 70);
        QCOMPARE(data.view()->rowAt(0), 70);
        QCOMPARE(edited.count(), 0);
    }

    /// Painting looks through the ranges for each cell.
    void rowsSelectedTogetherStayOneRange()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.resize(500, 200);
        data.show();
        data.setTable(shownOf(makeTable(300)));
        data.view()->selectAll();
        data.setTable(shownOf(makeTable(300)));
        QCOMPARE(data.selectedRows().size(), size_t{300});
        QCOMPARE(data.view()->selectionModel()->selection().size(), 1);
        Table next = makeTable(310); // ten new ones
        std::rotate(next.rows.begin() + 100, next.rows.begin() + 300, next.rows.end());
        data.setTable(shownOf(std::move(next)));
        QCOMPARE(data.selectedRows().size(), size_t{300});
        QCOMPARE(data.view()->selectionModel()->selection().size(), 2);
    }

    /// A least height that grows makes the header resize one row after the other: a time by the square of their number.
    void anotherFontResizesAllRowsAtOnce()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.resize(500, 200);
        data.show();
        data.setTable(shownOf(makeTable(300)));
        const QHeaderView* rows = data.view()->verticalHeader();
        const int before = rows->sectionSize(299);
        const int least = rows->minimumSectionSize();
        const QFont usual = data.font();
        QFont large = usual;
        large.setPixelSize(QFontInfo(usual).pixelSize() * 2);
        data.setFont(large);
        QVERIFY(rows->sectionSize(299) > before);
        QCOMPARE(rows->length(), 300 * rows->sectionSize(0));
        QCOMPARE(rows->minimumSectionSize(), least);
        data.setFont(usual);
        QCOMPARE(rows->sectionSize(299), before);
    }

    void onlyAPersonsSelectionIsReported()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.resize(500, 200);
        data.show();
        data.setTable(shownOf(makeTable(5)));
        QSignalSpy edited(&data, &DataTable::selectionEdited);
        data.selectRow(3);
        QCOMPARE(edited.count(), 0);
        const QRect row = data.view()->visualRect(data.model()->index(1, 0));
        QTest::mouseClick(data.view()->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(edited.count(), 1);
        QCOMPARE(data.selectedRows(), (std::vector<uint32_t>{1}));
    }

    void aClickOnATitleAsksForASort()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.setColumnPolicy(policy());
        data.resize(800, 200);
        data.show();
        data.setTable(shownOf(makeTable(5)));
        QSignalSpy sort(&data, &DataTable::sortRequested);
        QHeaderView* header = data.view()->horizontalHeader();
        const QPoint onTotal(header->sectionViewportPosition(2) + 20, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, onTotal);
        QCOMPARE(sort.count(), 1);
        QCOMPARE(sort[0][0].toInt(), 2);
        QCOMPARE(sort[0][1].toBool(), true); // numbers fall
        data.reorder(std::make_shared<const ShownTable>(sortedBy(*data.model()->shown(), {2, true})));
        QCOMPARE(header->sortIndicatorSection(), 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, onTotal);
        QCOMPARE(sort[1][1].toBool(), false);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, QPoint(20, header->height() / 2));
        QCOMPARE(sort[2][0].toInt(), 0);
        QCOMPARE(sort[2][1].toBool(), false); // texts rise
    }

    void keysAndDoubleClickActivateRows()
    {
        ThemeHost themes;
        DataTable data(&themes);
        data.resize(500, 200);
        data.show();
        data.setTable(shownOf(makeTable(5)));
        QSignalSpy activated(&data, &DataTable::rowActivated);
        data.view()->selectRow(2);
        QTest::keyClick(data.view(), Qt::Key_Return);
        const QRect row = data.view()->visualRect(data.model()->index(4, 0));
        QTest::mouseDClick(data.view()->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(activated.count(), 2);
        QCOMPARE(activated[0][0].toInt(), 2);
        QCOMPARE(activated[1][0].toInt(), 4);
    }
};

QTEST_MAIN(TestTableModel)
#include "tst_table_model.moc"
