#include "agent/shapes.h"

#include "agent/agent.h"
#include "agent/probe.h"
#include "agent/thread_block.h"

#include <cstring>

namespace torchline::agent {
namespace {

/// c10::IValue, the same since 1.13.
struct Value {
    const char* payload;
    uint32_t tag;
    uint32_t padding;
};
static_assert(sizeof(Value) == 16);

struct List { // c10::ArrayRef<IValue>
    const Value* values;
    uint64_t count;
};

uint64_t wordOf(wire::InputShape shape)
{
    uint64_t word = 0;
    std::memcpy(&word, &shape, sizeof(word));
    return word;
}

} // namespace

uint32_t readShapes(
    const void* inputs, uint64_t count, int rankAt, const void* undefinedTensor, uint64_t* words, uint32_t room)
{
    const Value* const values = static_cast<const Value*>(inputs);
    uint32_t used = 0;
    for (uint64_t i = 0; i < count && i < wire::kMaxInputs && used < room; ++i) {
        wire::InputShape shape = {static_cast<uint8_t>(values[i].tag), 0, wire::kNoDtype, 0};
        const char* const tensor = values[i].payload;
        if (values[i].tag != wire::kTensorTag) {
            words[used++] = wordOf(shape);
            continue;
        }
        if (!tensor || tensor == undefinedTensor) {
            shape.flags = wire::InputUndefinedTensor;
            words[used++] = wordOf(shape);
            continue;
        }
        uint64_t rank = 0;
        std::memcpy(&rank, tensor + rankAt, sizeof(rank));
        std::memcpy(&shape.dtype, tensor + rankAt + kDtypeBehindRank, sizeof(shape.dtype));
        if (rank > wire::kMaxRank) {
            shape.flags = wire::InputRankTooLarge;
            rank = 0;
        }
        if (used + 1 + rank > room)
            break;
        shape.rank = static_cast<uint8_t>(rank);
        words[used++] = wordOf(shape);
        const char* sizes = tensor + rankAt + sizeof(rank);
        if (rank > kInlineRank)
            std::memcpy(&sizes, sizes, sizeof(sizes));
        for (uint64_t d = 0; d < rank; ++d, sizes += sizeof(uint64_t))
            std::memcpy(words + used++, sizes, sizeof(uint64_t));
    }
    return used;
}

uint32_t internShapes(ThreadBlock& block, const void* recordFunction)
{
    List inputs;
    std::memcpy(&inputs, static_cast<const char*>(recordFunction) + g_agent.offsets.inputs, sizeof(inputs));
    if (!inputs.values || inputs.count == 0)
        return 0;
    const uint32_t words = readShapes(inputs.values, inputs.count, g_agent.offsets.rank, g_agent.torch.undefinedTensor,
        block.shapeWords, ThreadBlock::kShapeWords);
    const auto bytes = static_cast<uint32_t>(words * sizeof(uint64_t));
    const uint64_t hash = hashOf(block.shapeWords, bytes);
    ShapeCache::Entry& entry = block.shapes.entries[hash % ShapeCache::kEntries];
    if (entry.hash == hash && entry.id != 0) [[likely]] {
        const Interned& known = block.segment->dictionary.knownShapes(entry.id);
        if (known.count == bytes && std::memcmp(known.bytes, block.shapeWords, bytes) == 0) [[likely]]
            return entry.id;
    }
    const uint32_t id = block.segment->dictionary.shapes(block.shapeWords, bytes, hash);
    entry = {hash, id};
    return id;
}

} // namespace torchline::agent
