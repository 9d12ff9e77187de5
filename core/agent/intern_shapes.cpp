#include "agent/intern_shapes.h"

#include "agent/agent.h"
#include "agent/shapes.h"
#include "agent/thread_block.h"

#include <cstring>

namespace torchline::agent {
namespace {

struct List { // c10::ArrayRef<IValue>
    const void* values;
    uint64_t count;
};

} // namespace

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
    Dictionary& dictionary = block.segment->dictionary;
    return block.shapes.idOf(
        block.shapeWords, bytes, hash, [&](uint32_t id) -> const Interned& { return dictionary.knownShapes(id); },
        [&] { return dictionary.shapes(block.shapeWords, bytes, hash); });
}

} // namespace torchline::agent
