#pragma once
// Fields of the filter language and what their values look like. Thread: any.

#include "query/query.h"
#include "query/query_node.h"

#include <string_view>

namespace torchline {

enum class QueryValueType : uint8_t { Text, KindText, Id, File, Time, Bytes, Integer, Flag, Arg };

struct QueryFieldName {
    std::string_view name;
    QueryField field;
    QueryValueType type;
};

/// Null if no field has this name; upper and lower case do not matter.
[[nodiscard]] const QueryFieldName* fieldOf(std::string_view name);
/// "name, cat, ...", for messages.
[[nodiscard]] std::string_view fieldList();

/// What `kind:` calls it: "op", "annotation", "kernel", ...
[[nodiscard]] std::string_view kindName(SliceKind kind);

/// Bytes [begin, end) of the text.
struct QuerySpan {
    size_t begin = 0;
    size_t end = 0;
};

struct QueryOperator {
    QueryOp op = QueryOp::Contains;
    QuerySpan place;
};

/// Reads test.text as a value of this type; throws QueryFault at the value or the operator.
void readValue(QueryTest& test, QueryValueType type, const QueryOperator& op, QuerySpan place);

} // namespace torchline
