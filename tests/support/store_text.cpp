#include "store_text.h"

#include <sstream>

namespace torchline {

namespace {

/// Ids are written beside their texts: they follow the order of the file, so they are equal too.
class StoreWriter {
public:
    StoreWriter(const TraceSnapshot& trace, const FileStore& store)
        : m_trace(trace)
        , m_store(store)
    {
    }

    std::string text()
    {
        writeInfo();
        writeLanes();
        writeMarkers();
        writeCounters();
        writeLinks();
        for (const Notice& notice : m_store.notices) {
            m_out << "notice " << notice.code << ' ' << notice.count << ' ' << notice.text;
            for (const NoticePlace& place : notice.places)
                m_out << " [" << (place.offset ? std::to_string(*place.offset) : "-") << ' ' << place.text << ']';
            m_out << '\n';
        }
        return m_out.str();
    }

private:
    std::string name(NameId id) const
    {
        return id.isValid() ? std::to_string(id.value()) + '=' + std::string(m_trace.text(id)) : "-";
    }
    std::string category(CategoryId id) const { return id.isValid() ? name(m_store.categories[id.value()]) : "-"; }
    static std::string ref(StoreRef ref)
    {
        return ref.isValid() ? std::to_string(ref.lane) + '/' + std::to_string(ref.index) : "-";
    }

    void writeInfo()
    {
        const FileInfo& info = m_store.info;
        m_out << "file " << info.format << ' ' << info.originNs << ' ' << info.baseTimeNs.value_or(-1) << ' '
              << info.rank.value_or(-1) << ' ' << m_store.sliceCount << ' ' << m_store.firstNs << ' ' << m_store.lastNs
              << '\n';
        for (const auto& [key, value] : info.header)
            m_out << "header " << key << '=' << value << '\n';
        for (const ProcessInfo& process : m_store.processes)
            m_out << "process " << name(process.pid) << ' ' << name(process.name) << ' ' << name(process.labels) << ' '
                  << process.sortIndex.value_or(-1) << ' ' << process.isDevice << '\n';
    }

    void writeLanes()
    {
        for (const LaneStore& lane : m_store.lanes) {
            m_out << "lane " << lane.process << ' ' << name(lane.tid) << ' ' << name(lane.name) << ' '
                  << lane.sortIndex.value_or(-1) << ' ' << lane.isDevice << ' ' << lane.size << '\n';
            for (uint32_t i = 0; i < lane.size; ++i) {
                const SliceBlock& block = *lane.blocks[i / SliceBlock::kRows];
                const size_t k = i % SliceBlock::kRows;
                m_out << block.startNs[k] << ' ' << block.durationNs[k] << ' ' << name(block.name[k]) << ' '
                      << int{static_cast<uint8_t>(block.kind[k])} << ' ' << int{block.flags[k]} << ' '
                      << category(block.category[k]) << ' ' << block.externalId[k] << ' ' << block.correlation[k] << ' '
                      << block.eventOffset[k] << ' ' << lane.nesting.parent[i] << ' ' << lane.nesting.depth[i] << ' '
                      << lane.nesting.rowOf(i) << '\n';
            }
        }
        for (const DeviceWork& work : m_store.deviceWork)
            m_out << "work " << work.eventOffset << ' ' << name(m_store.devicePlaces[work.place].device) << ' '
                  << name(m_store.devicePlaces[work.place].stream) << ' ' << work.bytes << ' ' << work.occupancyPercent
                  << '\n';
        for (const auto& [begin, end] : m_store.pairEnds)
            m_out << "pair " << begin << ' ' << end << '\n';
    }

    void writeMarkers()
    {
        for (const MemorySample& sample : m_store.memory) {
            const MemoryOrigin& origin = m_store.memoryOrigins[sample.origin];
            m_out << "memory " << sample.timeNs << ' ' << sample.bytes << ' ' << sample.address << ' '
                  << sample.totalAllocated << ' ' << sample.totalReserved << ' ' << name(origin.name) << ' '
                  << category(origin.category) << ' ' << name(origin.pid) << ' ' << name(origin.tid) << ' '
                  << origin.deviceType << ' ' << origin.deviceId << ' ' << origin.scope << ' ' << sample.eventOffset
                  << '\n';
        }
        for (const Instant& instant : m_store.instants)
            m_out << "instant " << instant.timeNs << ' ' << instant.hasTime << ' ' << name(instant.name) << ' '
                  << category(instant.category) << ' ' << name(instant.pid) << ' ' << name(instant.tid) << ' '
                  << instant.scope << ' ' << instant.eventOffset << '\n';
        for (const AsyncSlice& slice : m_store.asyncSlices)
            m_out << "async " << slice.startNs << ' ' << slice.durationNs << ' ' << slice.isUnfinished << ' '
                  << name(slice.name) << ' ' << category(slice.category) << ' ' << name(slice.id) << ' '
                  << name(slice.pid) << ' ' << slice.eventOffset << ' ' << slice.endOffset << '\n';
    }

    void writeCounters()
    {
        for (const Counter& counter : m_store.counters) {
            m_out << "counter " << name(counter.name) << ' ' << name(counter.pid) << ' ' << name(counter.id) << ' '
                  << counter.records << '\n';
            for (const CounterSeries& series : counter.series) {
                m_out << "series " << name(series.name);
                for (const CounterSample& sample : series.samples)
                    m_out << ' ' << sample.timeNs << ':' << name(sample.text);
                m_out << '\n';
            }
        }
    }

    void writeLinks()
    {
        for (const StoreArrow& arrow : m_store.links.arrows)
            m_out << "arrow " << ref(arrow.from) << ' ' << ref(arrow.to) << ' ' << arrow.fromNs << ' ' << arrow.toNs
                  << ' ' << category(arrow.category) << ' ' << name(arrow.name) << ' '
                  << arrow.id.text(m_trace.strings()) << '\n';
        for (const DeviceLink& link : m_store.links.device)
            m_out << "link " << ref(link.work) << ' ' << ref(link.call) << ' ' << ref(link.owner) << '\n';
    }

    const TraceSnapshot& m_trace;
    const FileStore& m_store;
    std::ostringstream m_out;
};

} // namespace

std::string storeText(const TraceSnapshot& trace)
{
    std::string text;
    for (const auto& file : trace.files())
        text += StoreWriter(trace, *file).text();
    return text;
}

} // namespace torchline
