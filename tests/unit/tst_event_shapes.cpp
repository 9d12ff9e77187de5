// Events read by their known shape against the same events taken apart key by key.
#include "import/scan/event_shapes.h"

#include <QtTest>

#include <random>

using namespace torchline;
using namespace std::string_literals;

namespace {

std::string padded(std::string text)
{
    return text.append(kTextPadding, '"');
}

std::string shown(const char* p, const char* after, const Walk& walk, const EventFields& fields)
{
    if (after == nullptr)
        return "none";
    std::string out = "end " + std::to_string(after - p) + " odd " + std::to_string(walk.oddWords) + " commas "
        + std::to_string(walk.strayCommas) + '/' + std::to_string(walk.missingCommas);
    for (const Token& token :
        {fields.name, fields.category, fields.pid, fields.tid, fields.id, fields.phaseText, fields.externalText,
            fields.correlationText, fields.device, fields.stream, fields.argName, fields.labels}) {
        out += " ["s
            + (token.begin != nullptr ? std::to_string(token.begin - p) + ' ' + std::string(token.text()) : "-") + ' '
            + std::to_string(static_cast<int>(token.kind)) + ']';
    }
    const auto add = [&out](auto value) { out += ' ' + std::to_string(value); };
    add(fields.time.ns);
    add(fields.time.ps);
    add(fields.time.isSaturated);
    add(fields.duration.ns);
    add(fields.duration.ps);
    add(static_cast<int>(fields.timeState));
    add(static_cast<int>(fields.durationState));
    add(static_cast<int>(fields.phase));
    add(static_cast<int>(fields.scope));
    add(fields.bindsEnclosing);
    add(fields.hasOwnArrows);
    add(fields.hasMembers);
    add(fields.hasMemoryArgs);
    add(fields.hasDeviceArgs);
    add(fields.unreadableNumbers);
    add(fields.args != nullptr ? fields.args - p : -1);
    add(fields.externalNumber);
    add(fields.correlationNumber);
    add(fields.deviceArgs.bytes);
    add(fields.deviceArgs.occupancyPercent);
    add(fields.memory.bytes);
    add(fields.memory.address);
    add(fields.memory.totalAllocated);
    add(fields.memory.totalReserved);
    add(fields.memory.deviceType);
    add(fields.memory.deviceId);
    add(fields.sortIndex);
    return out;
}

/// The event at the beginning of text, of which `size` bytes are in hand.
std::string plain(const std::string& text, size_t size, bool* isClean = nullptr)
{
    const std::string buffer = padded(text.substr(0, size));
    Walk walk;
    walk.limit = buffer.data() + size;
    EventFields fields;
    const char* after = readEvent<StrictText>(buffer.data(), walk, fields);
    if (isClean != nullptr)
        *isClean = after != nullptr && fields.hasMembers && walk.strayCommas == 0 && walk.missingCommas == 0;
    return shown(buffer.data(), after, walk, fields);
}

std::string byShape(EventShapes& shapes, const std::string& text, size_t size)
{
    const std::string buffer = padded(text.substr(0, size));
    Walk walk;
    walk.limit = buffer.data() + size;
    EventFields fields;
    const char* after = shapes.read(buffer.data(), walk, fields);
    return shown(buffer.data(), after, walk, fields);
}

void learn(EventShapes& shapes, const std::string& text)
{
    const std::string buffer = padded(text);
    shapes.learn(buffer.data(), buffer.data() + text.size());
}

class Events {
public:
    explicit Events(uint32_t seed)
        : m_values(seed)
    {
    }

    /// One of a few shapes, with values of its own; sometimes with blanks where that shape has none.
    std::string next()
    {
        constexpr uint32_t kShapes = 200;
        m_shape.seed(std::uniform_int_distribution<uint32_t>(0, kShapes)(m_values));
        const bool isPretty = below(2) == 0;
        std::string out = "{";
        std::vector<std::string> keys = {
            "ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "s", "bp", "id2", "flow_in", "args", "more", "args"};
        if (below(4) == 0)
            std::shuffle(keys.begin(), keys.end(), m_shape);
        bool isFirst = true;
        for (const std::string& key : keys) {
            if (below(3) == 0 && key != "ph")
                continue;
            out += (isFirst ? "" : ",") + (isPretty ? "\n  "s : blanks()) + '"' + key + "\":" + blanks();
            out += key == "args" && below(5) != 0 ? args(isPretty) : value();
            isFirst = false;
        }
        return out + (isPretty ? "\n" : blanks()) + '}';
    }

private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(m_shape); }
    std::string blanks()
    {
        std::uniform_int_distribution<size_t> one(0, 200);
        return one(m_values) == 0 ? "  " : " ";
    }

