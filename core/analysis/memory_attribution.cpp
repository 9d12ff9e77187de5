#include "analysis/memory_attribution.h"

#include <algorithm>

namespace torchline {

namespace {

/// c10::DeviceType of what torch counts as host memory; -1: a record that does not say.
bool isHostMemory(int32_t deviceType)
{
    constexpr int32_t kCpu = 0;
    constexpr int32_t kMkldnn = 2;
    constexpr int32_t kIdeep = 5;
    return deviceType == kCpu || deviceType == kMkldnn || deviceType == kIdeep || deviceType < 0;
}

/// First place that is not before, by steps that double: O(log distance).
template <typename Iterator, typename Before> Iterator gallop(Iterator first, Iterator last, Before isBefore)
{
    std::ptrdiff_t step = 1;
    while (step < last - first && isBefore(first[step])) {
        first += step;
        step *= 2;
    }
    return std::partition_point(first, first + std::min(step, last - first), isBefore);
}

} // namespace

MemoryAttribution::MemoryAttribution(const TraceSnapshot& trace, uint32_t fileIndex)
{
    const FileStore& file = trace.file(fileIndex);
    m_timesNs.reserve(file.memory.size());
    m_before.reserve(file.memory.size() + 1);
    m_before.push_back({});
    for (const MemorySample& sample : file.memory) {
        const MemoryOrigin& origin = file.memoryOrigins[sample.origin];
        if (trace.text(origin.name) != "[memory]")
            continue;
        m_timesNs.push_back(addSaturated(sample.timeNs, trace.fileOffsetNs(fileIndex)));
        MemoryBytes sum = m_before.back();
        int64_t& side = isHostMemory(origin.deviceType) ? sum.cpu : sum.cuda;
        side = addSaturated(side, sample.bytes);
        m_before.push_back(sum);
    }
    m_coverChange.assign(m_timesNs.size() + 1, 0);
}

MemoryBytes MemoryAttribution::during(int64_t startNs, int64_t endNs)
{
    // Slices come in lane order: the first record is close to that of the last slice, the end close to the first.
    const auto at = [this](size_t i) { return m_timesNs.cbegin() + static_cast<std::ptrdiff_t>(i); };
    const bool isLater = m_hint == 0 || m_timesNs[m_hint - 1] < startNs;
    const auto begin = isLater ? gallop(at(m_hint), m_timesNs.cend(), [&](int64_t timeNs) { return timeNs < startNs; })
                               : std::lower_bound(m_timesNs.cbegin(), at(m_hint), startNs);
    const auto end = gallop(begin, m_timesNs.cend(), [&](int64_t timeNs) { return timeNs <= endNs; });
    m_hint = static_cast<size_t>(begin - m_timesNs.cbegin());
    if (begin == end)
        return {};
    const size_t first = m_hint;
    const auto last = static_cast<size_t>(end - m_timesNs.cbegin());
    ++m_coverChange[first];
    --m_coverChange[last];
    const MemoryBytes& a = m_before[first];
    const MemoryBytes& b = m_before[last];
    return {subSaturated(b.cpu, a.cpu), subSaturated(b.cuda, a.cuda)};
}

MemoryAttribution::Outside MemoryAttribution::outside() const
{
    Outside outside;
    int64_t holders = 0;
    for (size_t i = 0; i < m_timesNs.size(); ++i) {
        holders += m_coverChange[i];
        if (holders != 0)
            continue;
        ++outside.records;
        outside.bytes.cpu = addSaturated(outside.bytes.cpu, subSaturated(m_before[i + 1].cpu, m_before[i].cpu));
        outside.bytes.cuda = addSaturated(outside.bytes.cuda, subSaturated(m_before[i + 1].cuda, m_before[i].cuda));
    }
    return outside;
}

} // namespace torchline
