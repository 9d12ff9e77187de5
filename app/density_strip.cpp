#include "density_strip.h"

#include "base/int128.h"

#include <algorithm>
#include <vector>

namespace torchline {

namespace {

constexpr uint32_t kSlicesBetweenChecks = 1u << 16;

class Columns {
public:
    Columns(TimeRange range, size_t count)
        : m_range(range)
        , m_busyNs(count)
    {
    }

    void add(int64_t beginNs, int64_t endNs)
    {
        beginNs = std::max(beginNs, m_range.beginNs);
        endNs = std::min(endNs, m_range.endNs);
        if (beginNs >= endNs)
            return;
        for (size_t c = columnAt(beginNs); c < m_busyNs.size() && edge(c) < endNs; ++c)
            m_busyNs[c] += std::max<int64_t>(0, std::min(endNs, edge(c + 1)) - std::max(beginNs, edge(c)));
    }

    [[nodiscard]] std::string shares(int64_t parallel) const
    {
        std::string out(m_busyNs.size(), '\0');
        for (size_t c = 0; c < out.size(); ++c) {
            const auto whole = static_cast<Int128>(edge(c + 1) - edge(c)) * std::max<int64_t>(parallel, 1);
            if (whole > 0)
                out[c] = static_cast<char>(
                    std::min<Int128>(255, (static_cast<Int128>(m_busyNs[c]) * 255 + whole / 2) / whole));
        }
        return out;
    }

private:
    [[nodiscard]] int64_t edge(size_t column) const
    {
        return m_range.beginNs
            + static_cast<int64_t>(static_cast<Int128>(m_range.spanNs()) * static_cast<Int128>(column)
                / static_cast<Int128>(m_busyNs.size()));
    }
    [[nodiscard]] size_t columnAt(int64_t ns) const
    {
        return static_cast<size_t>(static_cast<Int128>(ns - m_range.beginNs) * static_cast<Int128>(m_busyNs.size())
            / static_cast<Int128>(m_range.spanNs()));
    }

    TimeRange m_range;
    std::vector<int64_t> m_busyNs;
};

} // namespace

DensityStrip densityStrip(const TraceSnapshot& trace, size_t columns, std::stop_token stop)
{
    const TimeRange range = trace.fitSpan();
    if (columns == 0 || range.isEmpty())
        return {};
    const auto devices = std::ranges::count(trace.groups(), true, &ProcessGroup::isDevice);
    for (const bool device : {true, false}) {
        Columns busy(range, columns);
        bool any = false;
        for (const Lane& lane : trace.lanes()) {
            for (uint32_t i = 0; i < lane.size(); ++i) {
                if (i % kSlicesBetweenChecks == 0 && stop.stop_requested())
                    return {};
                if (device ? !isDeviceWork(lane.kind(i)) : lane.depth(i) != 1)
                    continue;
                any = true;
                busy.add(lane.startNs(i), lane.endNs(i));
            }
        }
        if (any)
            return {busy.shares(device ? devices : 1), device};
    }
    return {};
}

} // namespace torchline
