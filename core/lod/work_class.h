#pragma once
// WorkClass: the kind of work a slice does; decides its colour everywhere (look.md 3).
// Thread: any, const after construction.

#include "model/snapshot_delta.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace torchline {

enum class WorkClass : uint8_t {
    Step,
    Python,
    Op,
    Matrix,
    Attention,
    Elementwise,
    Reduction,
    DeviceCopy,
    HostToDevice,
    DeviceToHost,
    Memset,
    Communication,
    Call,
    Sync,
    Count
};

/// Of the slices of a lane.
using SliceClasses = SharedBlocks<uint8_t, SliceBlock::kRows>;

[[nodiscard]] std::string_view workClassTitle(WorkClass cls); ///< "matrix", "elementwise", ...
/// Class by name patterns and kind alone; a kernel or operator that fits none is Op.
[[nodiscard]] WorkClass workClassOf(std::string_view name, SliceKind kind);

/// Classes of all slices of a snapshot: by (name, kind) once; a kernel that fits no pattern takes its owner's class.
class WorkClasses {
public:
    WorkClasses() = default;
    /// threads: that share the work; 0: usualThreads().
    explicit WorkClasses(const TraceSnapshot& trace, size_t threads = 0);
    /// Of a trace that grew from the one that `before` is of.
    WorkClasses(const TraceSnapshot& trace, const WorkClasses& before, const SnapshotDelta& delta);

    [[nodiscard]] WorkClass of(const TraceSnapshot& trace, SliceRef slice) const;
    [[nodiscard]] WorkClass of(NameId name, SliceKind kind) const;
    /// Of slices [begin, end) of a lane, which lie in one block.
    void ofMany(
        const TraceSnapshot& trace, LaneId lane, uint32_t begin, uint32_t end, std::vector<uint8_t>& classes) const;

private:
    void takeUses(const SliceBlock& block);
    void classify(const TraceSnapshot& trace, size_t threads);

    std::vector<std::array<WorkClass, kSliceKinds>> m_byName; ///< by NameId
    std::vector<uint16_t> m_used; ///< by NameId; bit i: some slice of SliceKind i has this name
};

} // namespace torchline
