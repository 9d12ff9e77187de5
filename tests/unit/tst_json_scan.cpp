// The innermost loops against plain ones, texts as they are shown, and single events that hurt.
#include "import/scan/event_scanner.h"
#include "import/scan/json_text.h"
#include "import/scan/plain_number.h"
#include "import/scan/value_capture.h"

#include <QtTest>

#include <random>

using namespace torchline;
using namespace std::string_literals;

namespace {

std::string padded(std::string text)
{
    return text.append(kTextPadding, '"');
}

size_t plainStringEnd(const std::string& text, size_t at)
{
    while (text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at;
}

/// Place behind the closing bracket, or 0.
size_t plainNestedEnd(const std::string& text, size_t size)
{
    int depth = 0;
    for (size_t i = 0; i < size; ++i) {
        const char c = text[i];
        if (c == '"')
            i = plainStringEnd(text, i + 1);
        else if (c == '[' || c == '{')
            ++depth;
        else if ((c == ']' || c == '}') && --depth == 0)
            return i + 1;
    }
    return 0;
}

struct Scanned {
    EventScanner scanner;
    ScanOutcome outcome;
    size_t at = 0;

    std::string text(LocalText text) const { return std::string(scanner.texts().entry(text).text()); }
};

/// Scans the inside of a list.
std::unique_ptr<Scanned> scanned(const std::string& text, bool textEnds = true)
{
    auto result = std::make_unique<Scanned>();
    const std::string buffer = padded(text);
    const TextSpan span{buffer.data(), buffer.data() + text.size(), 0, textEnds};
    ListState state;
    result->outcome = result->scanner.scan(span, span.begin, state);
    result->at = static_cast<size_t>(result->outcome.at - span.begin);
    return result;
}

std::string repairedName(const std::string& text)
{
    const std::string buffer = padded(text);
    const TextSpan span{buffer.data(), buffer.data() + text.size(), 0, true};
    EventScanner scanner;
    if (scanner.scanRepaired(span, span.begin) == nullptr)
        return "(none)";
    return std::string(scanner.texts().entry(scanner.rows().events.front().name).text());
}

} // namespace

class TestJsonScan : public QObject {
    Q_OBJECT

