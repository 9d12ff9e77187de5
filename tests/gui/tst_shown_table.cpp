#include "common/column_fit.h"
#include "common/shown_table.h"

#include <QtTest>

#include <sstream>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

constexpr char16_t kNoBreak = 0x00A0;
constexpr char16_t kThin = 0x2009;

QString with(const QString& figure, const QString& unit)
{
    return figure + QChar(kNoBreak) + unit;
}

Table makeOps()
{
    Table table;
    table.command = "ops";
    table.groupBy = {"name"};
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count},
        {"self_cpu_us", "Self CPU", ColumnUnit::Time}, {"self_cpu_percent", "Self CPU %", ColumnUnit::Percent},
        {"flops", "Total FLOPs", ColumnUnit::Flops}};
    const auto add = [&](const char* name, int64_t calls, int64_t ns, int64_t hundredths, Cell flops) {
        table.sourceRows.push_back(static_cast<uint32_t>(table.rows.size()));
        table.rows.push_back({std::string(name), calls, TimeCell{ns}, HundredthsCell{hundredths}, std::move(flops)});
    };
    add("c", 12345, 12'345'678, 9999, int64_t{2'000'000});
    add("a", 7, 300, 0, {});
    add("b", 7, 0, 0, int64_t{0});
    add("a", 7, 90'000, 73, {});
    return table;
}

QString cell(const ShownTable& shown, size_t row, const char* key)
{
    return shownText(shown, row, *shown.table.columnOf(key));
}

} // namespace

class TestShownTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneUnitAndDecimalsForAColumn()
    {
        const ShownTable shown = makeShown(makeOps(), {}, {});
        QCOMPARE(cell(shown, 0, "self_cpu_us"), with(u"12.346"_s, u"ms"_s));
        QCOMPARE(cell(shown, 3, "self_cpu_us"), with(u"0.090"_s, u"ms"_s));
        QCOMPARE(cell(shown, 0, "calls"), u"12"_s + QChar(kThin) + u"345"_s);
        QCOMPARE(cell(shown, 0, "flops"), with(u"2.00"_s, u"MFLOP"_s));
    }

    void zeroIsZeroAndUnknownIsADash()
    {
        const ShownTable shown = makeShown(makeOps(), {}, {});
        QCOMPARE(cell(shown, 2, "self_cpu_us"), u"0"_s);
        QCOMPARE(cell(shown, 2, "self_cpu_percent"), u"0"_s);
        QCOMPARE(cell(shown, 2, "flops"), u"0"_s);
        QCOMPARE(cell(shown, 1, "flops"), QString(QChar(0x2013)));
    }

    void aLongerTraceKeepsRowsInPlace()
    {
        const auto made = [](const std::vector<std::pair<std::string, int64_t>>& rows) {
            Table table;
            table.command = "ops";
            table.groupBy = {"name"};
            table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count}};
            for (const auto& [name, calls] : rows) {
                table.sourceRows.push_back(static_cast<uint32_t>(table.rows.size()));
                table.rows.push_back({name, calls});
            }
            return sortedBy(makeShown(std::move(table), {}, {}), {1, true});
        };
        const auto names = [](const ShownTable& shown) {
            QStringList list;
            for (size_t row = 0; row < shown.table.rows.size(); ++row)
                list.append(cell(shown, row, "name"));
            return list.join(u' ');
        };
        const ShownTable before = made({{"a", 9}, {"b", 8}, {"c", 7}});
        const ShownTable later = made({{"d", 50}, {"c", 40}, {"a", 10}, {"e", 9}, {"b", 8}});
        QCOMPARE(names(later), u"d c a e b"_s);
        const ShownTable placed = inOrderOf(later, before);
        QCOMPARE(names(placed), u"a b c d e"_s);
        QCOMPARE(placed.order, before.order);
        QCOMPARE(cell(placed, 2, "calls"), u"40"_s);
        QCOMPARE(placed.table.sourceRows, (std::vector<uint32_t>{2, 4, 1, 0, 3}));
        QCOMPARE(names(inOrderOf(made({{"b", 1}}), before)), u"b"_s);
    }

    void whatIsNotZeroDoesNotLookLikeIt()
    {
        const ShownTable shown = makeShown(makeOps(), {}, {});
        QCOMPARE(cell(shown, 1, "self_cpu_us"), with(u"<0.001"_s, u"ms"_s));
        QCOMPARE(cell(shown, 1, "self_cpu_percent"), with(u"<0.01"_s, u"%"_s));
        QVERIFY(!isZeroShare(shown, 1, 3));
        QVERIFY(isZeroShare(shown, 2, 3));
    }

    void timeUnits_data()
    {
        QTest::addColumn<qint64>("largest");
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("ns") << qint64{999} << qint64{64} << with(u"64"_s, u"ns"_s);
        QTest::newRow("us") << qint64{9'999'999} << qint64{154'321} << with(u"154.3"_s, u"µs"_s);
        QTest::newRow("us, thousands") << qint64{9'999'999} << qint64{9'999'999}
                                       << with(u"10"_s + QChar(kThin) + u"000.0"_s, u"µs"_s);
        QTest::newRow("ms") << qint64{10'000'000} << qint64{154'321} << with(u"0.154"_s, u"ms"_s);
        QTest::newRow("s") << qint64{100'000'000'000} << qint64{2'118'466'000} << with(u"2.118"_s, u"s"_s);
    }
    void timeUnits()
    {
        QFETCH(qint64, largest);
        QFETCH(qint64, value);
        QFETCH(QString, text);
        Table table;
        table.columns = {{"name", "Name", ColumnUnit::Text}, {"t_us", "T", ColumnUnit::Time}};
        table.rows = {{std::string("large"), TimeCell{largest}}, {std::string("value"), TimeCell{value}}};
        const ShownTable shown = makeShown(std::move(table), {}, {});
        QCOMPARE(shownText(shown, 1, 1), text);
    }

    void stepsHaveOneUnitAcross()
    {
        Table table;
        table.command = "steps";
        table.columns = {{"name", "Name", ColumnUnit::Text}, {"dur_us", "Duration", ColumnUnit::Time},
            {"memset_us", "Memset", ColumnUnit::Time}};
        table.rows = {{std::string("ProfilerStep#1"), TimeCell{50'000'000}, TimeCell{58'000}}};
        const ShownTable shown = makeShown(std::move(table), {}, {});
        QCOMPARE(shownText(shown, 0, 1), with(u"50.000"_s, u"ms"_s));
        QCOMPARE(shownText(shown, 0, 2), with(u"0.058"_s, u"ms"_s));
    }

    void emptyColumnsAreKnown()
    {
        Table table = makeOps();
        for (auto& row : table.rows)
            row[4] = {};
        const ShownTable shown = makeShown(std::move(table), {}, {});
        QVERIFY(shown.traits->formats[4].isEmpty);
        QVERIFY(!shown.traits->formats[2].isEmpty);
    }

    void sortingIsThatOfTheCommandLineWhateverCameBefore()
    {
        const ShownTable listed = makeShown(makeOps(), {}, {});
        const SortOrder byCalls{1, true};
        ShownTable twice = sortedBy(listed, {2, false});
        twice = sortedBy(twice, byCalls);
        Table once = makeOps();
        sortTable(once, byCalls);
        std::ostringstream shown;
        std::ostringstream printed;
        writeTable(twice.table, TableFormat::Csv, shown);
        writeTable(once, TableFormat::Csv, printed);
        QCOMPARE(shown.str(), printed.str());
        QCOMPARE(twice.table.sourceRows, once.sourceRows);
    }

    void rowsThatALimitLeftCanBeSortedToo()
    {
        ShownTable shown = sortedBy(makeShown(makeOps(), {}, {}), {2, true});
        limitTable(shown.table, 2);
        const ShownTable again = sortedBy(shown, {0, false});
        QCOMPARE(again.table.sourceRows, (std::vector<uint32_t>{3, 0}));
    }

    void keysAreOfTheRowAndNotOfItsPlace()
    {
        const ShownTable listed = makeShown(makeOps(), {}, {});
        const ShownTable sorted = sortedBy(listed, {2, true});
        QCOMPARE(sorted.rowKey(0), listed.rowKey(0));
        QCOMPARE(sorted.rowKey(1), listed.rowKey(3));
        QVERIFY(listed.rowKey(1) != listed.rowKey(3)); // two rows of one name
    }

    void longNamesKeepBothEnds()
    {
        Table table = makeOps();
        table.rows[0][0] = "head" + std::string(100'000, 'x') + "tail";
        table.rows[1][0] = std::string();
        const ShownTable shown = makeShown(std::move(table), {}, {});
        const QString text = shownText(shown, 0, 0);
        QVERIFY(text.size() < 3000);
        QVERIFY(text.startsWith(u"head"_s));
        QVERIFY(text.endsWith(u"tail"_s));
        QVERIFY(text.contains(u'…'));
        QCOMPARE(shownText(shown, 1, 0), u"(no name)"_s);
    }

    void sums()
    {
        const Table table = makeOps();
        QCOMPARE(std::get<int64_t>(columnSum(table, "calls")), int64_t{12366});
        QCOMPARE(std::get<TimeCell>(columnSum(table, "self_cpu_us")).ns, int64_t{12'435'978});
        QVERIFY(std::holds_alternative<std::monostate>(columnSum(table, "self_cpu_percent")));
        QVERIFY(std::holds_alternative<std::monostate>(columnSum(table, "no such key")));
    }

    void columnsLeaveInTheirOrder()
    {
        const ColumnWish name{.least = 100, .smallest = 60, .natural = 300};
        const ColumnWish always{.least = 80, .natural = 80};
        const ColumnWish second{.least = 80, .natural = 80, .leavesAt = 1};
        const ColumnWish first{.least = 80, .natural = 80, .leavesAt = 0};
        const std::vector<ColumnWish> wishes{name, second, first, always};
        QCOMPARE(fitColumns(wishes, 340, 0), (std::vector<int>{100, 80, 80, 80}));
        QCOMPARE(fitColumns(wishes, 339, 0), (std::vector<int>{179, 80, 0, 80}));
        QCOMPARE(fitColumns(wishes, 200, 0), (std::vector<int>{120, 0, 0, 80}));
        QCOMPARE(fitColumns(wishes, 150, 0), (std::vector<int>{70, 0, 0, 80})); // then the name shrinks
        QCOMPARE(fitColumns(wishes, 90, 0), (std::vector<int>{60, 0, 0, 80})); // then the table scrolls
    }

    void roomGoesToTheNameFirstThenToAll()
    {
        const ColumnWish name{.least = 100, .natural = 150};
        const ColumnWish free{.least = 80, .natural = 80};
        const ColumnWish byHand{.least = 80, .natural = 80, .isFixed = true};
        const std::vector<ColumnWish> wishes{name, free, byHand};
        QCOMPARE(fitColumns(wishes, 300, 20), (std::vector<int>{140, 80, 80}));
        QCOMPARE(fitColumns(wishes, 320, 20), (std::vector<int>{150, 90, 80}));
        QCOMPARE(fitColumns(wishes, 400, 20), (std::vector<int>{220, 100, 80}));
    }
};

QTEST_GUILESS_MAIN(TestShownTable)
#include "tst_shown_table.moc"