    std::string args(bool isPretty)
    {
        static const std::vector<std::string> kKeys = {"External id", "correlation", "device", "stream", "bytes",
            "Bytes", "Addr", "Device Id", "Device Type", "Total Allocated", "Total Reserved", "name", "labels",
            "sort_index", "est. achieved occupancy %", "Input Dims", "ts", "args", "name"};
        std::string out = "{";
        bool isFirst = true;
        for (const std::string& key : kKeys) {
            if (below(3) != 0)
                continue;
            out += (isFirst ? "" : ",") + (isPretty ? "\n    "s : blanks()) + '"' + key + "\":" + blanks() + value();
            isFirst = false;
        }
        return out + (isPretty ? "\n  " : "") + '}';
    }

    std::string value()
    {
        static const std::vector<std::string> kValues = {"1", "184301", "4458676390068.751", "0", "-3", "1.5", "\"X\"",
            "\"e\"", "\"a, \\\"b\\\": {\"", "\"\"", "[[1, 2], [], \"]\"]", "{\"ts\": 1, \"x\": [{}]}", "true", "null",
            "NaN", "\"17\"", "99999999999999999999", "1e5", "{}", "[]", "\"ends, \\\\\""};
        return kValues[std::uniform_int_distribution<size_t>(0, kValues.size() - 1)(m_values)];
    }

    std::mt19937 m_shape;
    std::mt19937 m_values;
};

} // namespace

class TestEventShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownShapesGiveWhatTheWalkGives();
    void anUnknownShapeIsLeftAlone();
    void eventsThatEndLaterAreLeftAlone();
    void theTreeHasALimit();
};

void TestEventShapes::knownShapesGiveWhatTheWalkGives()
{
    Events events(7);
    EventShapes shapes;
    size_t known = 0;
    for (int i = 0; i < 30'000; ++i) {
        const std::string text = events.next() + ", ";
        bool isClean = false;
        const std::string expected = plain(text, text.size(), &isClean);
        const std::string read = byShape(shapes, text, text.size());
        if (read != "none") {
            ++known;
            QCOMPARE(QString::fromStdString(read), QString::fromStdString(expected));
        } else if (isClean) {
            learn(shapes, text);
        }
    }
    QVERIFY2(known > 1000, qPrintable(QString::number(known)));
}

void TestEventShapes::anUnknownShapeIsLeftAlone()
{
    EventShapes shapes;
    const std::string text = R"({"ph": "X", "ts": 5, "args": {"External id": 7}})";
    QCOMPARE(byShape(shapes, text, text.size()), "none"s);
    learn(shapes, text);
    QCOMPARE(byShape(shapes, text, text.size()), plain(text, text.size()));
    for (const std::string& other : {R"({"ph": "X", "ts":  5, "args": {"External id": 7}})"s,
             R"({"ph": "X", "ts": 5, "args": {"External id": 7,}})"s,
             R"({"ph": "X", "ts": 5, "args": {"external id": 7}})"s, R"({"ph": "X", "ts": 5, "args": null})"s,
             R"({"ph": "X", "ts": 5,, "args": {"External id": 7}})"s,
             R"({"ph": "X" "ts": 5, "args": {"External id": 7}})"s})
        QCOMPARE(byShape(shapes, other, other.size()), "none"s);

    // Args that are an object now and were none before are not skipped as a value.
    const std::string without = R"({"ph": "i", "args": 0})";
    const std::string with = R"({"ph": "i", "args": {"External id": 7}})";
    learn(shapes, without);
    QCOMPARE(byShape(shapes, with, with.size()), "none"s);
    learn(shapes, with);
    QCOMPARE(byShape(shapes, without, without.size()), plain(without, without.size()));
}

void TestEventShapes::eventsThatEndLaterAreLeftAlone()
{
    Events events(11);
    for (int i = 0; i < 300; ++i) {
        const std::string text = events.next();
        bool isClean = false;
        const std::string expected = plain(text, text.size(), &isClean);
        if (!isClean)
            continue;
        EventShapes shapes;
        learn(shapes, text);
        for (size_t size = 0; size < text.size(); ++size)
            QCOMPARE(byShape(shapes, text, size), "none"s);
        const std::string read = byShape(shapes, text, text.size());
        QVERIFY(read == expected || read == "none");
    }
}

void TestEventShapes::theTreeHasALimit()
{
    EventShapes shapes;
    for (int i = 0; i < 100'000; ++i)
        learn(shapes, R"({"ph": "C", "args": {"counter )" + std::to_string(i) + R"(": 1, "x": 2}})");
    QVERIFY(shapes.memoryUsage() <= size_t{2} << 20);
}

QTEST_GUILESS_MAIN(TestEventShapes)
#include "tst_event_shapes.moc"
