#include "base/time.h"
#include "import/scan/decimal.h"

#include <QtTest>

#include <random>
#include <string>

using namespace torchline;

class TestDecimal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsMicroseconds_data();
    void readsMicroseconds();
    void refusesWhatIsNoNumber_data();
    void refusesWhatIsNoNumber();
    void equalsIntegerArithmetic();
    void roundingKeepsNesting();
    void readsWholeNumbers();
    void readsDoubles();
};

void TestDecimal::readsMicroseconds_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<int>("ps");
    QTest::addColumn<bool>("isSaturated");
    const auto row = [](const char* text, qint64 ns, int ps = 0, bool isSaturated = false) {
        QTest::newRow(text) << QByteArray(text) << ns << ps << isSaturated;
    };
    row("0", 0);
    row("-0", 0);
    row("7", 7000);
    row("+7", 7000);
    row("7.", 7000);
    row(".5", 500);
    row("0.064", 64);
    row("-0.064", -64);
    row("1719234567890125.065", 1719234567890125065);
    row("  12.5 ", 12500);
    row("1.5e3", 1500000);
    row("1.5E+3", 1500000);
    row("15e-1", 1500);
    row("1e-3", 1);
    row("1e-6", 0, 1);
    row("1e-9", 0);
    row("0.0005", 0, 500);
    row("-0.0005", -1, 500);
    row("-1.0000001", -1000);
    row("1.123456789", 1123, 456);
    row("00012", 12000);
    row("9223372036854775.807", kMaxNs);
    row("9223372036854775.808", kMaxNs, 0, true);
    row("-9223372036854775.807", -kMaxNs);
    row("-9223372036854775808", kMinNs, 0, true);
    row("1e300", kMaxNs, 0, true);
    row("-1e300", kMinNs, 0, true);
    row("1e999999999999", kMaxNs, 0, true);
    row("0e999999999999", 0);
    row("1e-999999999999", 0);
    row("123456789012345678901234567890", kMaxNs, 0, true);
    row("0.000000000000000000000000000000000001", 0);
    row("100000000000000000000e-20", 1000);
}

void TestDecimal::readsMicroseconds()
{
    QFETCH(QByteArray, text);
    const auto time = parseMicroseconds(text.toStdString());
    QVERIFY(time);
    QTEST(qint64{time->ns}, "ns");
    QTEST(int{time->ps}, "ps");
    QTEST(time->isSaturated, "isSaturated");
}

void TestDecimal::refusesWhatIsNoNumber_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", " ", "NaN", "nan", "inf", "-inf", "Infinity", "null", "true", "0x10", "1,5", "1.2.3",
             "1e", "1e+", "e5", ".", "-", "+", "--1", "1 2", "12us", "\"1\"", "1e5.5", "{}"})
        QTest::newRow(text) << QByteArray(text);
}

void TestDecimal::refusesWhatIsNoNumber()
{
    QFETCH(QByteArray, text);
    QVERIFY(!parseMicroseconds(text.toStdString()));
    QVERIFY(!parseUnsigned(text.toStdString()));
    QVERIFY(!parseSigned(text.toStdString()));
    QVERIFY(!parseDouble(text.toStdString()));
}

void TestDecimal::equalsIntegerArithmetic()
{
    std::mt19937_64 random(1);
    for (int round = 0; round < 20000; ++round) {
        const auto ns = static_cast<int64_t>(random()) >> (random() % 63);
        const std::string plain = microsecondsText(ns);
        const auto time = parseMicroseconds(plain);
        QVERIFY(time);
        QCOMPARE(time->ns, ns);
        QCOMPARE(int{time->ps}, 0);
        // The same value with the point elsewhere.
        std::string digits = plain;
        digits.erase(digits.find('.'), 1);
        const auto moved = parseMicroseconds(digits + "e-3");
        QVERIFY(moved);
        QCOMPARE(moved->ns, ns);
        const auto shorter = parseMicroseconds(digits + "00000e-8");
        QVERIFY(shorter);
        QCOMPARE(shorter->ns, ns);
    }
}