    static std::string someList(std::mt19937& random, int depth);

private Q_SLOTS:
    void endsOfStringsAndBrackets();
    void plainListsEndWhereTheyEnd();
    void countsDigits();
    void plainStringsNeedNoDecoding();
    void noticesAQuoteTooMany();
    void decodesStrings_data();
    void decodesStrings();
    void showsValues();
    void cutsLongValuesBetweenCharacters();
    void capturesValuesPieceByPiece();
    void readsFieldsInAnyForm();
    void countsWhatIsNoEvent();
    void waitsForTheRestOfAnEvent();
    void repairsQuotesAndBackslashes_data();
    void repairsQuotesAndBackslashes();
    void neverEndsWhereAnUnescapedQuoteIsNotTheEnd();
};

void TestJsonScan::endsOfStringsAndBrackets()
{
    std::mt19937 random(7);
    constexpr std::string_view kBytes = "\"\\[]{},:ab \n";
    for (int round = 0; round < 20000; ++round) {
        std::string body;
        const size_t size = random() % 70;
        for (size_t i = 0; i < size; ++i)
            body += kBytes[random() % kBytes.size()];
        const std::string text = padded(body);
        QCOMPARE(static_cast<size_t>(stringEnd<WordSteps>(text.data()) - text.data()), plainStringEnd(text, 0));
        QCOMPARE(static_cast<size_t>(stringEnd<BestSteps>(text.data()) - text.data()), plainStringEnd(text, 0));

        const std::string nested = padded('[' + body);
        const char* limit = nested.data() + body.size() + 1;
        const NestedSkip words = skipNested<WordSteps>(nested.data(), limit);
        const NestedSkip best = skipNested<BestSteps>(nested.data(), limit);
        QCOMPARE(words.end, best.end);
        QCOMPARE(words.at, best.at);
        QCOMPARE(words.hasOddWord, best.hasOddWord);
        const size_t end = plainNestedEnd(nested, body.size() + 1);
        if (best.end == NestedEnd::Found) {
            QCOMPARE(static_cast<size_t>(best.at - nested.data()), end);
            const std::string alone = padded(nested.substr(0, end));
            QCOMPARE(skipNested(alone.data(), alone.data() + end).hasOddWord, best.hasOddWord); // whatever follows
        } else if (best.end == NestedEnd::Limit)
            QVERIFY(end == 0 || end > body.size() + 1);
        const char* plain = plainNestedEnd<BestSteps>(nested.data(), limit);
        QCOMPARE(plainNestedEnd<WordSteps>(nested.data(), limit), plain);
        QVERIFY(plain == nullptr || (best.end == NestedEnd::Found && best.at == plain && !best.hasOddWord));
    }
}

/// A list of numbers, texts and lists, as recorders write arguments.
std::string TestJsonScan::someList(std::mt19937& random, int depth)
{
    std::string out = "[";
    const size_t count = random() % 6;
    for (size_t i = 0; i < count; ++i) {
        out += i > 0 ? ", " : "";
        switch (random() % (depth < 4 ? 3 : 2)) {
        case 0:
            out += std::to_string(random() % 100'000);
            break;
        case 1:
            out += '"' + std::string(random() % 20, "a]}[{,: "[random() % 8]) + '"';
            break;
        default:
            out += someList(random, depth + 1);
        }
    }
    return out + ']';
}

void TestJsonScan::plainListsEndWhereTheyEnd()
{
    std::mt19937 random(11);
    for (int round = 0; round < 5000; ++round) {
        const std::string list = someList(random, 0);
        const std::string text = padded(list + R"(, "more": [1, "x"]}, {"ph": "X"})");
        const char* limit = text.data() + text.size() - kTextPadding;
        QCOMPARE(plainNestedEnd<BestSteps>(text.data(), limit), text.data() + list.size());
        QCOMPARE(plainNestedEnd<WordSteps>(text.data(), limit), text.data() + list.size());
        // What is cut off has no end.
        const size_t cut = random() % list.size();
        const std::string part = padded(list.substr(0, cut));
        QVERIFY(plainNestedEnd(part.data(), part.data() + cut) == nullptr);
    }
    const auto isPlain = [](const std::string& list) {
        const std::string text = padded(list);
        return plainNestedEnd(text.data(), text.data() + list.size()) != nullptr;
    };
    QVERIFY(isPlain(R"(["a b"])"));
    QVERIFY(!isPlain(R"(["a\b"])"));
    QVERIFY(!isPlain(R"([NaN])"));
    QVERIFY(!isPlain(R"([true])"));
    QVERIFY(!isPlain(R"(["a" , 1])"));
    QVERIFY(!isPlain(R"(["a"b", 1])"));
}

void TestJsonScan::countsDigits()
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 20000; ++round) {
        std::string digits;
        const size_t size = random() % 19;
        for (size_t i = 0; i < size; ++i)
            digits += static_cast<char>('0' + random() % 10);
        const std::string text
            = padded(digits + static_cast<char>(random() % 256 / 10 * 10 + (random() % 2 ? ':' : '/')));
        const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
        if (count > 18)
            continue;
        uint64_t value = 0;
        QCOMPARE(static_cast<size_t>(readDigits(text.data(), value) - text.data()), count);
        QCOMPARE(value, count == 0 ? 0 : std::stoull(text.substr(0, count)));
        QCOMPARE(static_cast<size_t>(bareEnd(text.data()) - text.data()) >= count, true);
    }
}

void TestJsonScan::plainStringsNeedNoDecoding()
{
    std::mt19937 random(3);
    for (int round = 0; round < 20000; ++round) {
        std::string raw(random() % 40, 'x');
        for (char& c : raw)
            c = static_cast<char>(' ' + random() % 95);
        if (!raw.empty() && random() % 2 == 0)
            raw[random() % raw.size()] = static_cast<char>(random());
        const bool isPlain = std::all_of(raw.begin(), raw.end(), [](char c) { return c >= ' ' && c != '\\'; });
        QCOMPARE(isPlainString(raw), isPlain);
    }
}

