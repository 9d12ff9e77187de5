#include "export/display_text.h"
#include "export/json_writer.h"
#include "export/table.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <sstream>

using namespace torchline;

namespace {

QByteArray bytes(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

/// Texts that break careless writers.
std::vector<std::string> hostileTexts()
{
    return {"esc\x1b[31mred", "bell\a", std::string("nul\0byte", 8), "tab\there", "line\nfeed", "return\r",
        "both\r\nends", "next\xC2\x85line", "=1+1", "-2+3", "+4", "@x", "a|b", "quote \"q\"", "\"", "comma, semicolon;",
        "back\\slash\\n", "C:\\dir\\", "<b>&amp;", "%s%n", " blanks ", "", "\xE2\x80\xAEright", "\xF0\x9F\x94\xA5"};
}

Table hostileTable()
{
    Table table;
    table.command = "ops";
    table.files = {"a\"b.json"};
    table.groupBy = {"name"};
    table.extras = {{"totals", std::string("once")}, {"self_cpu_total_us", TimeCell{1234}}};
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count},
        {"self_us", "Self", ColumnUnit::Time}, {"share_percent", "Share", ColumnUnit::Percent},
        {"mem_bytes", "Mem", ColumnUnit::Bytes, true}};
    for (const std::string& text : hostileTexts()) {
        const auto i = static_cast<int64_t>(table.rows.size());
        table.rows.push_back({text, i, TimeCell{i * 1001 - 2}, HundredthsCell{i - 2}, Cell()});
        table.sourceRows.push_back(static_cast<uint32_t>(i));
    }
    return table;
}

std::string written(const Table& table, TableFormat format)
{
    std::ostringstream out;
    writeTable(table, format, out);
    return out.str();
}

using Rows = std::vector<std::vector<std::string>>;

Rows cellTexts(const Table& table)
{
    Rows rows;
    for (const auto& row : table.rows) {
        auto& texts = rows.emplace_back();
        for (const Cell& cell : row)
            texts.push_back(cellText(cell));
    }
    return rows;
}

Rows readCsv(const std::string& text)
{
    Rows rows{{}};
    for (size_t i = 0; i < text.size();) {
        std::string cell;
        if (text[i] == '"') {
            for (++i; text[i] != '"' || text[i + 1] == '"'; ++i) {
                cell += text[i];
                i += text[i] == '"' ? 1 : 0;
            }
            ++i;
        }
        while (text[i] != ',' && text[i] != '\n')
            cell += text[i++];
        rows.back().push_back(cell);
        if (text[i++] == '\n')
            rows.emplace_back();
    }
    rows.pop_back();
    return rows;
}

Rows readTsv(const std::string& text)
{
    Rows rows{{""}};
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') {
            rows.push_back({""});
        } else if (text[i] == '\t') {
            rows.back().emplace_back();
        } else if (text[i] == '\\') {
            const char c = text[++i];
            rows.back().back() += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        } else {
            rows.back().back() += text[i];
        }
    }
    rows.pop_back();
    return rows;
}

Rows readMarkdown(const std::string& text)
{
    Rows rows;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        auto& cells = rows.emplace_back();
        for (size_t i = 2; i < line.size();) { // past "| "
            std::string cell;
            for (; line[i] != '|'; ++i) {
                i += line[i] == '\\' ? 1 : 0;
                cell += line[i];
            }
            cell.pop_back();
            cells.push_back(cell);
            i += 2;
        }
    }
    rows.erase(rows.begin() + 1); // dashes
    return rows;
}

void compareRows(const Rows& got, const Rows& want)
{
    QCOMPARE(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
        QCOMPARE(got[i].size(), want[i].size());
        for (size_t k = 0; k < want[i].size(); ++k)
            QCOMPARE(bytes(got[i][k]), bytes(want[i][k]));
    }
}

