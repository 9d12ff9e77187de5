#pragma once
// GrowingOperators: operator tables of the snapshots of a trace that grows, equal to operatorTable() of each whole one.
// In each lane the slices up to an outermost operator that ended a while ago are summed once; of each snapshot only
// the rest is counted anew. When something in what was summed changes after all (a record that came late, another
// trace), and with device work, calls or backward stacks, which reach across, all is summed again.
// Thread: any but the GUI thread; table() from several at once. Cost: O(what came since, and what is open).

#include "analysis/operators.h"

#include <memory>
#include <mutex>

namespace torchline {

class GrowingOperators {
public:
    explicit GrowingOperators(OperatorOptions options);
    ~GrowingOperators();

    [[nodiscard]] const OperatorOptions& options() const { return m_options; }
    /// As operatorTable() without a scope.
    [[nodiscard]] Result<OperatorTable> table(const std::shared_ptr<const TraceSnapshot>& trace, std::stop_token stop = {});
    /// The next table is summed from nothing.
    void forget();

private:
    struct Settled;
    [[nodiscard]] Result<std::shared_ptr<const Settled>> settle(
        const std::shared_ptr<const TraceSnapshot>& trace, const Settled* before, const std::stop_token& stop) const;

    OperatorOptions m_options;
    std::mutex m_mutex;
    std::shared_ptr<const Settled> m_settled; ///< guarded; null: nothing
};

} // namespace torchline
