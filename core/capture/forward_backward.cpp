#include "capture/forward_backward.h"

#include <algorithm>

namespace torchline {

void ForwardBackward::addForward(uint64_t thread, int64_t sequence, const End& op)
{
    const auto [known, isNew] = m_forward.try_emplace(Key{thread, sequence}, op);
    if (!isNew && known->second.startNs <= op.startNs)
        known->second = op;
}

void ForwardBackward::addBackward(uint64_t forwardThread, int64_t sequence, const End& op)
{
    m_waiting.push_back({{forwardThread, sequence}, op});
}

std::vector<ForwardBackward::Link> ForwardBackward::takeLinks(bool all)
{
    const size_t count = all ? m_waiting.size() : m_old;
    const auto end = m_waiting.begin() + static_cast<ptrdiff_t>(count);
    std::sort(m_waiting.begin(), end, [](const Waiting& a, const Waiting& b) {
        return a.op.startNs != b.op.startNs ? a.op.startNs < b.op.startNs : a.op.place < b.op.place;
    });
    std::vector<Link> links;
    constexpr uint64_t kSequenceBits = 40;
    for (auto it = m_waiting.begin(); it != end; ++it) {
        const auto forward = m_forward.find(it->key);
        if (forward == m_forward.end())
            continue;
        const uint64_t number = static_cast<uint64_t>(it->key.sequence) & ((uint64_t{1} << kSequenceBits) - 1);
        links.push_back({forward->second, it->op, it->key.thread << kSequenceBits | number});
        m_forward.erase(forward);
    }
    m_waiting.erase(m_waiting.begin(), end);
    m_old = m_waiting.size();
    return links;
}

size_t ForwardBackward::memoryUsage() const
{
    return m_forward.bucket_count() * sizeof(void*)
        + m_forward.size() * (sizeof(*m_forward.begin()) + 2 * sizeof(void*)) + m_waiting.capacity() * sizeof(Waiting);
}

} // namespace torchline
