#pragma once
// What the Details pane says of one slice, or of several: plain values, made off the GUI thread.
// Thread: any but the GUI thread. Cost: sliceFacts() O(slices inside the slice + log n), markFacts() O(slices).

#include "common/key_map.h"
#include "common/trace_facts.h"
#include "model/slice_mask.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <stop_token>
#include <vector>

namespace torchline {

struct DetailPair {
    QString label;
    QString value;
};

/// A slice one can jump to; with AnnotationAsScope the annotation around it becomes the scope instead.
struct DetailLink {
    QString label; ///< "Launched by"
    SliceRef target;
    QString text; ///< name of the target
    QString note; ///< "+36.7 ms"; may be empty
    std::optional<ViewCommand> command; ///< whose key goes there too
};

struct SliceFacts {
    SliceRef slice;
    QString name;
    WorkClass cls = WorkClass::Op;
    QString place; ///< kind, lane, step, module
    std::vector<DetailPair> time;
    std::vector<DetailLink> links;
    QString stackTitle; ///< "Python stack", or whose it is
    QStringList stack; ///< innermost first; from python slices around it
};

struct MarkFacts {
    uint64_t count = 0;
    QString name; ///< that of all of them; empty: several names
    WorkClass cls = WorkClass::Op; ///< of the first
    int64_t sumNs = 0;
    int64_t minNs = 0;
    int64_t medianNs = 0;
    int64_t maxNs = 0;
    SliceRef shortest;
    SliceRef longest;
};

/// Name, place and duration alone: O(1), for the GUI thread, while the rest is looked up.
[[nodiscard]] SliceFacts sliceHead(const TraceSnapshot& trace, SliceRef slice);
[[nodiscard]] SliceFacts sliceFacts(const TraceFacts& facts, SliceRef slice, std::stop_token stop = {});
[[nodiscard]] MarkFacts markFacts(const TraceFacts& facts, const SliceMask& mask, std::stop_token stop = {});
/// The same of all slices that start in a range. O(slices in it + lanes log slices)
[[nodiscard]] MarkFacts rangeFacts(const TraceFacts& facts, TimeRange range, std::stop_token stop = {});
/// Name and exact times, for the clipboard.
[[nodiscard]] QString sliceClipboardText(const TraceSnapshot& trace, SliceRef slice);

} // namespace torchline
