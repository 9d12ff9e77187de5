#pragma once
// Steps: what ends one, and what the schedule does with each. The state is a function of the step's number alone, so
// that any thread may end a step without a lock. Thread: any, unless said otherwise.

#include "agent/settings.h"
#include "capture/wire/segment.h"

#include <cstdint>

namespace torchline::agent {

struct ThreadBlock;

enum class Phase : uint8_t { Waiting, Warmup, Recording, Done };

[[nodiscard]] Phase phaseOf(const wire::Schedule& schedule, uint64_t step);

/// A MarkName by the rule of the settings in force: 1 for names that end a step.
[[nodiscard]] uint32_t markOfName(const char* name, uint32_t count);

/// By the settings, from step 0. Thread: as recording.h.
void beginSteps();

/// At `time` by the segment's clock. block: where the Step record goes; null: nowhere.
void endStep(ThreadBlock* block, uint64_t time, uint32_t name);

/// An outermost operator ended and every Nth of them ends a step.
void countOutermost(ThreadBlock& block, uint64_t time, uint32_t name);

} // namespace torchline::agent
