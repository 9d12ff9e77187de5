#pragma once
// Which file, process and lane of one snapshot is which of another: of files that were read again, of a recording that
// grew, of a view that was saved. Files are found again by their names, processes and lanes by what their file calls
// them; numbers and the order of files mean nothing.
// Thread: const after construction; valid as long as the snapshots. Cost: O(lanes log lanes) to make one.

#include "model/trace_snapshot.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace torchline {

/// What stands for a file. All processes of a recording have its path: the first one tells which they are.
struct FileName {
    std::string path;
    std::string member; ///< of an archive; empty: none
    std::string process; ///< pid of the first; empty: none

    friend auto operator<=>(const FileName&, const FileName&) = default;
};
[[nodiscard]] std::vector<FileName> fileNames(const TraceSnapshot& trace); ///< by file index

/// Index in `to` of each file of `from`, each of them once: by the whole name; of those that are left, by path and
/// member; then, for files that were moved, without the folder. Equal names go in order.
[[nodiscard]] std::vector<std::optional<uint32_t>> matchedFiles(
    std::span<const FileName> from, std::span<const FileName> to);

/// Lanes and processes of a snapshot by what their files call them.
class LaneNames {
public:
    explicit LaneNames(const TraceSnapshot& trace);

    [[nodiscard]] std::optional<LaneId> lane(
        uint32_t fileIndex, std::string_view pid, std::string_view tid, bool isDevice) const;
    /// Index in TraceSnapshot::groups().
    [[nodiscard]] std::optional<uint32_t> group(uint32_t fileIndex, std::string_view pid, bool isDevice) const;

private:
    std::map<std::tuple<uint32_t, std::string_view, std::string_view, bool>, LaneId> m_lanes;
    std::map<std::tuple<uint32_t, std::string_view, bool>, uint32_t> m_groups;
};

class LaneMatch {
public:
    LaneMatch(const TraceSnapshot& from, const TraceSnapshot& to);

    [[nodiscard]] const TraceSnapshot& from() const { return *m_from; }
    [[nodiscard]] const TraceSnapshot& to() const { return *m_to; }
    // The same in `to`; none: it is not there.
    [[nodiscard]] std::optional<uint32_t> file(uint32_t index) const { return m_files[index]; }
    [[nodiscard]] std::optional<LaneId> lane(LaneId id) const { return m_lanes[id.value()]; }
    [[nodiscard]] std::optional<uint32_t> group(uint32_t index) const { return m_groups[index]; }

private:
    const TraceSnapshot* m_from;
    const TraceSnapshot* m_to;
    std::vector<std::optional<uint32_t>> m_files;
    std::vector<std::optional<LaneId>> m_lanes;
    std::vector<std::optional<uint32_t>> m_groups;
};

} // namespace torchline
