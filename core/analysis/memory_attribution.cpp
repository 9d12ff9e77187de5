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

} // namespace

MemoryAttribution::MemoryAttribution(const TraceSnapshot& trace, uint32_t fileIndex)
{
    const FileStore& file = trace.file(fileIndex);
    m_timesNs.reserve(file.memory.size());
    m_before.reserve(file.memory.size() + 1);
    m_before.push_back({});
    for (const MemorySample& sample : file.memory) {
        if (trace.text(sample.name) != "[memory]")
            continue;
        m_timesNs.push_back(addSaturated(sample.timeNs, trace.fileOffsetNs(fileIndex)));
        MemoryBytes sum = m_before.back();
        int64_t& side = isHostMemory(sample.deviceType) ? sum.cpu : sum.cuda;
        side = addSaturated(side, sample.bytes);
        m_before.push_back(sum);
    }
    m_coverChange.assign(m_timesNs.size() + 1, 0);
}

MemoryBytes MemoryAttribution::during(int64_t startNs, int64_t endNs)
{
    const auto begin = std::lower_bound(m_timesNs.begin(), m_timesNs.end(), startNs);
    const auto end = std::upper_bound(begin, m_timesNs.end(), endNs);
    if (begin == end)
        return {};
    const auto first = static_cast<size_t>(begin - m_timesNs.begin());
    const auto last = static_cast<size_t>(end - m_timesNs.begin());
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
