#pragma once
// DensitySums: how much of each column of time is busy, and with what. Sums of one stretch of time and of the next are
// sums of both, and columns of twice the width are sums of two: all are whole ns.
// Thread: one. Cost: O(columns that a piece touches).

#include "lod/work_class.h"

#include <array>
#include <cstdint>
#include <vector>

namespace torchline::lod {

struct DensityColumn {
    uint16_t share = 0; ///< of the column's time that is busy, 65535 = all of it; never 0 if anything lies in it
    WorkClass cls = WorkClass::Op; ///< of most of that time
};

class DensitySums {
public:
    DensitySums(int64_t beginNs, int64_t columnNs)
        : m_beginNs(beginNs)
        , m_columnNs(columnNs)
    {
    }

    /// Only what lies in here counts from now on; not before beginNs.
    void setWindow(TimeRange window);
    [[nodiscard]] TimeRange window() const { return m_window; }
    /// Time that counts as busy: no instant of one source twice. Each piece counts 1 ns at least.
    void addBusy(int64_t beginNs, int64_t endNs);
    void addClass(int64_t beginNs, int64_t endNs, uint8_t cls);

    /// The present width times a power of two.
    void widenTo(int64_t columnNs);
    [[nodiscard]] int64_t beginNs() const { return m_beginNs; }
    [[nodiscard]] int64_t busyNs() const { return m_busyNs; }
    /// Columns up to a time, of so many sources.
    [[nodiscard]] std::vector<DensityColumn> resolve(int64_t endNs, uint32_t sources) const;

private:
    static constexpr size_t kClasses = static_cast<size_t>(WorkClass::Count);

    template <typename Visit> void split(int64_t beginNs, int64_t endNs, Visit visit);

    int64_t m_beginNs;
    int64_t m_columnNs;
    TimeRange m_window;
    std::vector<int64_t> m_busy; ///< by column
    std::vector<std::array<int64_t, kClasses>> m_byClass;
    int64_t m_busyNs = 0;
};

} // namespace torchline::lod
