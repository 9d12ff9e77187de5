#pragma once
// OperatorNames: what torch.profiler's rules say about slice names, looked at once for each distinct name.
// Private to core/analysis. Thread: one owner. Cost: O(1) after the first sight of a name.

#include "analysis/flops.h"
#include "model/trace_snapshot.h"

#include <string_view>
#include <vector>

namespace torchline {

class OperatorNames {
public:
    explicit OperatorNames(const TraceSnapshot& trace);

    /// Names that key_averages() leaves out.
    [[nodiscard]] bool isHidden(NameId name) { return roleOf(name) == Role::Hidden; }
    /// The name of the row: all ProfilerStep#N share one.
    [[nodiscard]] NameId shown(NameId name) { return roleOf(name) == Role::Step ? kAnyStep : name; }
    [[nodiscard]] std::string_view text(NameId shownName) const;
    /// The engine's wrapper around a backward function: not itself of the backward scope.
    [[nodiscard]] bool isEvaluation(NameId name) { return roleOf(name) == Role::Evaluation; }
    /// inner is the backward function that this wrapper evaluates.
    [[nodiscard]] bool evaluates(NameId wrapper, NameId inner);
    [[nodiscard]] FlopFormula formula(NameId name);

private:
    enum class Role : uint8_t { Unknown, Plain, Hidden, Step, Evaluation, Counted };
    static constexpr NameId kAnyStep{NameId::kInvalid - 1};

    Role roleOf(NameId name)
    {
        if (name.value() >= m_roles.size())
            return Role::Plain;
        Role& role = m_roles[name.value()];
        if (role == Role::Unknown)
            role = classify(name);
        return role;
    }
    Role classify(NameId name) const;

    const StringPool& m_strings;
    std::vector<Role> m_roles; ///< by NameId
};

} // namespace torchline