void TestDecimal::roundingKeepsNesting()
{
    std::mt19937 random(2);
    const auto picoseconds = [](int64_t ps) {
        FileTime time;
        time.ns = ps >= 0 ? ps / 1000 : -((-ps + 999) / 1000);
        time.ps = static_cast<uint16_t>(ps - time.ns * 1000);
        return time;
    };
    for (int round = 0; round < 20000; ++round) {
        const int64_t outerBegin = static_cast<int64_t>(random() % 10000) - 5000;
        const int64_t outerLength = static_cast<int64_t>(random() % 10000);
        const int64_t innerBegin = outerBegin + static_cast<int64_t>(random() % static_cast<uint64_t>(outerLength + 1));
        const int64_t innerLength
            = static_cast<int64_t>(random() % static_cast<uint64_t>(outerBegin + outerLength - innerBegin + 1));
        const int64_t outer = roundedNs(picoseconds(outerBegin));
        const int64_t outerEnd = outer + roundedDurationNs(picoseconds(outerBegin), picoseconds(outerLength));
        const int64_t inner = roundedNs(picoseconds(innerBegin));
        const int64_t innerEnd = inner + roundedDurationNs(picoseconds(innerBegin), picoseconds(innerLength));
        QVERIFY(inner >= outer);
        QVERIFY(innerEnd <= outerEnd);
        QVERIFY(innerEnd >= inner);
        QVERIFY(std::abs(outer * 1000 - outerBegin) <= 500);
        QVERIFY(std::abs(outerEnd * 1000 - (outerBegin + outerLength)) <= 500);
    }
}

void TestDecimal::readsWholeNumbers()
{
    QCOMPARE(parseUnsigned("18446744073709551615"), std::optional(~uint64_t{0}));
    QCOMPARE(parseUnsigned("18446744073709551616"), std::nullopt);
    QCOMPARE(parseUnsigned("5.0"), std::optional(uint64_t{5}));
    QCOMPARE(parseUnsigned("5.1"), std::nullopt);
    QCOMPARE(parseUnsigned("5e2"), std::optional(uint64_t{500}));
    QCOMPARE(parseUnsigned("500e-2"), std::optional(uint64_t{5}));
    QCOMPARE(parseUnsigned("-1"), std::nullopt);
    QCOMPARE(parseUnsigned("-0"), std::optional(uint64_t{0}));
    QCOMPARE(parseSigned("-9223372036854775808"), std::optional(kMinNs));
    QCOMPARE(parseSigned("-9223372036854775809"), std::nullopt);
    QCOMPARE(parseSigned("9223372036854775807"), std::optional(kMaxNs));
    QCOMPARE(parseSigned("9223372036854775808"), std::nullopt);
}

void TestDecimal::readsDoubles()
{
    QCOMPARE(parseDouble("55.5"), std::optional(55.5));
    QCOMPARE(parseDouble("+1e2"), std::optional(100.0));
    QCOMPARE(parseDouble("-2.5E-1"), std::optional(-0.25));
    QCOMPARE(parseDouble("1e-999"), std::optional(0.0));
    QCOMPARE(parseDouble("1e999"), std::nullopt);
    QCOMPARE(parseDouble("-1e999"), std::nullopt);
    const std::string zeros(400, '0');
    QCOMPARE(parseDouble("0." + zeros + "1"), std::optional(0.0));
    QCOMPARE(parseDouble("1" + zeros + "e-10"), std::nullopt);
    QCOMPARE(parseDouble("1" + zeros + "e-400"), std::optional(1.0));
    QCOMPARE(parseDouble("+-1"), std::nullopt);
}

QTEST_GUILESS_MAIN(TestDecimal)
#include "tst_decimal.moc"