Rows withHeader(const Table& table)
{
    Rows rows = cellTexts(table);
    std::vector<std::string> header;
    for (const Column& column : table.columns)
        header.push_back(column.key);
    rows.insert(rows.begin(), header);
    return rows;
}

QByteArray order(const Table& table, std::string_view sort)
{
    const auto parsed = parseSortOrder(table, sort);
    if (!parsed)
        return "fault: " + bytes(parsed.error().message());
    QByteArray out;
    for (const uint32_t i : sortedOrder(table, *parsed))
        out += static_cast<char>('a' + i);
    return out;
}

} // namespace

class TestTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void csvReadsBack();
    void csvQuotesEveryText();
    void tsvReadsBack();
    void markdownReadsBack();
    void jsonReadsBack();
    void jsonKeepsDigits();
    void textHasNoControlCharacters();
    void textShowsUnitsOfTorch();
    void textLeavesOutEmptyOptionalColumns();
    void limitSaysHowManyAreLeftOut();
    void everyFormSaysThatMoreIsRead();
    void sortsAsAsked_data();
    void sortsAsAsked();
    void sortingKeepsSourceRows();
    void figuresAreRoundedHalfToEven();
    void displayTexts_data();
    void displayTexts();
    void longNamesAreElidedByCodePoints();
    void flopsUnitComesFromTheSmallestValue();
    void jsonTextIsAlwaysUtf8();
};

void TestTable::csvReadsBack()
{
    const Table table = hostileTable();
    compareRows(readCsv(written(table, TableFormat::Csv)), withHeader(table));
}

void TestTable::csvQuotesEveryText()
{
    Table table = hostileTable();
    table.rows.resize(1);
    table.sourceRows.resize(1);
    QCOMPARE(bytes(written(table, TableFormat::Csv)),
        QByteArray(
            "\"name\",\"calls\",\"self_us\",\"share_percent\",\"mem_bytes\"\n\"esc\x1b[31mred\",0,-0.002,-0.02,\n"));
}

void TestTable::tsvReadsBack()
{
    const Table table = hostileTable();
    compareRows(readTsv(written(table, TableFormat::Tsv)), withHeader(table));
    std::ostringstream out;
    writeTsvRows(table, {2, 4}, out);
    const Rows rows = readTsv(out.str());
    QCOMPARE(rows.size(), size_t{3});
    QCOMPARE(bytes(rows[1][0]), bytes(hostileTexts()[2]));
    QCOMPARE(bytes(rows[2][0]), bytes(hostileTexts()[4]));
}

void TestTable::markdownReadsBack()
{
    const Table table = hostileTable();
    Rows want = withHeader(table);
    for (auto& row : want) {
        QByteArray text = bytes(row[0]);
        text.replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>");
        row[0] = text.toStdString();
    }
    compareRows(readMarkdown(written(table, TableFormat::Markdown)), want);
}

void TestTable::jsonReadsBack()
{
    const Table table = hostileTable();
    QJsonParseError error;
    const auto document = QJsonDocument::fromJson(bytes(written(table, TableFormat::Json)), &error);
    QCOMPARE(error.error, QJsonParseError::NoError);
    const QJsonObject root = document.object();
    QCOMPARE(root.keys().size(), 6);
    QCOMPARE(root[QLatin1String("command")].toString(), QLatin1String("ops"));
    QCOMPARE(root[QLatin1String("files")].toArray().first().toString(), QLatin1String("a\"b.json"));
    QCOMPARE(root[QLatin1String("self_cpu_total_us")].toDouble(), 1.234);
    const QJsonArray rows = root[QLatin1String("rows")].toArray();
    QCOMPARE(static_cast<size_t>(rows.size()), table.rows.size());
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const QJsonObject row = rows[i].toObject();
        QCOMPARE(row[QLatin1String("name")].toString().toUtf8(), bytes(hostileTexts()[static_cast<size_t>(i)]));
        QCOMPARE(row[QLatin1String("calls")].toInt(), static_cast<int>(i));
        QVERIFY(row[QLatin1String("mem_bytes")].isNull());
    }
}

