#pragma once
// RateMeter: how fast a growing count grew in the last second. Thread: one.

#include <cstdint>
#include <deque>

namespace torchline::capture {

class RateMeter {
public:
    /// Times and counts must not fall.
    void add(int64_t atNs, uint64_t count)
    {
        if (!m_samples.empty() && atNs - m_samples.back().atNs < kStepNs)
            return;
        m_samples.push_back({atNs, count});
        while (m_samples.size() > 2 && atNs - m_samples[1].atNs >= kWindowNs)
            m_samples.pop_front();
    }
    [[nodiscard]] uint64_t perSecond() const
    {
        if (m_samples.size() < 2)
            return 0;
        const int64_t spanNs = m_samples.back().atNs - m_samples.front().atNs;
        const double grown = static_cast<double>(m_samples.back().count - m_samples.front().count);
        return static_cast<uint64_t>(grown * 1e9 / static_cast<double>(spanNs));
    }

private:
    static constexpr int64_t kWindowNs = 1'000'000'000;
    static constexpr int64_t kStepNs = 50'000'000;
    struct Sample {
        int64_t atNs;
        uint64_t count;
    };
    std::deque<Sample> m_samples;
};

} // namespace torchline::capture
