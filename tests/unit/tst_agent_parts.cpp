// The parts of the agent that need no LibTorch: the words it is told, what it says, names, redirected calls.

#include "agent/got_patch.h"
#include "agent/interning.h"
#include "agent/messages.h"
#include "agent/settings.h"
#include "agent/shapes.h"
#include "redirected.h"

#include <QtTest>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <vector>

using namespace torchline::agent;
using namespace Qt::StringLiterals;
namespace wire = torchline::wire;

namespace {

Settings settingsOf(const std::string& words)
{
    Settings out;
    readWords(words.data(), words.size(), out);
    return out;
}

bool isMatch(const char* pattern, const std::string& text)
{
    return matches(pattern, text.data(), text.size());
}

/// A dictionary in ordinary memory.
struct OwnDictionary {
    std::unique_ptr<Dictionary::Memory> memory = std::make_unique<Dictionary::Memory>();
    wire::SegmentHeader header = {};
    std::vector<char> arena;
    Dictionary dictionary;

    explicit OwnDictionary(size_t arenaBytes, MarkName mark = nullptr)
        : arena(arenaBytes)
    {
        header.arenaBytes = arenaBytes;
        dictionary.begin(memory.get(), arena.data(), header, mark);
    }
    uint32_t name(const std::string& text) { return dictionary.name(text.data(), static_cast<uint32_t>(text.size())); }
};

int g_replacedCalls = 0;
int replacement(int value)
{
    ++g_replacedCalls;
    return -value;
}

struct FakeTensor {
    char before[72];
    uint64_t rank;
    int64_t sizes[10];
    char between[16];
    uint16_t dtype;
};
static_assert(offsetof(FakeTensor, dtype) == 72 + 104);

struct FakeValue {
    const void* payload;
    uint32_t tag;
};

} // namespace

class TestAgentParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wordsOfAConfig()
    {
        const Settings settings
            = settingsOf("record=now scopes=129 shapes=1 memory=1 stacks=16 children=0 skip_first=1 "
                         "wait=2 warmup=3 active=4 repeat=5 slots=8 ring_kib=128 step=ops:12");
        QVERIFY(settings.recordNow && settings.shapes && settings.memory && !settings.children);
        QCOMPARE(settings.scopes, 129U);
        QCOMPARE(settings.stackFrames, 16U);
        QCOMPARE(settings.schedule.skipFirst, uint64_t{1});
        QCOMPARE(settings.schedule.wait, uint64_t{2});
        QCOMPARE(settings.schedule.warmup, uint64_t{3});
        QCOMPARE(settings.schedule.active, uint64_t{4});
        QCOMPARE(settings.schedule.repeat, uint64_t{5});
        QCOMPARE(settings.segment.slots, 8U);
        QCOMPARE(settings.segment.ringBytes, 131072U);
        QCOMPARE(settings.step.kind, StepRule::Kind::Operators);
        QCOMPARE(settings.step.every, uint64_t{12});
    }

    void wordsThatMakeNoSense()
    {
        const Settings settings
            = settingsOf("shapes=2 ring_kib=100 ring_kib=4 slots=0 slots=99999999999999999999 wait=-1 "
                         "step=ms:0 step=scope: colour=green = == x record= scopes=4294967296 ");
        const Settings fresh;
        QVERIFY(!settings.shapes && !settings.recordNow);
        QCOMPARE(settings.segment.ringBytes, fresh.segment.ringBytes);
        QCOMPARE(settings.segment.slots, fresh.segment.slots);
        QCOMPARE(settings.schedule.wait, uint64_t{0});
        QCOMPARE(settings.scopes, fresh.scopes);
        QCOMPARE(settings.step.kind, StepRule::Kind::Scope);
        QCOMPARE(settings.step.pattern, "ProfilerStep*");
    }

    void percentEncoding()
    {
        QCOMPARE(settingsOf("step=scope:one%20step%3D*").step.pattern, "one step=*");
        QCOMPARE(settingsOf("step=scope:50%").step.pattern, "50%");
        QCOMPARE(settingsOf("step=scope:%zz%0041").step.pattern, "%zz41");
        QCOMPARE(settingsOf("step=scope:" + std::string(300, 'x')).step.pattern, "ProfilerStep*");
    }

    void patterns()
    {
        QVERIFY(isMatch("ProfilerStep*", "ProfilerStep#12"));
        QVERIFY(isMatch("ProfilerStep*", "ProfilerStep"));
        QVERIFY(!isMatch("ProfilerStep*", "aProfilerStep"));
        QVERIFY(isMatch("*a*b?", "xxaaybbz"));
        QVERIFY(!isMatch("*a*b?", "xxaayb"));
        QVERIFY(isMatch("", ""));
        QVERIFY(!isMatch("", "a"));
        QVERIFY(isMatch("**", "anything"));
        QVERIFY(!isMatch("abc", "abcd"));
    }

    void jsonIsValid()
    {
        char text[512];
        JsonObject json(text, sizeof(text));
        json.text("plain", "a").text("odd", "\"\\\n\x01\xff\xc3\xa4\xe2\x82").number("n", -5).boolean("b", true);
        json.beginList("l").element("x", 1).element("", 0).endList();
        json.beginObject("o").number("i", 7).endObject().text("end", "z");
        const size_t count = json.finish();
        const nlohmann::json read = nlohmann::json::parse(text, text + count);
        QCOMPARE(read.at("odd"), "\"\\\n\x01\xEF\xBF\xBD\xc3\xa4\xEF\xBF\xBD\xEF\xBF\xBD");
        QCOMPARE(read.at("n"), -5);
        QCOMPARE(read.at("l").size(), size_t{2});
        QCOMPARE(read.at("o").at("i"), 7);
        QCOMPARE(read.at("end"), "z");
    }

    void jsonThatDoesNotFit()
    {
        char text[16];
        JsonObject json(text, sizeof(text));
        json.text("key", "longer than that");
        QCOMPARE(json.finish(), size_t{0});
    }

    void verbs()
    {
        const std::string line = "start shapes=1";
        const Line start = readLine(line.data(), line.size());
        QCOMPARE(start.verb, Verb::Start);
        QCOMPARE(std::string(start.words, start.count), " shapes=1");
        QCOMPARE(readLine("stop", 4).verb, Verb::Stop);
        QCOMPARE(readLine("stopp", 5).verb, Verb::Unknown);
        QCOMPARE(readLine("", 0).verb, Verb::Unknown);
    }

    void namesKeepTheirIds()
    {
        OwnDictionary own(1 << 20);
        std::vector<uint32_t> ids;
        for (int i = 0; i < 2000; ++i)
            ids.push_back(own.name("name " + std::to_string(i)));
        for (int i = 0; i < 2000; ++i) {
            QCOMPARE(ids[static_cast<size_t>(i)], static_cast<uint32_t>(i + 1));
            QCOMPARE(own.name("name " + std::to_string(i)), static_cast<uint32_t>(i + 1));
        }
        QCOMPARE(own.dictionary.knownName(1).count, 6U);
        uint64_t at = 0; // the arena tells the same
        for (uint32_t id = 1; id <= 2000; ++id) {
            wire::ArenaEntry entry;
            std::memcpy(&entry, own.arena.data() + at, sizeof(entry));
            QCOMPARE(entry.id, id);
            QCOMPARE(entry.kind(), wire::ArenaKind::Name);
            QCOMPARE(std::string(own.arena.data() + at + 8, entry.bytes()), "name " + std::to_string(id - 1));
            at += 8 + (entry.bytes() + 7) / 8 * 8;
        }
        QCOMPARE(own.header.arenaHead.load(), at);
    }

    void namesWithoutRoom()
    {
        OwnDictionary own(64);
        QCOMPARE(own.name("a name of 20 letters"), 1U);
        QCOMPARE(own.name("another of 21 letters"), 2U);
        QCOMPARE(own.name("too much"), 0U);
        QCOMPARE(own.name("a name of 20 letters"), 1U);
        QCOMPARE(own.header.namesRefused.load(), uint64_t{1});
    }

    void noMoreIdsThanAllowed()
    {
        OwnDictionary own(8 << 20);
        for (uint32_t i = 1; i <= wire::kMaxStrings; ++i)
            QCOMPARE(own.name(std::to_string(i)), i);
        QCOMPARE(own.name("one more"), 0U);
        QCOMPARE(own.name("1"), 1U);
    }

    void marks()
    {
        static bool everything = false;
        everything = false;
        OwnDictionary own(1 << 16, [](const char* name, uint32_t) -> uint32_t { return everything || *name == 's'; });
        const uint32_t step = own.name("step");
        const uint32_t other = own.name("other");
        QCOMPARE(own.dictionary.knownName(step).mark, 1U);
        QCOMPARE(own.dictionary.knownName(other).mark, 0U);
        everything = true;
        own.dictionary.markAgain();
        QCOMPARE(own.dictionary.knownName(other).mark, 1U);
    }

    void namesFromManyThreads()
    {
        OwnDictionary own(1 << 20);
        std::vector<std::thread> threads;
        std::vector<std::vector<uint32_t>> ids(4, std::vector<uint32_t>(500));
        for (size_t t = 0; t < ids.size(); ++t) {
            threads.emplace_back([&own, &mine = ids[t], t] {
                for (size_t i = 0; i < mine.size(); ++i) {
                    const size_t which = (i + t * 100) % mine.size();
                    mine[which] = own.name(std::to_string(which));
                }
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        for (const std::vector<uint32_t>& mine : ids)
            QCOMPARE(mine, ids.front());
        QCOMPARE(std::set<uint32_t>(ids.front().begin(), ids.front().end()).size(), size_t{500});
    }

    void redirectedCalls()
    {
        QCOMPARE(callThroughTable(5), 6);
        constexpr const char* kPrefixes[] = {"libredirected", nullptr};
        Redirection list[] = {{"redirectedTarget", reinterpret_cast<void*>(replacement)}, {"noSuchFunction", nullptr}};
        QVERIFY(redirect(kPrefixes, list, 2) >= 1);
        QVERIFY(list[0].found >= 1);
        QCOMPARE(list[1].found, 0);
        QCOMPARE(callThroughTable(5), -5);
        QCOMPARE(g_replacedCalls, 1);
        const int again = redirect(kPrefixes, list, 2);
        QVERIFY(again >= 1); // counted, not patched twice
        QCOMPARE(callThroughTable(7), -7);
        constexpr const char* kOthers[] = {"libno-such", nullptr};
        QCOMPARE(redirect(kOthers, list, 2), 0);
    }

    void shapesOfTensors()
    {
        FakeTensor matrix = {};
        matrix.rank = 2;
        matrix.sizes[0] = 3;
        matrix.sizes[1] = 5;
        matrix.dtype = 6;
        const int64_t many[] = {1, 2, 3, 4, 5, 6};
        FakeTensor high = {};
        high.rank = 6;
        const int64_t* const where = many;
        std::memcpy(high.sizes, &where, sizeof(where));
        high.dtype = 4;
        FakeTensor broken = {};
        broken.rank = 1000;
        const FakeTensor undefined = {};
        const FakeValue values[]
            = {{&matrix, 1}, {nullptr, 4}, {&high, 1}, {&broken, 1}, {&undefined, 1}, {nullptr, 1}};
        uint64_t words[32];
        const uint32_t used = readShapes(values, 6, 72, &undefined, words, 32);
        QCOMPARE(used, 6U + 2U + 6U);
        const auto shapeAt = [&](size_t i) {
            wire::InputShape shape;
            std::memcpy(&shape, words + i, sizeof(shape));
            return shape;
        };
        QCOMPARE(shapeAt(0).rank, uint8_t{2});
        QCOMPARE(shapeAt(0).dtype, uint16_t{6});
        QCOMPARE(words[2], uint64_t{5});
        QCOMPARE(shapeAt(3).tag, uint8_t{4});
        QCOMPARE(shapeAt(3).dtype, wire::kNoDtype);
        QCOMPARE(shapeAt(4).rank, uint8_t{6});
        QCOMPARE(words[10], uint64_t{6});
        QCOMPARE(shapeAt(11).flags, static_cast<uint32_t>(wire::InputRankTooLarge));
        QCOMPARE(shapeAt(12).flags, static_cast<uint32_t>(wire::InputUndefinedTensor));
        QCOMPARE(shapeAt(13).flags, static_cast<uint32_t>(wire::InputUndefinedTensor));
        QCOMPARE(readShapes(values, 6, 72, &undefined, words, 4), 4U); // the third one would not fit whole
    }
};

QTEST_GUILESS_MAIN(TestAgentParts)
#include "tst_agent_parts.moc"