void TestTable::jsonKeepsDigits()
{
    Table table = hostileTable();
    table.rows
        = {{std::string("x"), int64_t{9007199254740993}, TimeCell{1719234567890125065}, HundredthsCell{1}, Cell()},
            {std::string("y"), int64_t{-1}, TimeCell{kMinNs}, HundredthsCell{-12345}, Cell(int64_t{0})}};
    table.sourceRows = {0, 1};
    const QByteArray json = bytes(written(table, TableFormat::Json));
    QVERIFY(json.contains("{\"name\": \"x\", \"calls\": 9007199254740993, \"self_us\": 1719234567890125.065, "
                          "\"share_percent\": 0.01, \"mem_bytes\": null}"));
    QVERIFY(json.contains("{\"name\": \"y\", \"calls\": -1, \"self_us\": -9223372036854775.808, "
                          "\"share_percent\": -123.45, \"mem_bytes\": 0}"));
}

void TestTable::textHasNoControlCharacters()
{
    for (const char c : written(hostileTable(), TableFormat::Text))
        QVERIFY(c == '\n' || static_cast<uint8_t>(c) >= 0x20);
    const QByteArray text = bytes(written(hostileTable(), TableFormat::Text));
    QVERIFY(text.contains("line\\nfeed"));
    QVERIFY(!text.contains("\xC2\x85"));
}

void TestTable::textShowsUnitsOfTorch()
{
    Table table = hostileTable();
    table.rows = {
        {std::string("op"), int64_t{3}, TimeCell{1'234'567}, HundredthsCell{5000}, Cell(int64_t{1536})},
        {std::string("longer"), int64_t{12}, TimeCell{999}, Cell(), Cell(int64_t{-5})},
    };
    table.sourceRows = {0, 1};
    QCOMPARE(bytes(written(table, TableFormat::Text)),
        QByteArray("Name           Calls          Self         Share           Mem\n"
                   "------  ------------  ------------  ------------  ------------\n"
                   "op                 3       1.235ms        50.00%       1.50 KB\n"
                   "longer            12       0.999us             -          -5 B\n"
                   "\n"
                   "Totals: once\n"
                   "Self CPU time total: 1.234us\n"));
}

void TestTable::textLeavesOutEmptyOptionalColumns()
{
    Table table = hostileTable();
    QVERIFY(!bytes(written(table, TableFormat::Text)).contains("Mem"));
    table.rows[0][4] = int64_t{0};
    QVERIFY(!bytes(written(table, TableFormat::Text)).contains("Mem"));
    table.rows[0][4] = int64_t{1};
    QVERIFY(bytes(written(table, TableFormat::Text)).contains("Mem"));
    QVERIFY(bytes(written(hostileTable(), TableFormat::Csv)).contains("mem_bytes"));
}

void TestTable::limitSaysHowManyAreLeftOut()
{
    Table table = hostileTable();
    const auto rows = static_cast<uint64_t>(table.rows.size());
    limitTable(table, 0);
    QCOMPARE(table.leftOut, uint64_t{0});
    limitTable(table, rows);
    QCOMPARE(table.leftOut, uint64_t{0});
    limitTable(table, 5);
    QCOMPARE(table.rows.size(), size_t{5});
    QCOMPARE(table.sourceRows.size(), size_t{5});
    QCOMPARE(table.leftOut, rows - 5);
    const QByteArray last
        = QByteArray::number(qulonglong{rows - 5}) + " more rows are left out (--limit 0 shows all)\n";
    QVERIFY(bytes(written(table, TableFormat::Text)).endsWith(QByteArray('\n' + last)));
    QVERIFY(bytes(written(table, TableFormat::Markdown)).endsWith(QByteArray("\n\n" + last)));
    QVERIFY(!bytes(written(table, TableFormat::Csv)).contains("left out"));
}

