#include "export/dump.h"

#include "export/counter_figures.h"
#include "export/json_writer.h"
#include "export/slice_order.h"
#include "query/event_args.h"

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <tuple>
#include <type_traits>

namespace torchline {

namespace {

/// Arguments of a batch of events as JSON objects. The next batch is as large as the texts of the last one allow.
class ArgTexts {
public:
    [[nodiscard]] size_t batchSize() const { return m_batchSize; }
    [[nodiscard]] const std::string& operator[](size_t i) const { return m_texts[i]; }

    void start(size_t count) { m_texts.assign(count, "{}"); }

    /// Fills the places of these events.
    Status read(const FileStore& file, const std::vector<EventParts>& events, const std::vector<size_t>& places)
    {
        return argsOfEvents(file, events, [&](size_t i, ArgList&& args) {
            std::string& text = m_texts[places[i]];
            text.assign(1, '{');
            for (const auto& [key, value] : args) {
                if (text.size() > 1)
                    text += ',';
                appendJsonText(text, key);
                text += ':';
                appendJsonText(text, value);
            }
            text += '}';
        });
    }

    void finish()
    {
        size_t bytes = 1;
        for (const std::string& text : m_texts)
            bytes += text.size();
        m_batchSize = std::clamp(m_texts.size() * kBytesAtOnce / bytes, kLeastAtOnce, kMostAtOnce);
    }

private:
    static constexpr size_t kBytesAtOnce = size_t{16} << 20;
    static constexpr size_t kLeastAtOnce = 64;
    static constexpr size_t kMostAtOnce = size_t{1} << 16;

    size_t m_batchSize = 1024;
    std::vector<std::string> m_texts;
};

class Dump {
public:
    Dump(const TraceSnapshot& trace, const ResolvedScope* scope, const DumpOptions& options, std::ostream& out)
        : m_trace(trace)
        , m_scope(scope)
        , m_options(options)
        , m_out(out)
        , m_json(out, options.isLines ? 0 : 2)
        , m_ids(trace)
    {
    }

    Status write()
    {
        if (!m_options.isLines)
            m_json.beginObject();
        beginList("slices", "slice");
        if (Status status = writeSlices(); !status)
            return status;
        endList();
        beginList("flows", "flow");
        for (uint32_t i = 0; i < m_trace.files().size(); ++i)
            writeFlows(i);
        endList();
        std::vector<MarkerScope> markers;
        for (uint32_t i = 0; m_scope && i < m_trace.files().size(); ++i) {
            auto resolved = resolveMarkers(m_trace, *m_scope, i);
            if (!resolved)
                return resolved.error();
            markers.push_back(std::move(*resolved));
        }
        const auto markersOf = [&](uint32_t i) { return m_scope ? &markers[i] : nullptr; };
        beginList("instants", "instant");
        for (uint32_t i = 0; i < m_trace.files().size(); ++i) {
            if (Status status = writeInstants(i, markersOf(i)); !status)
                return status;
        }
        endList();
        beginList("async_slices", "async_slice");
        for (uint32_t i = 0; i < m_trace.files().size(); ++i) {
            if (Status status = writeAsyncSlices(i, markersOf(i)); !status)
                return status;
        }
        endList();
        beginList("counters", "counter");
        for (uint32_t i = 0; i < m_trace.files().size(); ++i)
            writeCounters(i, markersOf(i));
        endList();
        if (!m_options.isLines) {
            m_json.endObject();
            m_json.newLine();
        }
        return {};
    }

private:
    // -- form
    void beginList(std::string_view key, std::string_view type)
    {
        m_type = type;
        if (m_options.isLines)
            return;
        m_json.key(key);
        m_json.beginArray();
    }

    void endList()
    {
        if (!m_options.isLines)
            m_json.endArray();
    }

    void beginEntry()
    {
        m_json.beginObject();
        if (m_options.isLines)
            putText("type", m_type);
    }

    void endEntry()
    {
        m_json.endObject();
        if (m_options.isLines)
            m_json.newLine();
    }

    void putText(std::string_view key, std::string_view text)
    {
        m_json.key(key);
        m_json.text(text);
    }

    void putNumber(std::string_view key, uint64_t number)
    {
        m_json.key(key);
        m_json.unsignedInteger(number);
    }

    void putTime(std::string_view key, int64_t ns)
    {
        m_json.key(key);
        m_json.time(ns);
    }

    void putToken(std::string_view key, std::string_view token)
    {
        m_json.key(key);
        m_json.number(token);
    }

    /// Name and id of another slice, or two nulls.
    void putSlice(std::string_view nameKey, std::string_view idKey, SliceRef slice)
    {
        if (!slice.isValid()) {
            putToken(nameKey, "null");
            putToken(idKey, "null");
            return;
        }
        putText(nameKey, m_trace.text(m_trace.name(slice)));
        putNumber(idKey, m_ids.of(slice));
    }

