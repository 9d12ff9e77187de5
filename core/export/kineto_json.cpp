#include "export/kineto_json.h"

#include "base/text.h"
#include "export/event_json.h"
#include "export/gzip_stream.h"
#include "export/json_writer.h"
#include "export/output_file.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace torchline {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

/// One event of the source, to be written in the order of the source.
struct Item {
    enum Kind : uint32_t { Slice, PairEnd, Memory, Instant, AsyncBegin, AsyncEnd };

    uint64_t offset;
    uint32_t index; ///< in its lane or list
    uint32_t kindAndLane;

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(kindAndLane >> 28); }
    [[nodiscard]] uint32_t lane() const { return kindAndLane & 0xFFFFFFF; }
};

std::vector<Item> itemsOf(const TraceSnapshot& trace, uint32_t fileIndex)
{
    const FileStore& store = trace.file(fileIndex);
    std::vector<Item> items;
    items.reserve(store.sliceCount + store.pairEnds.size() + store.memory.size() + store.instants.size()
        + 2 * store.asyncSlices.size());
    const auto add = [&items](uint64_t offset, Item::Kind kind, uint32_t lane, size_t index) {
        items.push_back({offset, static_cast<uint32_t>(index), static_cast<uint32_t>(kind) << 28 | lane});
    };
    for (uint32_t l = 0; l < store.lanes.size(); ++l) {
        const Lane& lane = trace.lane(trace.laneId(fileIndex, l));
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const uint64_t offset = lane.eventOffset(i);
            add(offset, Item::Slice, l, i);
            if ((lane.flags(i) & SliceFromPair) == 0)
                continue;
            const auto end
                = std::lower_bound(store.pairEnds.begin(), store.pairEnds.end(), std::pair(offset, uint64_t{0}));
            if (end != store.pairEnds.end() && end->first == offset)
                add(end->second, Item::PairEnd, l, i);
        }
    }
    for (size_t i = 0; i < store.memory.size(); ++i)
        add(store.memory[i].eventOffset, Item::Memory, 0, i);
    for (size_t i = 0; i < store.instants.size(); ++i)
        add(store.instants[i].eventOffset, Item::Instant, 0, i);
    for (size_t i = 0; i < store.asyncSlices.size(); ++i) {
        const AsyncSlice& slice = store.asyncSlices[i];
        add(slice.eventOffset, Item::AsyncBegin, 0, i);
        if (!slice.isUnfinished)
            add(slice.endOffset, Item::AsyncEnd, 0, i);
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.offset < b.offset; });
    return items;
}

class Writer {
public:
    Writer(const TraceSnapshot& trace, uint32_t fileIndex, std::ostream& out, const KinetoJsonOptions& options)
        : m_store(trace.file(fileIndex))
        , m_events(trace, fileIndex)
        , m_items(itemsOf(trace, fileIndex))
        , m_out(out)
        , m_options(options)
    {
    }

