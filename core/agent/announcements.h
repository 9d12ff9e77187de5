#pragma once
// The messages of the agent, from what it knows of its process. Thread: the control thread; noteRanks: the constructor.

#include "agent/agent.h"
#include "agent/connection.h"

namespace torchline::agent {

/// Takes RANK, LOCAL_RANK and WORLD_SIZE from the environment, which later belongs to the program.
void noteRanks();

[[nodiscard]] bool sendHello(Connection& connection, bool resumed);
/// With the segment's file, unless the program closed that.
[[nodiscard]] bool sendBound(Connection& connection, const Segment& segment);
[[nodiscard]] bool sendState(Connection& connection, const char* state, const char* reason);
[[nodiscard]] bool sendNote(Connection& connection, const char* code, const char* text);
[[nodiscard]] bool sendPong(Connection& connection);
/// Notes of all troubles not yet told.
[[nodiscard]] bool sendTroubles(Connection& connection);

} // namespace torchline::agent