    // -- lists
    Status writeSlices()
    {
        SliceOrder order(m_trace);
        ArgTexts args;
        std::vector<SliceRef> batch;
        for (auto slice = order.next(); slice; slice = order.next()) {
            if (m_scope && !m_scope->slices.contains(*slice))
                continue;
            batch.push_back(*slice);
            if (batch.size() < args.batchSize())
                continue;
            if (Status status = writeSliceBatch(batch, args); !status || !m_out)
                return status;
        }
        return writeSliceBatch(batch, args);
    }

    Status writeSliceBatch(std::vector<SliceRef>& batch, ArgTexts& args)
    {
        struct Wanted {
            std::vector<EventParts> events;
            std::vector<size_t> places;
        };
        std::map<uint32_t, Wanted> byFile;
        for (size_t i = 0; i < batch.size(); ++i) {
            Wanted& wanted = byFile[m_trace.lane(batch[i].lane).fileIndex()];
            wanted.events.push_back(partsOfSlice(m_trace, batch[i]));
            wanted.places.push_back(i);
        }
        args.start(batch.size());
        for (const auto& [fileIndex, wanted] : byFile) {
            if (Status status = args.read(m_trace.file(fileIndex), wanted.events, wanted.places); !status)
                return status;
        }
        for (size_t i = 0; i < batch.size(); ++i)
            writeSlice(batch[i], args[i]);
        args.finish();
        batch.clear();
        return {};
    }

    void writeSlice(SliceRef slice, const std::string& args)
    {
        const Lane& lane = m_trace.lane(slice.lane);
        const uint32_t i = slice.index;
        beginEntry();
        putNumber("id", m_ids.of(slice));
        putText("name", m_trace.text(lane.name(i)));
        putText("category", m_trace.categoryText(lane.fileIndex(), lane.category(i)));
        putNumber("file", lane.fileIndex());
        putText("process", m_trace.pid(slice.lane));
        putText("thread", m_trace.tid(slice.lane));
        putTime("start_us", lane.startNs(i));
        putTime("dur_us", lane.durationNs(i));
        putNumber("depth", lane.depth(i));
        putSlice("parent", "parent_id", m_trace.parent(slice));
        putSlice("owner", "owner_id", isDeviceWork(lane.kind(i)) ? m_trace.ownerOf(slice) : SliceRef{});
        putToken("unfinished", (lane.flags(i) & SliceUnfinished) != 0 ? "true" : "false");
        putToken("args", args);
        endEntry();
    }

    void writeFlows(uint32_t fileIndex)
    {
        m_trace.forEachArrow(fileIndex, [&](const Arrow& arrow) {
            if (m_scope && !(m_scope->slices.contains(arrow.from) && m_scope->slices.contains(arrow.to)))
                return;
            beginEntry();
            putText("id", arrow.id.text(m_trace.strings()));
            putText("category", arrow.category);
            putText("name", m_trace.text(arrow.name));
            putNumber("from_id", m_ids.of(arrow.from));
            putNumber("to_id", m_ids.of(arrow.to));
            putTime("from_us", arrow.fromNs);
            putTime("to_us", arrow.toNs);
            endEntry();
        });
    }

    /// Writes what next() gives, until it gives none, in batches with their arguments.
    template <typename Next, typename PartsOf, typename Write>
    Status writeWithArgs(uint32_t fileIndex, Next next, const PartsOf& partsOf, const Write& writeEntry)
    {
        ArgTexts args;
        auto entry = next();
        std::vector<std::remove_cvref_t<decltype(*entry)>> batch;
        std::vector<EventParts> events;
        std::vector<size_t> places;
        while (entry && m_out) {
            batch.clear();
            events.clear();
            places.clear();
            for (; entry && batch.size() < args.batchSize(); entry = next()) {
                places.push_back(batch.size());
                events.push_back(partsOf(*entry));
                batch.push_back(*entry);
            }
            args.start(batch.size());
            if (Status status = args.read(m_trace.file(fileIndex), events, places); !status)
                return status;
            for (size_t i = 0; i < batch.size(); ++i)
                writeEntry(batch[i], args[i]);
            args.finish();
        }
        return {};
    }

    /// The markers of both lists in one order: those without a time, then by time, then by place.
    static std::function<std::optional<Instant>()> instantsOf(const FileStore& file, const MarkerScope* markers)
    {
        return [&file, markers, i = size_t{0}, k = size_t{0}]() mutable -> std::optional<Instant> {
            while (markers && i < file.instants.size() && !markers->instants[i])
                ++i;
            while (markers && k < file.memory.size() && !markers->memory[k])
                ++k;
            const Instant* instant = i < file.instants.size() ? &file.instants[i] : nullptr;
            const MemorySample* sample = k < file.memory.size() ? &file.memory[k] : nullptr;
            if (!instant && !sample)
                return std::nullopt;
            if (instant
                && (!sample || !instant->hasTime
                    || std::tie(instant->timeNs, instant->eventOffset)
                        <= std::tie(sample->timeNs, sample->eventOffset))) {
                ++i;
                return *instant;
            }
            ++k;
            const MemoryOrigin& origin = file.memoryOrigins[sample->origin];
            return Instant{sample->timeNs, true, origin.name, origin.category, origin.pid, origin.tid, origin.scope,
                sample->eventOffset};
        };
    }

