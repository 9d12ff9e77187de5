#pragma once
// The grammar of the filter language:
//   or    := and { "or" and }
//   and   := not { ["and"] not }
//   not   := "not" not | "(" or ")" | condition | quoted | words
//   condition := FIELD OP VALUE | "arg:" KEY [OP VALUE]        OP := : = != < <= > >=
// Words that are no condition are one text as typed, up to the next condition, quote, parenthesis, and, or, not.
// Thread: any.

#include "query/query.h"
#include "query/query_node.h"

namespace torchline {

/// Text that is not blank.
[[nodiscard]] tl::expected<QueryNode, QueryFault> parseQuery(std::string_view text);

} // namespace torchline
