#include "capture/ingest.h"

#include "capture/recorded_process.h"

#include <map>

namespace torchline {

struct Ingest::State {
    std::shared_ptr<StringPool> pool;
    IngestOptions options;
    std::shared_ptr<const SpoolBytes> spool;
    std::map<uint16_t, RecordedProcess> processes;
    std::optional<int64_t> baseTimeNs; ///< of the first process that told it: one clock for all
    IngestCounters counters;

    [[nodiscard]] std::shared_ptr<const TraceSnapshot> publish(uint64_t generation, bool isEnd)
    {
        std::vector<std::shared_ptr<const FileStore>> stores;
        for (auto& [number, process] : processes) {
            if (process.hasRecords())
                stores.push_back(process.publish(options.path, baseTimeNs, isEnd));
        }
        return TraceSnapshot::combine(pool, std::move(stores), generation);
    }
};

Ingest::Ingest(std::shared_ptr<StringPool> pool, IngestOptions options)
    : m_state(std::make_unique<State>())
{
    m_state->pool = std::move(pool);
    m_state->options = std::move(options);
}

Ingest::~Ingest() = default;

void Ingest::setSpool(std::shared_ptr<const SpoolBytes> spool)
{
    m_state->spool = std::move(spool);
}

void Ingest::take(const Frame& frame)
{
    State& s = *m_state;
    const auto [process, isNew] = s.processes.try_emplace(frame.process, s.pool, s.spool, s.counters);
    process->second.take(frame);
    if (!s.baseTimeNs && frame.kind == FrameKind::Clock)
        s.baseTimeNs = process->second.realOffsetNs();
}

std::shared_ptr<const TraceSnapshot> Ingest::snapshot(uint64_t generation)
{
    return m_state->publish(generation, false);
}

std::shared_ptr<const TraceSnapshot> Ingest::finish(uint64_t generation)
{
    return m_state->publish(generation, true);
}

const IngestCounters& Ingest::counters() const
{
    return m_state->counters;
}

size_t Ingest::memoryUsage() const
{
    size_t bytes = 0;
    for (const auto& [number, process] : m_state->processes)
        bytes += process.memoryUsage();
    return bytes;
}

} // namespace torchline