void TestJsonScan::noticesAQuoteTooMany()
{
    const auto endOf = [](const std::string& value) {
        const std::string text = padded(value + R"(, "Ev Idx": 5}}, {"ph": "X", "name": "next"}, {"ph": "X"}]})");
        return skipNested(text.data(), text.data() + text.size() - kTextPadding).end;
    };
    QCOMPARE(endOf(R"(["a", "b\"c", {"d" : []}])"), NestedEnd::Found);
    QCOMPARE(endOf(R"(["a"b"])"), NestedEnd::Damaged);
    QCOMPARE(endOf(R"(["say "hi" now"])"), NestedEnd::Damaged);
    QCOMPARE(endOf(R"(["C:\dir\", "b"])"), NestedEnd::Damaged);
    QCOMPARE(endOf(R"(["no end, "b"])"), NestedEnd::Damaged);
}

void TestJsonScan::decodesStrings_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("flaws");
    const auto row = [](const char* name, const std::string& raw, const std::string& text, int flaws = 0) {
        QTest::newRow(name) << QByteArray::fromStdString(raw) << QByteArray::fromStdString(text) << flaws;
    };
    row("plain", "aten::mm", "aten::mm");
    row("empty", "", "");
    row("escapes", R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t");
    row("unicode", R"(caf\u00e9 \uD83D\uDE80)", "caf\xC3\xA9 \xF0\x9F\x9A\x80");
    row("windows path", R"(torch\cuda\__init__.py)", R"(torch\cuda\__init__.py)", TextBadEscape);
    row("backslash at the end", R"(C:\dir\)", R"(C:\dir\)", TextBadEscape);
    row("cut unicode", R"(\u12)", R"(\u12)", TextBadEscape);
    row("no hex", R"(\uGGGG)", R"(\uGGGG)", TextBadEscape);
    row("lone high", R"(a\ud83db)",
        "a\xEF\xBF\xBD"
        "b",
        TextLoneSurrogate);
    row("high before no low", R"(\ud83d\u0041)",
        "\xEF\xBF\xBD"
        "A",
        TextLoneSurrogate);
    row("lone low", R"(\ude80)", "\xEF\xBF\xBD", TextLoneSurrogate);
    row("control bytes", "a\tb\x01", "a\tb\x01", TextControl);
    row("nul", "a\0b"s, "a\0b"s, TextControl);
    row("nul escaped", R"(a\u0000b)", "a\0b"s);
    row("no utf-8",
        "a\xff\xfe"
        "b",
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b",
        TextBadUtf8);
    row("cut utf-8", "a\xE2\x80", "a\xEF\xBF\xBD", TextBadUtf8);
    row("surrogate in utf-8", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", TextBadUtf8);
}

void TestJsonScan::decodesStrings()
{
    QFETCH(QByteArray, raw);
    const DecodedText decoded = decodeString(raw.toStdString());
    QTEST(QByteArray::fromStdString(decoded.text), "text");
    QTEST(int{decoded.flaws}, "flaws");
}

void TestJsonScan::showsValues()
{
    QCOMPARE(shownValue("17293822569102704640"), "17293822569102704640"s);
    QCOMPARE(shownValue("1.50"), "1.50"s);
    QCOMPARE(shownValue("NaN"), "NaN"s);
    QCOMPARE(shownValue("[ [2, 3],\n [ ] , \"a b\" ]"), "[[2,3],[],\"a b\"]"s);
    QCOMPARE(shownValue(R"({"a \" b" : [1 , {"c": null}]})"), R"({"a \" b":[1,{"c":null}]})"s);
    QCOMPARE(shownString(R"(two\nlines)"), "two\nlines"s);
}

void TestJsonScan::cutsLongValuesBetweenCharacters()
{
    const std::string ellipsis = "\xE2\x80\xA6";
    std::string text;
    while (text.size() <= kMostValueBytes)
        text += "\xC3\xA9"
                "a";
    const std::string shown = shownString(text);
    QVERIFY(shown.size() <= kMostValueBytes + ellipsis.size());
    QVERIFY(shown.size() > kMostValueBytes - 4);
    QVERIFY(shown.ends_with(ellipsis));
    QVERIFY(QString::fromStdString(shown).toStdString() == shown);
    QCOMPARE(shownString(std::string(kMostValueBytes, 'x')).size(), kMostValueBytes);
    const std::string list = shownValue('[' + std::string(kMostValueBytes, '1') + ']');
    QCOMPARE(list.size(), kMostValueBytes + ellipsis.size());
}

void TestJsonScan::capturesValuesPieceByPiece()
{
    for (const std::string value : {R"("a\"b")", "12.5", "null", R"([1, {"a": "]"}])", "{}", R"("")", "true"}) {
        for (const std::string next : {",", "}", "]", " \n}"}) {
            const std::string text = value + next;
            for (size_t piece = 1; piece <= text.size(); ++piece) {
                ValueCapture capture;
                size_t at = 0;
                auto state = ValueCapture::State::Running;
                while (at < text.size() && state == ValueCapture::State::Running) {
                    size_t used = 0;
                    state = capture.feed(std::string_view(text).substr(at, piece), used);
                    at += used;
                }
                QCOMPARE(state, ValueCapture::State::Complete);
                QCOMPARE(at, value.size());
            }
        }
    }
    size_t used = 0;
    ValueCapture damaged;
    QCOMPARE(damaged.feed(R"(["a"b"])", used), ValueCapture::State::Damaged);
}

void TestJsonScan::readsFieldsInAnyForm()
{
    const auto result
        = scanned(R"({"args":{"correlation":"7","External id":18446744073709551615,"stream":"0x0","bytes":"12"},)"
                  R"("dur":"1.5","ts":"1719234567000123.250","tid":"7","pid":7,"name":5,"cat":"kernel","ph":"X"},)"
                  R"({"ph":"X","ts":null,"dur":NaN,"name":null,"pid":null,"tid":{"a":1}},)"
                  R"({"ph":"X","ts":1e3,"ts":2,"args":{"correlation":1},"args":{"device":3}})");
    QCOMPARE(result->outcome.stop, ScanStop::NeedMore);
    const ChunkRows& rows = result->scanner.rows();
    QCOMPARE(rows.events.size(), size_t{3});

    const EventRow& first = rows.events[0];
    QCOMPARE(first.timeNs, int64_t{1719234567000123250});
    QCOMPARE(first.durationNs, int64_t{1500});
    QCOMPARE(first.externalId.number, ~uint64_t{0});
    QCOMPARE(first.correlation.number, uint64_t{7});
    QCOMPARE(result->text(first.name), "5"s);
    QCOMPARE(result->text(first.pid), result->text(first.tid));
    QVERIFY(first.pid != first.tid); // one is a number, one a text: told apart here, equal as ids
    QCOMPARE(result->text(rows.device[first.extra].stream), "0x0"s);
    QCOMPARE(rows.device[first.extra].bytes, int64_t{12});

    const EventRow& second = rows.events[1];
    QCOMPARE(int{second.flags}, int{EventDurationUnreadable});
    QCOMPARE(second.name, LocalText{0});
    QCOMPARE(second.pid, LocalText{0});
    QCOMPARE(result->text(second.tid), R"({"a":1})"s);

    const EventRow& third = rows.events[2];
    QCOMPARE(third.timeNs, int64_t{2000});
    QCOMPARE(int{third.flags}, int{EventHasTime});
    QCOMPARE(third.correlation.number, uint64_t{1});
    QCOMPARE(result->text(rows.device[third.extra].device), "3"s);

    QCOMPARE(rows.troubles.size(), size_t{1});
    QCOMPARE(rows.troubles[0].trouble, Trouble::OddWord);
}

void TestJsonScan::countsWhatIsNoEvent()
{
    const auto result
        = scanned(R"(,null, {} ,, 5, "text", [1,[2]] {"ph":"Z","name":"z"} {"name":"no phase"}, {"ph":5} ] x)");
    QCOMPARE(result->outcome.stop, ScanStop::ListEnd);
    QVERIFY(result->scanner.rows().events.empty());
    std::map<Trouble, uint32_t> counts;
    for (const TroubleRow& row : result->scanner.rows().troubles)
        counts[row.trouble] += row.count;
    QCOMPARE(counts[Trouble::StrayComma], 2U);
    QCOMPARE(counts[Trouble::NotAnEvent], 5U);
    QCOMPARE(counts[Trouble::UnknownPhase], 3U);
    QCOMPARE(counts[Trouble::MissingComma], 2U);
}

void TestJsonScan::waitsForTheRestOfAnEvent()
{
    const std::string event
        = R"({"ph": "X", "name": "a\\b\"c", "pid": 1, "tid": 2, "ts": 3.5, "dur": 4, "args": {"a": [1, "]"], "b": nan}})";
    for (size_t length = 1; length < event.size(); ++length) {
        const auto result = scanned(event.substr(0, length), false);
        QCOMPARE(result->outcome.stop, ScanStop::NeedMore);
        QCOMPARE(result->at, size_t{0});
        QVERIFY(result->scanner.rows().events.empty());
    }
    QCOMPARE(scanned(event, false)->scanner.rows().events.size(), size_t{1});
}

