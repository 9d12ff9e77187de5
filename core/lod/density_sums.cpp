#include "lod/density_sums.h"

#include <algorithm>

namespace torchline::lod {

void DensitySums::setWindow(TimeRange window)
{
    m_window = window;
    if (window.isEmpty())
        return;
    const auto columns = static_cast<size_t>((window.endNs - 1 - m_beginNs) / m_columnNs + 1);
    if (columns > m_busy.size()) {
        m_busy.resize(columns);
        m_byClass.resize(columns);
    }
}

/// Calls visit(column, ns) for what of [beginNs, endNs) lies in each column.
template <typename Visit> void DensitySums::split(int64_t beginNs, int64_t endNs, Visit visit)
{
    endNs = std::max(endNs, addSaturated(beginNs, 1));
    beginNs = std::max(beginNs, m_window.beginNs);
    endNs = std::min(endNs, m_window.endNs);
    if (beginNs >= endNs)
        return;
    auto column = static_cast<size_t>((beginNs - m_beginNs) / m_columnNs);
    int64_t edge = m_beginNs + static_cast<int64_t>(column) * m_columnNs;
    while (edge < endNs) {
        const int64_t next = addSaturated(edge, m_columnNs);
        visit(column, std::min(endNs, next) - std::max(beginNs, edge));
        ++column;
        edge = next;
    }
}

void DensitySums::addBusy(int64_t beginNs, int64_t endNs)
{
    split(beginNs, endNs, [&](size_t column, int64_t ns) {
        m_busy[column] += ns;
        m_busyNs += ns;
    });
}

void DensitySums::addClass(int64_t beginNs, int64_t endNs, uint8_t cls)
{
    split(beginNs, endNs, [&](size_t column, int64_t ns) { m_byClass[column][cls] += ns; });
}

void DensitySums::widenTo(int64_t columnNs)
{
    for (; m_columnNs < columnNs; m_columnNs *= 2) {
        for (size_t c = 0; c < m_busy.size(); ++c) {
            if (c % 2 == 0) {
                m_busy[c / 2] = m_busy[c];
                m_byClass[c / 2] = m_byClass[c];
                continue;
            }
            m_busy[c / 2] += m_busy[c];
            for (size_t k = 0; k < kClasses; ++k)
                m_byClass[c / 2][k] += m_byClass[c][k];
        }
        m_busy.resize((m_busy.size() + 1) / 2);
        m_byClass.resize(m_busy.size());
    }
}

std::vector<DensityColumn> DensitySums::resolve(int64_t endNs, uint32_t sources) const
{
    constexpr double kWhole = 65535;
    const int64_t spanNs = endNs - m_beginNs;
    std::vector<DensityColumn> out(static_cast<size_t>((spanNs - 1) / m_columnNs + 1));
    for (size_t c = 0; c < std::min(out.size(), m_busy.size()); ++c) {
        const int64_t left = spanNs - static_cast<int64_t>(c) * m_columnNs;
        const double whole = static_cast<double>(std::min(left, m_columnNs)) * sources;
        const double share = static_cast<double>(m_busy[c]) / whole;
        out[c].share = static_cast<uint16_t>(std::min(share * kWhole + 0.5, kWhole));
        if (m_busy[c] > 0 && out[c].share == 0)
            out[c].share = 1;
        out[c].cls = static_cast<WorkClass>(std::ranges::max_element(m_byClass[c]) - m_byClass[c].begin());
    }
    return out;
}

} // namespace torchline::lod
