#include "agent/stacks.h"

#include "agent/agent.h"
#include "agent/thread_block.h"

#include <dlfcn.h>

namespace torchline::agent {
namespace {

using Backtrace = int (*)(void** addresses, int room);

constinit Backtrace g_backtrace = nullptr; // written before recording starts
constinit std::atomic<bool> g_isReadying = false;

static_assert(sizeof(StackCache::frames) / sizeof(void*) == wire::kMaxStackFrames);

/// Words go their way in four lanes at once, or this would cost as much as to find them.
uint64_t hashOfFrames(void* const* frames, uint32_t count)
{
    constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
    uint64_t lanes[4] = {count, 1, 2, 3};
    const auto mix = [&](uint32_t i) {
        uint64_t& lane = lanes[i % 4];
        lane = (lane ^ reinterpret_cast<uint64_t>(frames[i])) * kFactor;
        lane ^= lane >> 32;
    };
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        mix(i);
        mix(i + 1);
        mix(i + 2);
        mix(i + 3);
    }
    for (; i < count; ++i)
        mix(i);
    const uint64_t hash = ((lanes[0] * 3 ^ lanes[1]) * kFactor ^ lanes[2]) * kFactor + lanes[3] * kFactor;
    return hash ^ hash >> 32;
}

} // namespace

bool readyStacks()
{
    if (g_backtrace)
        return true;
    g_isReadying.store(true, std::memory_order_seq_cst);
    void* const library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    const auto backtrace = library ? reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace")) : nullptr;
    if (backtrace) {
        void* frames[4];
        static_cast<void>(backtrace(frames, 4));
    }
    g_backtrace = backtrace;
    g_isReadying.store(false, std::memory_order_seq_cst);
    return backtrace != nullptr;
}

bool areStacksReady()
{
    return g_backtrace != nullptr;
}

bool isReadyingStacks()
{
    return g_isReadying.load(std::memory_order_relaxed);
}

uint32_t internStack(ThreadBlock& block, uint32_t frames)
{
    StackCache& own = block.stacks;
    if (__atomic_load_n(&own.isUnwinding, __ATOMIC_RELAXED)) [[unlikely]]
        return 0;
    __atomic_store_n(&own.isUnwinding, true, __ATOMIC_RELAXED);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const int found = g_backtrace(own.frames, static_cast<int>(frames));
    std::atomic_signal_fence(std::memory_order_seq_cst);
    __atomic_store_n(&own.isUnwinding, false, __ATOMIC_RELAXED);
    if (found <= 0) [[unlikely]]
        return 0;
    const auto count = static_cast<uint32_t>(found);
    const auto bytes = static_cast<uint32_t>(count * sizeof(void*));
    const uint64_t hash = hashOfFrames(own.frames, count);
    Dictionary& dictionary = block.segment->dictionary;
    return own.ids.idOf(
        own.frames, bytes, hash, [&](uint32_t id) -> const Interned& { return dictionary.knownStack(id); },
        [&] { return dictionary.stack(own.frames, bytes, hash); });
}

} // namespace torchline::agent