void TestJsonScan::repairsQuotesAndBackslashes_data()
{
    QTest::addColumn<QByteArray>("event");
    QTest::addColumn<QByteArray>("name");
    const auto row = [](const char* title, const char* event, const char* name) {
        QTest::newRow(title) << QByteArray(event) << QByteArray(name);
    };
    row("quotes", R"({"ph":"X","name":"say "hi" now","ts":1},)", R"(say "hi" now)");
    row("json inside", R"({"ph":"X","name":"{"device": "cpu", "mode": "fast"}(12): run","ts":1}])",
        R"({"device": "cpu", "mode": "fast"}(12): run)");
    row("backslash at the end", R"({"ph":"X","name":"C:\dir\","ts":1},)", R"(C:\dir\)");
    row("backslash, last key", R"({"ph":"X","ts":1,"name":"C:\dir\"}, {"ph")", R"(C:\dir\)");
    row("blanks", R"({ "ph" : "X" , "name" : "a"b" , "ts" : 1 } ])", R"(a"b)");
    row("no closing quote", R"({"name":"open, "ph":"X","ts":1},)", "open");
    row("in args", R"({"ph":"X","name":"n","args":{"k":"a"b","l":["x"y",1],"m":"C:\"},"ts":1},)", "n");
    row("in the last args", R"({"ph":"X","name":"n","ts":1,"args":{"k":"a "b" c"}},)", "n");
    row("end of the text", R"({"ph":"X","name":"a"b"})", R"(a"b)");
    row("well escaped", R"({"ph":"X","name":"a\", \"ts\": 1 b","cname":"x"y","ts":1},)", R"(a\", \"ts\": 1 b)");
    row("two events do not become one", R"({"ph":"X","name":"a", {"ph":"X","name":"b"},)", "(none)");
    row("no event", R"({"name":"a"b"},)", "(none)");
}

