#include "capture/block_book.h"

namespace torchline {

std::optional<MemorySample> BlockBook::allocate(const MemorySample& sample)
{
    const Key key{sample.address, sample.deviceType, sample.deviceId};
    auto earliest = m_frees.end();
    const auto [begin, end] = m_frees.equal_range(key);
    for (auto it = begin; it != end; ++it) {
        const int64_t timeNs = it->second.timeNs;
        if (timeNs >= sample.timeNs && (earliest == m_frees.end() || timeNs < earliest->second.timeNs))
            earliest = it;
    }
    if (earliest == m_frees.end()) {
        m_blocks.emplace(key, Block{sample.timeNs, sample.bytes});
        return std::nullopt;
    }
    MemorySample freed = earliest->second;
    freed.bytes = -sample.bytes;
    m_frees.erase(earliest);
    return freed;
}

std::optional<MemorySample> BlockBook::release(const MemorySample& sample)
{
    const Key key{sample.address, sample.deviceType, sample.deviceId};
    auto latest = m_blocks.end();
    const auto [begin, end] = m_blocks.equal_range(key);
    for (auto it = begin; it != end; ++it) {
        const int64_t timeNs = it->second.timeNs;
        if (timeNs <= sample.timeNs && (latest == m_blocks.end() || timeNs > latest->second.timeNs))
            latest = it;
    }
    if (latest == m_blocks.end()) {
        m_frees.emplace(key, sample);
        return std::nullopt;
    }
    MemorySample freed = sample;
    freed.bytes = -latest->second.bytes;
    m_blocks.erase(latest);
    return freed;
}

size_t BlockBook::memoryUsage() const
{
    const auto bytesOfMap = [](const auto& map) {
        return map.bucket_count() * sizeof(void*) + map.size() * (sizeof(*map.begin()) + 2 * sizeof(void*));
    };
    return bytesOfMap(m_blocks) + bytesOfMap(m_frees);
}

} // namespace torchline