void TestTable::everyFormSaysThatMoreIsRead()
{
    Table table = hostileTable();
    for (const TableFormat format :
        {TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Markdown, TableFormat::Text})
        QVERIFY(!bytes(written(table, format)).toLower().contains("partial"));

    table.readSoFar = "only the first 5 bytes of \"a\tb\"";
    Rows lines = withHeader(table);
    lines.front().emplace_back("partial");
    for (size_t i = 1; i < lines.size(); ++i)
        lines[i].push_back(table.readSoFar);
    compareRows(readCsv(written(table, TableFormat::Csv)), lines);
    compareRows(readTsv(written(table, TableFormat::Tsv)), lines);
    std::ostringstream chosen;
    writeTsvRows(table, {0}, chosen);
    compareRows(readTsv(chosen.str()), {lines[0], lines[1]});
    const auto json = QJsonDocument::fromJson(bytes(written(table, TableFormat::Json))).object();
    QCOMPARE(json[QLatin1String("partial")].toString().toUtf8(), bytes(table.readSoFar));
    QCOMPARE(static_cast<size_t>(json[QLatin1String("rows")].toArray().size()), table.rows.size());
    const QByteArray line = "\nPartial: only the first 5 bytes of \"a\tb\"\n";
    QVERIFY(bytes(written(table, TableFormat::Markdown)).endsWith(QByteArray('\n' + line)));
    QVERIFY(bytes(written(table, TableFormat::Text)).endsWith(line));
}

void TestTable::sortsAsAsked_data()
{
    QTest::addColumn<QByteArray>("sort");
    QTest::addColumn<QByteArray>("want");
    QTest::newRow("numbers fall, ties by name, null last") << QByteArray("calls") << QByteArray("dacbe");
    QTest::newRow("asc keeps ties by name, null last") << QByteArray("calls:asc") << QByteArray("bacde");
    QTest::newRow("desc") << QByteArray("calls:desc") << QByteArray("dacbe");
    QTest::newRow("texts rise") << QByteArray("name") << QByteArray("dbace");
    QTest::newRow("texts fall") << QByteArray("name:desc") << QByteArray("ecabd");
    QTest::newRow("unknown key") << QByteArray("colour")
                                 << QByteArray("fault: no column is called 'colour' (there are name, calls)");
    QTest::newRow("unknown direction") << QByteArray("calls:up")
                                       << QByteArray("fault: 'up' is no direction (there are asc and desc)");
}

void TestTable::sortsAsAsked()
{
    QFETCH(QByteArray, sort);
    QFETCH(QByteArray, want);
    Table table;
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count}};
    table.rows = {{std::string("m"), int64_t{2}}, {std::string("b"), int64_t{-1}}, {std::string("z"), int64_t{2}},
        {std::string("B"), int64_t{10}}, {std::string("zz"), Cell()}};
    QCOMPARE(order(table, sort.toStdString()), want);
}

void TestTable::sortingKeepsSourceRows()
{
    Table table;
    table.columns = {{"name", "Name", ColumnUnit::Text}, {"calls", "Calls", ColumnUnit::Count}};
    table.rows = {{std::string("a"), int64_t{1}}, {std::string("b"), int64_t{3}}, {std::string("c"), int64_t{2}}};
    table.sourceRows = {7, 8, 9};
    sortTable(table, *parseSortOrder(table, "calls"));
    QCOMPARE(table.sourceRows, (std::vector<uint32_t>{8, 9, 7}));
    QCOMPARE(bytes(cellText(table.rows[0][0])), QByteArray("b"));
}