void TestJsonScan::repairsQuotesAndBackslashes()
{
    QFETCH(QByteArray, event);
    QTEST(QByteArray::fromStdString(repairedName(event.toStdString())), "name");
}

/// However an event is broken by one quote or backslash, it ends where it ended before, or not at all.
void TestJsonScan::neverEndsWhereAnUnescapedQuoteIsNotTheEnd()
{
    const std::string event = R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":2,"ts":3,)"
                              R"("args":{"Concrete Inputs":["","a"],"Input type":["float"],"note":"text"}})";
    const std::string next = R"(,{"ph":"X","name":"second","pid":1,"tid":2,"ts":4,"args":{"note":"more"}}])";
    for (size_t at = 1; at < event.size(); ++at) {
        for (const char byte : {'"', '\\'}) {
            const std::string broken = event.substr(0, at) + byte + event.substr(at);
            const std::string buffer = padded(broken + next);
            const TextSpan span{buffer.data(), buffer.data() + broken.size() + next.size(), 0, true};
            EventScanner scanner;
            ListState state;
            const ScanOutcome outcome = scanner.scan(span, span.begin, state);
            if (outcome.stop == ScanStop::ListEnd) {
                // A broken key "ph" leaves an event of no phase.
                const size_t whole = scanner.rows().events.size() + scanner.rows().troubles.size();
                QVERIFY2(whole >= 2 && !scanner.rows().events.empty(), broken.c_str());
                continue;
            }
            if (outcome.stop == ScanStop::ObjectEnd) {
                // The beginning of its args was broken: they are lost, and a bracket is left over.
                QCOMPARE(static_cast<size_t>(outcome.at - span.begin), broken.size() - 1);
                continue;
            }
            QCOMPARE(static_cast<size_t>(outcome.at - span.begin), size_t{0});
            EventScanner repairing;
            if (const char* after = repairing.scanRepaired(span, span.begin))
                // Or one bracket earlier, when the beginning of its args is what was broken.
                QVERIFY2(broken.size() - static_cast<size_t>(after - span.begin) <= 1, broken.c_str());
        }
    }
}

QTEST_GUILESS_MAIN(TestJsonScan)
#include "tst_json_scan.moc"
