#pragma once
// A Scope in words, part by part, and what is left of it without a part.
// Thread: any.

#include "query/scope.h"

#include <QString>

#include <vector>

namespace torchline {

struct ScopePart {
    QString text; ///< "range 1.42 ms", "step 12", "inside forward", "rank 3"
    Scope without; ///< the scope without this part
};

/// Files go by their names where the trace is given.
[[nodiscard]] std::vector<ScopePart> scopeParts(const Scope& scope, const TraceSnapshot* trace);
/// Both conditions hold: the scope's own and this one.
[[nodiscard]] Scope withFilter(Scope scope, const std::string& condition);

} // namespace torchline
