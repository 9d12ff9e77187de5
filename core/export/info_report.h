#pragma once
// InfoReport: what is in the input, and what was repaired, skipped or guessed. Thread: any but the GUI thread.
// Cost: O(slices).

#include "query/scope.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torchline {

/// Counts that files have and that sum up.
struct InfoCounts {
    uint64_t events = 0; ///< slices
    uint64_t threads = 0; ///< rows that carry slices
    uint64_t processes = 0;
    uint64_t flows = 0; ///< drawable arrows
    uint64_t instants = 0;
    uint64_t asyncSlices = 0;
};

using BusyTimes = std::vector<std::pair<std::string, int64_t>>; ///< device and ns

struct InfoFile {
    std::string path; ///< valid UTF-8
    std::optional<std::string> member;
    std::string format;
    std::string compression;
    uint64_t sizeBytes = 0;
    InfoCounts counts;
    std::optional<int64_t> rank;
    std::optional<int64_t> firstNs; ///< on the file's own axis, as lastNs
    std::optional<int64_t> lastNs;
    std::optional<int64_t> offsetNs; ///< of the first slice, on the common axis
    int64_t spanNs = 0;
    BusyTimes busy;
    ArgList header;
};

struct InfoLane {
    std::string process;
    std::string pid;
    std::string thread;
    std::string tid;
    uint32_t fileIndex = 0;
    uint64_t slices = 0;
    uint64_t maxDepth = 0;
};

struct InfoNotice {
    Notice notice;
    std::string file; ///< valid UTF-8
};

struct InfoReport {
    std::vector<InfoFile> files;
    InfoCounts counts;
    uint64_t counters = 0; ///< different names
    uint64_t distinctNames = 0;
    int64_t spanNs = 0;
    TimeRange fit; ///< what the first view shows
    uint64_t maxDepth = 0;
    std::vector<int64_t> stepNs;
    BusyTimes busy; ///< with several files "FILE INDEX/DEVICE"
    int64_t workSumNs = 0;
    int64_t unattributedNs = 0;
    std::vector<InfoLane> lanes; ///< top to bottom
    std::vector<InfoNotice> notices;
};

/// scope: counts only what is in (null: all); a file that is out keeps its place, with nothing in it.
[[nodiscard]] Result<InfoReport> infoReport(const TraceSnapshot& trace, const ResolvedScope* scope = nullptr);
/// All notices of a trace: those of the files, then those about how they fit together (told of the first file).
[[nodiscard]] std::vector<InfoNotice> allNotices(const TraceSnapshot& trace);

void writeInfoJson(const InfoReport& report, std::ostream& out);
void writeInfoText(const InfoReport& report, std::ostream& out);

} // namespace torchline