void TestTable::figuresAreRoundedHalfToEven()
{
    const auto percent = [](int64_t a, int64_t b) { return bytes(cellText(percentCell(a, b))); };
    QCOMPARE(percent(1, 3), QByteArray("33.33"));
    QCOMPARE(percent(2, 3), QByteArray("66.67"));
    QCOMPARE(percent(1, 80000), QByteArray("0.00"));
    QCOMPARE(percent(3, 80000), QByteArray("0.00"));
    QCOMPARE(percent(1, 20000), QByteArray("0.00")); // 0.005: to even
    QCOMPARE(percent(3, 20000), QByteArray("0.02")); // 0.015: to even
    QCOMPARE(percent(-1, 3), QByteArray("-33.33"));
    QCOMPARE(percent(7, 7), QByteArray("100.00"));
    QCOMPARE(percent(0, 7), QByteArray("0.00"));
    QCOMPARE(percentCell(5, 0), Cell());
    QCOMPARE(percent(kMaxNs, kMaxNs), QByteArray("100.00"));
    QCOMPARE(bytes(cellText(ratioCell(2097152, 1000))), QByteArray("2097.15"));
}

void TestTable::displayTexts_data()
{
    QTest::addColumn<QByteArray>("got");
    QTest::addColumn<QByteArray>("want");
    const auto time = [](int64_t ns, const char* want) {
        QTest::addRow("%lld ns", static_cast<long long>(ns)) << bytes(torchTimeText(ns)) << QByteArray(want);
    };
    time(0, "0.000us");
    time(999'999, "999.999us");
    time(1'000'000, "1.000ms");
    time(1'234'500, "1.234ms"); // half to even
    time(999'999'999, "1000.000ms");
    time(1'000'000'000, "1.000s");
    time(-2'500, "-2.500us");
    time(kMinNs, "-9223372036.855s");
    const auto size = [](int64_t count, const char* want) {
        QTest::addRow("%lld B", static_cast<long long>(count)) << bytes(torchBytesText(count)) << QByteArray(want);
    };
    size(0, "0 B");
    size(-1023, "-1023 B");
    size(1024, "1.00 KB");
    size(-1'572'864, "-1.50 MB");
    size(85'899'345'920, "80.00 GB");
}

void TestTable::displayTexts()
{
    QFETCH(QByteArray, got);
    QFETCH(QByteArray, want);
    QCOMPARE(got, want);
}

void TestTable::longNamesAreElidedByCodePoints()
{
    std::string name;
    for (int i = 0; i < 56; ++i)
        name += "\xC3\xA4";
    QCOMPARE(elidedText(name, 56), name);
    const std::string cut = elidedText(name, 55);
    QCOMPARE(cut.size(), size_t{52 * 2 + 3});
    QVERIFY(cut.ends_with("\xC3\xA4..."));
    QCOMPARE(textWidth(cut), size_t{55});
}

void TestTable::flopsUnitComesFromTheSmallestValue()
{
    const FlopsUnit mega = torchFlopsUnit({0, 5'000'000'000, 2'500'000});
    QCOMPARE(bytes(mega.name), QByteArray("MFLOPs"));
    QCOMPARE(bytes(torchFlopsText(5'000'000'000, mega)), QByteArray("5000.000"));
    QCOMPARE(bytes(torchFlopsText(0, mega)), QByteArray("--"));
    QCOMPARE(bytes(torchFlopsUnit({}).name), QByteArray("FLOPs"));
    QCOMPARE(bytes(torchFlopsUnit({999}).name), QByteArray("FLOPs"));
    QCOMPARE(bytes(torchFlopsUnit({kMaxNs}).name), QByteArray("PFLOPs"));
}

void TestTable::jsonTextIsAlwaysUtf8()
{
    std::string out;
    appendJsonText(out,
        "a\xFF"
        "b\xED\xA0\x80\n\x7F");
    QCOMPARE(bytes(out),
        QByteArray("\"a\xEF\xBF\xBD"
                   "b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\n\x7F\""));
}

QTEST_GUILESS_MAIN(TestTable)
#include "tst_table.moc"
