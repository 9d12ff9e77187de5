#include "agent/shapes.h"

#include "agent/probe.h"
#include "capture/wire/segment.h"

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
        const char* const behind = tensor + rankAt + sizeof(rank);
        const char* sizes = behind;
        if (rank > kInlineRank)
            std::memcpy(&sizes, behind, sizeof(sizes));
        for (uint64_t d = 0; d < rank; ++d, sizes += sizeof(uint64_t))
            std::memcpy(words + used++, sizes, sizeof(uint64_t));
    }
    return used;
}

} // namespace torchline::agent
