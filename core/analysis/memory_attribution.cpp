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

void MemoryAttribution::read(const TraceSnapshot& trace, uint32_t fileIndex, int64_t untilNs)
{
    const FileStore& file = trace.file(fileIndex);
    for (; m_samplesRead < file.memory.size(); ++m_samplesRead) {
        const MemorySample& sample = file.memory[m_samplesRead];
        const int64_t timeNs = addSaturated(sample.timeNs, trace.fileOffsetNs(fileIndex));
        if (timeNs > untilNs)
            break;
        const MemoryOrigin& origin = file.memoryOrigins[sample.origin];
        if (trace.text(origin.name) != "[memory]")
            continue;
        MemoryBytes sum = m_sums.empty() ? MemoryBytes() : m_sums.back();
        int64_t& side = isHostMemory(origin.deviceType) ? sum.cpu : sum.cuda;
        side = addSaturated(side, sample.bytes);
        m_timesNs.push_back(timeNs);
        m_sums.push_back(sum);
    }
    m_coverChange.resize(m_timesNs.size() - m_settled + 1, 0);
}

MemoryBytes MemoryAttribution::during(int64_t startNs, int64_t endNs)
{
    // Slices come in lane order: the first record is close to that of the last slice, the end close to the first.
    const auto at = [this](size_t i) { return m_timesNs.begin() + static_cast<std::ptrdiff_t>(i); };
    const bool isLater = m_hint == 0 || m_timesNs[m_hint - 1] < startNs;
    const auto begin = isLater ? gallop(at(m_hint), m_timesNs.end(), [&](int64_t timeNs) { return timeNs < startNs; })
                               : std::lower_bound(m_timesNs.begin(), at(m_hint), startNs);
    const auto end = gallop(begin, m_timesNs.end(), [&](int64_t timeNs) { return timeNs <= endNs; });
    m_hint = static_cast<size_t>(begin - m_timesNs.begin());
    if (begin == end)
        return {};
    const size_t first = m_hint;
    const auto last = static_cast<size_t>(end - m_timesNs.begin());
    ++m_coverChange[std::max(first, m_settled) - m_settled];
    --m_coverChange[std::max(last, m_settled) - m_settled];
    const MemoryBytes a = first == 0 ? MemoryBytes() : m_sums[first - 1];
    const MemoryBytes& b = m_sums[last - 1];
    return {subSaturated(b.cpu, a.cpu), subSaturated(b.cuda, a.cuda)};
}

/// From the first that is not settled on; returns how many slices hold the record at the end.
int32_t MemoryAttribution::addOutside(Outside& outside, size_t end) const
{
    int32_t holders = m_coverChange[0];
    for (size_t i = m_settled; i < end; ++i) {
        if (holders == 0) {
            const MemoryBytes a = i == 0 ? MemoryBytes() : m_sums[i - 1];
            ++outside.records;
            outside.bytes.cpu = addSaturated(outside.bytes.cpu, subSaturated(m_sums[i].cpu, a.cpu));
            outside.bytes.cuda = addSaturated(outside.bytes.cuda, subSaturated(m_sums[i].cuda, a.cuda));
        }
        holders += m_coverChange[i - m_settled + 1];
    }
    return holders;
}

MemoryAttribution::Outside MemoryAttribution::outside() const
{
    Outside outside = m_settledOutside;
    addOutside(outside, m_timesNs.size());
    return outside;
}

void MemoryAttribution::settle(int64_t beforeNs)
{
    const auto rest = static_cast<size_t>(
        std::lower_bound(m_timesNs.begin(), m_timesNs.end(), beforeNs) - m_timesNs.begin());
    if (rest <= m_settled)
        return;
    const int32_t holders = addOutside(m_settledOutside, rest);
    m_coverChange.erase(
        m_coverChange.begin(), m_coverChange.begin() + static_cast<std::ptrdiff_t>(rest - m_settled));
    m_coverChange[0] = holders;
    m_settled = rest;
}

} // namespace torchline
