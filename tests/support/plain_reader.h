#pragma once
// readPlainly: a trace as a plain reader sees it, with simdjson and exact decimal arithmetic and nothing of the
// product: an oracle for what a load must hold. For well-formed text alone; what it has no rule for makes a file odd.
// Thread: any. Times are ns on the file's axis.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace torchline::test {

/// Process and thread, in canonical form.
using PlainLane = std::pair<std::string, std::string>;

struct PlainSlice {
    int64_t startNs = 0;
    int64_t endNs = 0;
    std::string name;
    std::string category;

    friend auto operator<=>(const PlainSlice&, const PlainSlice&) = default;
};

/// An s or f.
struct PlainFlow {
    int64_t timeNs = 0;
    bool isStart = false;
    bool bindsEnclosing = false;
    PlainLane lane;
};

using PlainMemory = std::tuple<int64_t, int64_t, uint64_t, int64_t, int64_t, int64_t>; ///< time, bytes, address, total,
                                                                                       ///< device type, id
using PlainSample = std::tuple<std::string, std::string, int64_t, std::string>; ///< counter, series, time, digits
using PlainArrow
    = std::tuple<std::string, std::string, std::string, int64_t, int64_t>; ///< category, name, id, from, to

struct PlainTrace {
    std::map<PlainLane, std::vector<PlainSlice>> lanes; ///< sorted
    std::vector<PlainMemory> memory; ///< sorted
    std::vector<PlainSample> samples; ///< sorted
    std::vector<PlainArrow> arrows; ///< sorted
    uint64_t instants = 0; ///< other than memory markers
    std::string oddity; ///< why there is no rule for this file; empty: all above is right
};

[[nodiscard]] PlainTrace readPlainly(std::string_view text);

} // namespace torchline::test
