#include "agent/steps.h"

#include "agent/agent.h"
#include "agent/recording.h"
#include "agent/thread_block.h"

namespace torchline::agent {
namespace {

wire::RecordState stateIn(Phase phase)
{
    switch (phase) {
    case Phase::Waiting:
        return wire::RecordState::Waiting;
    case Phase::Warmup:
        return wire::RecordState::Warmup;
    case Phase::Recording:
        return wire::RecordState::Recording;
    case Phase::Done:
        break;
    }
    return wire::RecordState::Idle;
}

void enterStep(uint64_t step)
{
    const Phase phase = phaseOf(g_agent.settings.schedule, step);
    if (phase == Phase::Done)
        g_agent.scheduleDone.store(true, std::memory_order_relaxed);
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i)
        g_agent.segments[i].load(std::memory_order_acquire)->header->step.store(step, std::memory_order_relaxed);
    if (stateIn(phase) != g_agent.state.load(std::memory_order_relaxed))
        publishState(stateIn(phase));
}

void writeStep(ThreadBlock& block, uint64_t time, uint32_t name, uint64_t step)
{
    constexpr uint16_t kSize = sizeof(wire::StepRecord);
    char* const room = block.ring.reserve(kSize);
    if (!room)
        return;
    const wire::StepRecord record = {{kSize, wire::RecordType::Step, 0, name}, time, step};
    std::memcpy(room, &record, kSize);
    block.ring.commit(kSize);
}

} // namespace

Phase phaseOf(const wire::Schedule& schedule, uint64_t step)
{
    if (schedule.isEmpty())
        return Phase::Recording;
    if (step < schedule.skipFirst)
        return Phase::Waiting;
    const uint64_t cycle = schedule.wait + schedule.warmup + schedule.active;
    const uint64_t since = step - schedule.skipFirst;
    if (schedule.repeat != 0 && since / cycle >= schedule.repeat)
        return Phase::Done;
    const uint64_t at = since % cycle;
    if (at < schedule.wait)
        return Phase::Waiting;
    return at < schedule.wait + schedule.warmup ? Phase::Warmup : Phase::Recording;
}

uint32_t markOfName(const char* name, uint32_t count)
{
    const StepRule& rule = g_agent.settings.step;
    return rule.kind == StepRule::Kind::Scope && matches(rule.pattern, name, count) ? 1 : 0;
}

void beginSteps()
{
    g_agent.step.store(0, std::memory_order_relaxed);
    g_agent.outermostEnds.store(0, std::memory_order_relaxed);
    g_agent.scheduleDone.store(false, std::memory_order_relaxed);
    g_agent.stepKind.store(g_agent.settings.step.kind, std::memory_order_relaxed);
    const uint32_t count = g_agent.segmentCount.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i)
        g_agent.segments[i].load(std::memory_order_acquire)->dictionary.markAgain();
    enterStep(0);
}

void endStep(ThreadBlock* block, uint64_t time, uint32_t name)
{
    const wire::RecordState before = g_agent.state.load(std::memory_order_relaxed);
    if (before == wire::RecordState::Idle)
        return;
    uint64_t step = g_agent.step.fetch_add(1, std::memory_order_acq_rel) + 1;
    enterStep(step);
    for (uint64_t latest = 0; (latest = g_agent.step.load(std::memory_order_acquire)) != step; step = latest)
        enterStep(latest); // another thread ended one meanwhile: the later one's state holds
    const bool recorded = before == wire::RecordState::Recording
        || g_agent.state.load(std::memory_order_relaxed) == wire::RecordState::Recording;
    if (block && recorded)
        writeStep(*block, time, name, step);
}

void countOutermost(ThreadBlock& block, uint64_t time, uint32_t name)
{
    const uint64_t every = g_agent.settings.step.every;
    if ((g_agent.outermostEnds.fetch_add(1, std::memory_order_relaxed) + 1) % every == 0)
        endStep(&block, time, name);
}

} // namespace torchline::agent
