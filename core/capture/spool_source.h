#pragma once
// SpoolSource: args of recorded events, built when someone asks, from the records in the spool and from what the
// program told before them (shapes, threads). As torch.profiler writes them. One for each process; events are named by
// the place of their record in the spool. Thread: add... by the ingest thread, the rest by any (a mutex inside); blocks
// on the disk.

#include "capture/frames.h"
#include "capture/spool.h"
#include "capture/stack_book.h"
#include "model/event_source.h"

#include <memory>
#include <mutex>
#include <vector>

namespace torchline {

/// The number by which records refer to an operator: of its slot and of the slot itself.
[[nodiscard]] constexpr uint64_t externalIdOf(uint32_t segment, uint32_t slot, uint32_t number)
{
    constexpr uint64_t kSlots = 64; // of one segment, as agents make them
    return (uint64_t{number} * kSlots + (slot + segment * kSlots) % kSlots) + 1;
}

/// The same as a column has it. It comes round again after some 66 million operators of a thread: what refers to a
/// number means the nearest earlier one.
[[nodiscard]] constexpr uint32_t linkIdOf(uint32_t segment, uint32_t slot, uint32_t number)
{
    constexpr uint64_t kIds = 0xFE000000; // a multiple of the slots, below TraceBuilder's stand-ins
    return static_cast<uint32_t>((externalIdOf(segment, slot, number) - 1) % kIds) + 1;
}

class SpoolSource : public EventSource {
public:
    explicit SpoolSource(std::shared_ptr<const SpoolBytes> spool);

    /// In the order of their places.
    void addFrame(FrameKind kind, uint64_t place, uint32_t bytes, uint32_t segment, uint32_t slot);
    /// Bytes of a Shapes entry; ids count from 1.
    void addShapes(uint32_t segment, std::span<const std::byte> bytes);
    [[nodiscard]] StackBook& stacks() { return m_stacks; }
    /// This evaluate_function operator has the numbers of that operator inside it.
    void addInner(uint64_t place, uint64_t innerPlace);

    [[nodiscard]] Result<ArgList> args(uint64_t eventOffset) const override;
    [[nodiscard]] Result<std::string> text(uint64_t eventOffset) const override;
    [[nodiscard]] Status argsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const override;
    [[nodiscard]] Status textsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<bool(size_t, std::string&&)>& done) const override;
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct Piece {
        uint64_t place;
        uint32_t bytes;
        uint16_t segment;
        uint16_t slot;
        FrameKind kind;
    };
    struct ShapesOfSegment {
        uint32_t segment;
        std::vector<std::vector<std::byte>> entries; ///< by id - 1
    };
    struct OperatorNumbers {
        int64_t sequence;
        uint32_t forwardThread;
        uint32_t shapes;
        uint32_t number;
        uint32_t stack;
    };
    class Window;

    [[nodiscard]] std::optional<Piece> pieceAt(uint64_t place) const;
    [[nodiscard]] uint64_t innerOf(uint64_t place) const; ///< 0: none
    [[nodiscard]] Result<ArgList> readArgs(Window& window, uint64_t place) const;
    [[nodiscard]] Result<ArgList> argsOfRecord(
        Window& window, const Piece& piece, std::span<const std::byte> bytes, uint64_t place) const;
    void addOperatorArgs(ArgList& args, const Piece& piece, const OperatorNumbers& numbers) const;
    void addShapeArgs(ArgList& args, uint32_t segment, uint32_t shapes) const;
    void addStackArg(ArgList& args, uint32_t segment, uint32_t stack) const;

    std::shared_ptr<const SpoolBytes> m_spool;
    mutable std::mutex m_mutex;
    std::vector<Piece> m_pieces;
    std::vector<ShapesOfSegment> m_shapes;
    StackBook m_stacks;
    std::vector<std::pair<uint64_t, uint64_t>> m_inner; ///< by first
};

} // namespace torchline
