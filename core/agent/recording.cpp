#include "agent/recording.h"

#include "agent/callbacks.h"
#include "agent/control_thread.h"
#include "agent/fork_guard.h"
#include "agent/memory_patch.h"
#include "agent/modules.h"
#include "agent/probe.h"
#include "agent/stacks.h"
#include "agent/steps.h"

namespace torchline::agent {

constinit Agent g_agent;

namespace {

constexpr uint32_t kChildPatienceMs = 500; ///< once: a child that leaves by _exit soon is told of before

constinit Lock g_clocks;
constinit uint64_t g_handle = 0; // of the callback; 0: not registered

void unregister()
{
    const NoForkNow guard;
    if (g_handle != 0)
        g_agent.torch.removeCallback(g_handle);
    g_handle = 0;
}

void registerCallbacks(const Settings& settings)
{
    unregister();
    RecordFunctionCallback callback;
    callback.start = operatorBegins;
    callback.end = operatorEnds;
    for (uint32_t scope = 0; scope < 10; ++scope)
        callback.scopes[scope] = (settings.scopes >> scope & 1) != 0;
    callback.needsInputs = g_agent.wantShapes.load(std::memory_order_relaxed);
    const NoForkNow guard;
    g_handle = g_agent.torch.addGlobalCallback(callback);
}

Segment* newSegment()
{
    const uint32_t number = g_agent.segmentCount.load(std::memory_order_relaxed);
    if (number == kMaxSegments)
        return nullptr;
    Segment* const segment = makeSegment(g_agent.settings.segment, number, g_agent.clock, markOfName);
    if (!segment) {
        g_agent.troubles.fetch_or(TroubleNoMemfd, std::memory_order_relaxed);
        return nullptr;
    }
    segment->header->state.store(
        static_cast<uint32_t>(g_agent.state.load(std::memory_order_relaxed)), std::memory_order_relaxed);
    g_agent.segments[number].store(segment, std::memory_order_release);
    g_agent.segmentCount.store(number + 1, std::memory_order_release);
    return segment;
}

void note(Trouble trouble)
{
    g_agent.troubles.fetch_or(trouble, std::memory_order_relaxed);
}

void probe()
{
    const NoForkNow guard;
    g_agent.offsets = probeRecordFunction(g_agent.torch);
    if (g_agent.offsets.sequence < 0)
        note(TroubleProbeFailed);
    else
        g_agent.offsets.rank = probeTensor(g_agent.torch);
}

} // namespace

BindResult prepareRecording()
{
    const BindResult result = bindTorch(g_agent.torch);
    if (result != BindResult::Bound)
        return result;
    g_agent.clock = chooseClock();
    g_agent.nameOf = g_agent.torch.name;
    probe();
    g_agent.patchedSlots = patchMemoryReports();
    const Locked locked(g_agent.slots);
    static_cast<void>(newSegment());
    return result;
}

Segment* addSegment()
{
    return newSegment();
}

bool isRecording()
{
    return g_handle != 0;
}

void startRecording()
{
    if (!g_agent.torch.isBound() || g_agent.segmentCount.load(std::memory_order_acquire) == 0)
        return;
    const Settings& settings = g_agent.settings;
    const bool shapes = settings.shapes && g_agent.offsets.rank >= 0;
    if (settings.shapes && !shapes)
        note(TroubleNoShapes);
    if (settings.memory && g_agent.patchedSlots == 0)
        note(TroubleNoMemoryRecords);
    if (!g_agent.loaderMayBeLocked)
        beginStacks();
    g_agent.wantShapes.store(shapes, std::memory_order_relaxed);
    beginSteps();
    registerCallbacks(settings);
    g_agent.wantMemory.store(settings.memory && g_agent.patchedSlots != 0, std::memory_order_relaxed);
}

void stopRecording()
{
    g_agent.wantMemory.store(false, std::memory_order_relaxed);
    if (!isRecording())
        return;
    unregister();
    publishState(wire::RecordState::Idle);
    refreshClocks();
}

void beginStacks()
{
    uint32_t frames = g_agent.settings.stackFrames;
    if (frames != 0 && (g_agent.stacksForbidden != 0 || !readyStacks())) {
        note(g_agent.stacksForbidden != 0 ? static_cast<Trouble>(g_agent.stacksForbidden) : TroubleNoStacks);
        frames = 0;
    }
    g_agent.stackFrames.store(frames, std::memory_order_relaxed);
    refreshModules();
}

void refreshModules()
{
    if (g_agent.stackFrames.load(std::memory_order_relaxed) != 0)
        noteModules(g_agent.segments[0].load(std::memory_order_acquire)->dictionary);
}

void forbidStacks(Trouble why)
{
    if (g_agent.stackFrames.exchange(0, std::memory_order_relaxed) != 0)
        note(why);
    g_agent.stacksForbidden = why;
}

void recordInChild()
{
    const bool was = g_agent.state.load(std::memory_order_relaxed) != wire::RecordState::Idle;
    for (std::atomic<Segment*>& segment : g_agent.segments)
        segment.store(nullptr, std::memory_order_relaxed);
    g_agent.segmentCount.store(0, std::memory_order_relaxed);
    g_agent.announced.store(0, std::memory_order_relaxed);
    g_agent.settled.store(false, std::memory_order_relaxed);
    g_agent.state.store(wire::RecordState::Idle, std::memory_order_relaxed);
    g_agent.stackFrames.store(0, std::memory_order_relaxed);
    g_agent.loaderMayBeLocked = true;
    g_clocks.makeNew();
    bool goesOn = false;
    if (was && g_agent.settings.children) {
        const Locked locked(g_agent.slots);
        goesOn = newSegment() != nullptr;
    }
    if (!goesOn) {
        stopRecording();
        return;
    }
    startRecording();
    beginControlThread();
    waitUntilAnnounced(kChildPatienceMs);
}

void publishState(wire::RecordState state)
{
    g_agent.state.store(state, std::memory_order_release);
    g_agent.stateSince.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_relaxed);
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i) {
        Segment* const segment = g_agent.segments[i].load(std::memory_order_acquire);
        segment->header->state.store(static_cast<uint32_t>(state), std::memory_order_release);
    }
}

void refreshClocks()
{
    const Locked locked(g_clocks);
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i)
        refreshPair(g_agent.segments[i].load(std::memory_order_acquire)->header->last, g_agent.clock);
}

} // namespace torchline::agent
