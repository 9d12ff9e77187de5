#pragma once
// The filter language: plain text matches names; conditions narrow: dur > 50us, cat:kernel, stream = 7, bytes >= 1MB,
// arg:"Process Group Name"=0; and, or, not, parentheses. One language for tables, search and the command line.
// Thread: values; evaluation on any thread but the GUI thread. Cost: O(slices); arg: conditions read those args once.

#include "base/result.h"
#include "model/slice_mask.h"
#include "query/units.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace torchline {

/// Where a text is wrong: [begin, end) in bytes of it.
struct QueryFault {
    size_t begin = 0;
    size_t end = 0;
    std::string message; ///< a sentence, without the place
};

struct QueryNode;

class Query {
public:
    Query(); ///< matches everything
    ~Query();
    Query(Query&&) noexcept;
    Query& operator=(Query&&) noexcept;

    /// Empty or blank text matches everything.
    [[nodiscard]] static tl::expected<Query, QueryFault> parse(std::string_view text);
    [[nodiscard]] bool matchesAll() const;
    [[nodiscard]] Result<SliceMask> evaluate(const TraceSnapshot& trace, std::stop_token stop = {}) const;
    /// The same lane by lane as the window shows them. Calls soFar with what is found after the first few hundredths of
    /// a second or the first tens of thousands of hits, then less and less often; not at the end.
    using Publish = std::function<void(const SliceMask& soFar)>;
    [[nodiscard]] Result<SliceMask> search(
        const TraceSnapshot& trace, const Publish& soFar, std::stop_token stop = {}) const;
    /// Null if it matches everything.
    [[nodiscard]] const QueryNode* root() const { return m_root.get(); }

private:
    std::unique_ptr<QueryNode> m_root;
};

/// "A..B", either end may be missing; fails when A > B or an end does not parse.
[[nodiscard]] Result<TimeRange> parseTimeRange(std::string_view text);

} // namespace torchline
