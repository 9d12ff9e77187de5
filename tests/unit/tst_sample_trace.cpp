// The bundled sample and the generator behind it: what generate_trace.h promises is read back from the text.

#include "generate_trace.h"
#include "import/load.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <QtTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace torchline;
using nlohmann::json;

namespace {

std::string generated(const test::TraceOptions& options, test::TraceTotals* totals = nullptr)
{
    std::string text;
    const test::TraceTotals made = test::generateTrace(options, [&text](std::string_view part) { text += part; });
    if (totals)
        *totals = made;
    return text;
}

test::TraceOptions smallOptions()
{
    test::TraceOptions options;
    options.steps = 6; // one of them waits for data
    options.layers = 2;
    return options;
}

/// Times of the text are exact decimals; as doubles they keep better than 0.1 ns at this size.
int64_t toNs(const json& microseconds)
{
    return qRound64(microseconds.get<double>() * 1000);
}

struct Span {
    int64_t startNs;
    int64_t endNs;
    const json* event;
};

std::map<std::string, std::vector<Span>> lanesOf(const json& trace, const std::set<std::string>& categories)
{
    std::map<std::string, std::vector<Span>> lanes;
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] != "X" || (!categories.empty() && !categories.contains(event["cat"])))
            continue;
        const int64_t startNs = toNs(event["ts"]);
        lanes[event["pid"].dump() + "/" + event["tid"].dump()].push_back(
            {startNs, startNs + toNs(event["dur"]), &event});
    }
    for (auto& [name, spans] : lanes) {
        std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
            return a.startNs != b.startNs ? a.startNs < b.startNs : a.endNs > b.endNs;
        });
    }
    return lanes;
}

const std::set<std::string> kDeviceWork{"kernel", "gpu_memcpy", "gpu_memset"};

std::string unpacked(const QString& path)
{
    std::string text;
    const gzFile file = gzopen(path.toUtf8().constData(), "rb");
    if (!file)
        return text;
    std::string block(1 << 20, '\0');
    int read = 0;
    while ((read = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0)
        text.append(block, 0, static_cast<size_t>(read));
    gzclose(file);
    return text;
}

} // namespace

class TestSampleTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_small = json::parse(generated(smallOptions(), &m_totals)); }

    void countsWhatItWrites()
    {
        QCOMPARE(m_small["traceEvents"].size(), m_totals.events);
        QCOMPARE(std::ranges::count_if(m_small["traceEvents"], [](const json& event) { return event["ph"] == "X"; }),
            static_cast<std::ptrdiff_t>(m_totals.slices));
        QCOMPARE(m_totals.steps, 6u);
    }

    void sameSeedSameBytes()
    {
        test::TraceOptions other = smallOptions();
        QVERIFY(generated(smallOptions()) == generated(other));
        other.seed = 2;
        QVERIFY(generated(smallOptions()) != generated(other));
    }

    void growsToTheEventsAskedFor()
    {
        test::TraceOptions options = smallOptions();
        options.steps = 1;
        options.events = 9000;
        test::TraceTotals totals;
        const json trace = json::parse(generated(options, &totals));
        QVERIFY(trace["traceEvents"].size() >= 9000);
        QVERIFY(totals.steps > 1);
    }

    void leavesOutWhatWasSwitchedOff()
    {
        test::TraceOptions options = smallOptions();
        options.withMemory = options.withShapes = options.withStacks = false;
        const std::string text = generated(options);
        for (const char* word : {"[memory]", "Input Dims", "Call stack", "python_function"})
            QVERIFY2(text.find(word) == std::string::npos, word);
    }

    void slicesNest()
    {
        for (const auto& [lane, spans] : lanesOf(m_small, {})) {
            std::vector<int64_t> open;
            for (const Span& span : spans) {
                while (!open.empty() && open.back() <= span.startNs)
                    open.pop_back();
                QVERIFY2(open.empty() || span.endNs <= open.back(), (lane + span.event->dump()).c_str());
                open.push_back(span.endNs);
            }
        }
    }

    void workOfAStreamNeverOverlaps()
    {
        const auto lanes = lanesOf(m_small, kDeviceWork);
        QCOMPARE(lanes.size(), 2u);
        for (const auto& [lane, spans] : lanes) {
            for (size_t i = 1; i < spans.size(); ++i)
                QVERIFY2(spans[i - 1].endNs < spans[i].startNs, spans[i].event->dump().c_str());
        }
    }

    void workFollowsItsLaunchAndSharesItsOperator()
    {
        std::map<uint64_t, const json*> calls;
        for (const json& event : m_small["traceEvents"]) {
            if (event["ph"] == "X" && event["cat"] == "cuda_runtime")
                QVERIFY(calls.emplace(event["args"]["correlation"].get<uint64_t>(), &event).second);
        }
        std::set<uint64_t> operators;
        for (const json& event : m_small["traceEvents"]) {
            if (event["ph"] == "X" && (event["cat"] == "cpu_op" || event["cat"] == "user_annotation"))
                QVERIFY(operators.insert(event["args"]["External id"].get<uint64_t>()).second);
        }
        for (const auto& [lane, spans] : lanesOf(m_small, kDeviceWork)) {
            for (const Span& span : spans) {
                const json& args = (*span.event)["args"];
                const json& call = *calls.at(args["correlation"]);
                QVERIFY(toNs(call["ts"]) + toNs(call["dur"]) <= span.startNs);
                QCOMPARE(call["args"]["External id"], args["External id"]);
                QVERIFY(operators.contains(args["External id"]));
            }
        }
    }

    void arrowsHaveBothEnds()
    {
        std::map<std::string, int> ends;
        for (const json& event : m_small["traceEvents"]) {
            if (event["ph"] == "s" || event["ph"] == "f")
                ++ends[event["cat"].get<std::string>() + event["id"].dump() + event["ph"].get<std::string>()];
        }
        QVERIFY(ends.size() > 1000);
        for (const auto& [end, count] : ends) {
            QCOMPARE(count, 1);
            const char other = end.back() == 's' ? 'f' : 's';
            QVERIFY2(ends.contains(end.substr(0, end.size() - 1) + other), end.c_str());
        }
    }

    void memoryTotalsAddUp()
    {
        std::map<int, std::vector<const json*>> byType;
        for (const json& event : m_small["traceEvents"]) {
            if (event["name"] == "[memory]")
                byType[event["args"]["Device Type"]].push_back(&event);
        }
        QCOMPARE(byType.size(), 2u); // CPU and CUDA
        for (auto& [type, events] : byType) {
            std::ranges::stable_sort(events, {}, [](const json* event) { return toNs((*event)["ts"]); });
            int64_t total = events[0]->at("args")["Total Allocated"].get<int64_t>()
                - events[0]->at("args")["Bytes"].get<int64_t>();
            for (const json* event : events) {
                const json& args = event->at("args");
                total += args["Bytes"].get<int64_t>();
                QCOMPARE(args["Total Allocated"].get<int64_t>(), total);
                QVERIFY(total >= 0);
                if (type == 1)
                    QVERIFY(args["Total Reserved"].get<int64_t>() >= total);
            }
        }
    }

    void framesKnowTheirParents()
    {
        std::map<uint64_t, Span> frames;
        for (const auto& [lane, spans] : lanesOf(m_small, {"python_function"})) {
            for (const Span& span : spans)
                frames.emplace((*span.event)["args"]["Python id"].get<uint64_t>(), span);
        }
        QVERIFY(frames.size() > 100);
        for (const auto& [id, span] : frames) {
            const json& parent = (*span.event)["args"]["Python parent id"];
            if (parent.is_null())
                continue;
            const Span& outer = frames.at(parent);
            QVERIFY(outer.startNs < span.startNs && span.endNs < outer.endNs);
        }
    }

    void sampleIsWhatTheGeneratorMakes()
    {
        const std::string sample = unpacked(QStringLiteral(TORCHLINE_SAMPLE));
        QVERIFY(!sample.empty());
        QVERIFY2(sample == generated(test::sampleOptions()), "build the target torchline-sample and commit the result");
    }

    void sampleLoadsWithoutNotices()
    {
        test::TraceTotals totals;
        generated(test::sampleOptions(), &totals);
        QVERIFY(totals.events >= 50000);

        const auto trace = loadTraces({TORCHLINE_SAMPLE});
        QVERIFY2(trace.has_value(), trace ? "" : trace.error().message().c_str());
        QCOMPARE((*trace)->sliceCount(), totals.slices);
        for (const Notice& notice : (*trace)->file(0).notices)
            QFAIL((notice.code + ": " + notice.text).c_str());
        QVERIFY((*trace)->notices().empty());
    }

private:
    json m_small;
    test::TraceTotals m_totals;
};

QTEST_GUILESS_MAIN(TestSampleTrace)
#include "tst_sample_trace.moc"