    Status writeInstants(uint32_t fileIndex, const MarkerScope* markers)
    {
        const FileStore& file = m_trace.file(fileIndex);
        const auto partsOf = [](const Instant& instant) {
            return EventParts{instant.eventOffset, instant.eventOffset};
        };
        return writeWithArgs(
            fileIndex, instantsOf(file, markers), partsOf, [&](const Instant& instant, const std::string& args) {
                beginEntry();
                putText("name", m_trace.text(instant.name));
                putText("category", m_trace.categoryText(fileIndex, instant.category));
                putNumber("file", fileIndex);
                putText("process", m_trace.text(instant.pid));
                putText("thread", m_trace.text(instant.tid));
                if (instant.hasTime)
                    putTime("at_us", addSaturated(instant.timeNs, m_trace.fileOffsetNs(fileIndex)));
                else
                    putToken("at_us", "null");
                putText("scope", std::string_view(&instant.scope, 1));
                putToken("args", args);
                endEntry();
            });
    }

    Status writeAsyncSlices(uint32_t fileIndex, const MarkerScope* markers)
    {
        const FileStore& file = m_trace.file(fileIndex);
        const auto next = [&, i = size_t{0}]() mutable -> std::optional<AsyncSlice> {
            while (markers && i < file.asyncSlices.size() && !markers->asyncSlices[i])
                ++i;
            if (i >= file.asyncSlices.size())
                return std::nullopt;
            return file.asyncSlices[i++];
        };
        const auto partsOf = [](const AsyncSlice& slice) { return EventParts{slice.eventOffset, slice.endOffset}; };
        return writeWithArgs(fileIndex, next, partsOf, [&](const AsyncSlice& slice, const std::string& args) {
            beginEntry();
            putText("name", m_trace.text(slice.name));
            putText("category", m_trace.categoryText(fileIndex, slice.category));
            putText("id", m_trace.text(slice.id));
            putNumber("file", fileIndex);
            putText("process", m_trace.text(slice.pid));
            putTime("start_us", addSaturated(slice.startNs, m_trace.fileOffsetNs(fileIndex)));
            putTime("dur_us", slice.durationNs);
            putToken("unfinished", slice.isUnfinished ? "true" : "false");
            putToken("args", args);
            endEntry();
        });
    }

    void writeCounters(uint32_t fileIndex, const MarkerScope* markers)
    {
        const FileStore& file = m_trace.file(fileIndex);
        for (size_t i = 0; i < file.counters.size(); ++i) {
            const Counter& counter = file.counters[i];
            if (markers && !markers->counters[i])
                continue;
            const CounterFigures figures = counterFigures(m_trace, fileIndex, counter, m_scope);
            if (m_scope && figures.records == 0)
                continue;
            beginEntry();
            putText("name", m_trace.text(counter.name));
            putNumber("file", fileIndex);
            putText("process", m_trace.text(counter.pid));
            putFigures(figures.records, figures.min, figures.max);
            m_json.key("series");
            m_json.beginArray();
            for (size_t k = 0; k < figures.series.size(); ++k)
                writeSeries(fileIndex, counter.series[k], figures.series[k]);
            m_json.endArray();
            endEntry();
        }
    }

    void writeSeries(uint32_t fileIndex, const CounterSeries& series, const CounterFigures::Series& figures)
    {
        m_json.beginObject();
        putText("name", m_trace.text(series.name));
        putFigures(figures.samples, figures.min, figures.max);
        if (m_options.withPoints) {
            m_json.key("points");
            m_json.beginArray();
            for (const CounterSample& sample : series.samples) {
                const int64_t timeNs = addSaturated(sample.timeNs, m_trace.fileOffsetNs(fileIndex));
                if (m_scope && !m_scope->containsTime(fileIndex, timeNs))
                    continue;
                m_json.beginArray();
                m_json.time(timeNs);
                m_json.number(counterDigits(m_trace, sample));
                m_json.endArray();
            }
            m_json.endArray();
        }
        m_json.endObject();
    }

    void putFigures(uint64_t samples, const std::optional<CounterFigures::Extreme>& min,
        const std::optional<CounterFigures::Extreme>& max)
    {
        putNumber("samples", samples);
        putToken("min", min ? min->digits : "null");
        putToken("max", max ? max->digits : "null");
    }

    const TraceSnapshot& m_trace;
    const ResolvedScope* m_scope;
    DumpOptions m_options;
    std::ostream& m_out;
    JsonWriter m_json;
    SliceIds m_ids;
    std::string_view m_type; ///< of the entries being written
};

} // namespace

Status writeDump(const TraceSnapshot& trace, const ResolvedScope* scope, const DumpOptions& options, std::ostream& out)
{
    return Dump(trace, scope, options, out).write();
}

} // namespace torchline