    [[nodiscard]] Status write()
    {
        writeHeader();
        m_buffer += "\"traceEvents\": [\n";
        writeNames();
        if (Status status = writeItems(); !status)
            return status;
        writeArrows();
        writeCounters();
        m_buffer += "\n]}\n";
        flush();
        return {};
    }

private:
    void flush()
    {
        m_out.write(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
        m_buffer.clear();
    }

    void beginEvent()
    {
        if (m_buffer.size() >= kBufferBytes)
            flush();
        m_buffer += m_hasEvents ? ",\n" : "";
        m_hasEvents = true;
    }

    void writeHeader()
    {
        m_buffer += "{\n";
        for (const auto& [key, value] : m_store.info.header) {
            if (key == "traceEvents")
                continue;
            appendJsonText(m_buffer, key);
            m_buffer += ": ";
            appendArgValue(m_buffer, value);
            m_buffer += ",\n";
        }
    }

    // Before all else, so that processes and threads come in the order that they have here. Hosts before devices: where
    // one number stands for both, the first names are the host's.
    void writeNames()
    {
        std::string names;
        for (const bool isDevice : {false, true}) {
            for (const ProcessInfo& process : m_store.processes) {
                if (process.isDevice == isDevice)
                    m_events.addProcessNames(names, process);
            }
        }
        for (const LaneStore& lane : m_store.lanes)
            m_events.addThreadNames(names, lane);
        if (names.empty())
            return;
        beginEvent();
        m_buffer += names;
    }

    [[nodiscard]] Status writeItems()
    {
        if (!m_store.source) {
            for (size_t i = 0; i < m_items.size(); ++i) {
                writeItem(i, {});
                if (!goesOn(i))
                    return cancelled();
            }
            return {};
        }
        std::vector<uint64_t> offsets(m_items.size());
        std::transform(m_items.begin(), m_items.end(), offsets.begin(), [](const Item& item) { return item.offset; });
        bool isStopped = false;
        Status status = m_store.source->textsOfMany(offsets, [&](size_t i, std::string&& text) {
            writeItem(i, text);
            isStopped = !goesOn(i);
            return !isStopped;
        });
        if (isStopped)
            return cancelled();
        return status;
    }

    [[nodiscard]] bool goesOn(size_t done)
    {
        constexpr size_t kEvery = 1024;
        if (done % kEvery != 0)
            return true;
        if (!m_out)
            return true; // whoever owns the file tells why
        return !m_options.progress
            || m_options.progress(static_cast<double>(done) / static_cast<double>(m_items.size()));
    }

    static Error cancelled() { return Error(ErrorCode::Cancelled, "saving was cancelled"); }

    void writeItem(size_t i, std::string_view text)
    {
        beginEvent();
        const Item& item = m_items[i];
        switch (item.kind()) {
        case Item::Slice:
            m_events.addSlice(m_buffer, item.lane(), item.index, text);
            break;
        case Item::PairEnd:
            m_events.addPairEnd(m_buffer, item.lane(), item.index, text);
            break;
        case Item::Memory:
            m_events.addMemory(m_buffer, m_store.memory[item.index], text);
            break;
        case Item::Instant:
            m_events.addInstant(m_buffer, m_store.instants[item.index], text);
            break;
        case Item::AsyncBegin:
        case Item::AsyncEnd:
            m_events.addAsync(m_buffer, m_store.asyncSlices[item.index], item.kind() == Item::AsyncEnd, text);
            break;
        }
    }

    void writeArrows()
    {
        for (const StoreArrow& arrow : m_store.links.arrows) {
            for (const bool isEnd : {false, true}) {
                beginEvent();
                m_events.addArrow(m_buffer, arrow, isEnd);
            }
        }
    }

    /// The first samples of all series at one time are one event, then the second ones.
    void writeCounters()
    {
        for (const Counter& counter : m_store.counters) {
            std::vector<size_t> next(counter.series.size());
            std::vector<const CounterSample*> together(counter.series.size());
            for (;;) {
                int64_t earliest = kMaxNs;
                bool hasAny = false;
                for (size_t s = 0; s < next.size(); ++s) {
                    if (next[s] == counter.series[s].samples.size())
                        continue;
                    earliest = std::min(earliest, counter.series[s].samples[next[s]].timeNs);
                    hasAny = true;
                }
                if (!hasAny)
                    break;
                for (size_t s = 0; s < next.size(); ++s) {
                    const std::vector<CounterSample>& samples = counter.series[s].samples;
                    const bool isNow = next[s] < samples.size() && samples[next[s]].timeNs == earliest;
                    together[s] = isNow ? &samples[next[s]++] : nullptr;
                }
                beginEvent();
                m_events.addCounter(m_buffer, counter, together);
            }
        }
    }

    const FileStore& m_store;
    EventJson m_events;
    std::vector<Item> m_items;
    std::ostream& m_out;
    const KinetoJsonOptions& m_options;
    std::string m_buffer;
    bool m_hasEvents = false;
};

std::string nameInsert(const TraceSnapshot& trace, uint32_t fileIndex)
{
    const auto all = trace.files();
    std::set<int64_t> ranks;
    for (const std::shared_ptr<const FileStore>& file : all)
        ranks.insert(file->info.rank.value_or(-1));
    if (ranks.size() == all.size() && !ranks.contains(-1))
        return ".rank" + std::to_string(*all[fileIndex]->info.rank);
    const auto pidOf = [&](const FileStore& store) {
        return store.processes.empty() ? std::string() : std::string(trace.text(store.processes[0].pid));
    };
    std::set<std::string> pids;
    for (const std::shared_ptr<const FileStore>& file : all)
        pids.insert(pidOf(*file));
    const std::string pid = pidOf(*all[fileIndex]);
    const bool isPlain = !pid.empty() && pid.find_first_not_of("0123456789") == std::string::npos;
    return pids.size() == all.size() && isPlain ? ".pid" + pid : '.' + std::to_string(fileIndex);
}

} // namespace

Status writeKinetoJson(
    const TraceSnapshot& trace, uint32_t fileIndex, const std::string& path, const KinetoJsonOptions& options)
{
    Result<OutputFile> file = OutputFile::toPath(path);
    if (!file)
        return file.error();
    Status status;
    if (path.ends_with(".gz")) {
        GzipStream packed(file->stream());
        status = Writer(trace, fileIndex, packed, options).write();
        packed.flush();
        packed.finish();
    } else {
        status = Writer(trace, fileIndex, file->stream(), options).write();
    }
    if (!status)
        return status.error().within(escapeControls(path));
    return file->commit();
}

Result<std::vector<std::string>> saveKinetoJson(
    const TraceSnapshot& trace, const std::string& path, const KinetoJsonOptions& options)
{
    const auto count = static_cast<uint32_t>(trace.files().size());
    if (count == 0)
        return Error(ErrorCode::Usage, escapeControls(path) + ": there is nothing to save");
    std::vector<std::string> written;
    size_t ending = path.size();
    for (const std::string_view suffix : {".gz", ".json"}) {
        if (std::string_view(path).substr(0, ending).ends_with(suffix))
            ending -= suffix.size();
    }
    for (uint32_t f = 0; f < count; ++f) {
        const std::string name
            = count == 1 ? path : path.substr(0, ending) + nameInsert(trace, f) + path.substr(ending);
        KinetoJsonOptions own = options;
        if (options.progress)
            own.progress = [&options, f, count](double share) { return options.progress((f + share) / count); };
        if (Status status = writeKinetoJson(trace, f, name, own); !status)
            return status.error();
        written.push_back(name);
    }
    return written;
}

} // namespace torchline
