#pragma once
// The parsed form of a Query. Thread: values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

enum class QueryField : uint8_t {
    Name,
    Category,
    Kind,
    Duration,
    Start,
    End,
    SelfTime,
    Stream,
    Device,
    Process,
    Thread,
    Depth,
    Bytes,
    Correlation,
    External,
    Step,
    File,
    Rank,
    Unfinished,
    Arg,
};

enum class QueryOp : uint8_t { Contains, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Exists };

struct QueryTest {
    QueryField field = QueryField::Name;
    QueryOp op = QueryOp::Contains;
    std::string text; ///< the value as typed, without quotes
    std::string folded; ///< the same in lower case
    std::optional<int64_t> number; ///< the value as ns, bytes or whole number, where it is one
    std::optional<double> real; ///< QueryField::Arg only: the value as a number of any kind
    std::string argKey; ///< QueryField::Arg only
};

struct QueryNode {
    enum class Kind : uint8_t { And, Or, Not, Test };

    Kind kind = Kind::Test;
    std::vector<QueryNode> children; ///< Not has one
    QueryTest test; ///< Kind::Test only
    uint32_t testIndex = 0; ///< counts tests from the left
};

} // namespace torchline
