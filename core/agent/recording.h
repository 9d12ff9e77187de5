#pragma once
// Starts and stops recording: registers the callbacks with LibTorch, makes segments, keeps the state that the window is
// told. Thread: the control thread; before it the constructor; in a forked child its first operator.

#include "agent/agent.h"

namespace torchline::agent {

/// Binds LibTorch, probes it, patches what reports memory, makes the first segment.
[[nodiscard]] BindResult prepareRecording();

/// By g_agent.settings. Nothing happens where LibTorch is not bound or there is no segment.
void startRecording();
/// LibTorch calls us no more; what is open is still written when it ends.
void stopRecording();
[[nodiscard]] bool isRecording();

/// libunwind cannot be used in this process any more.
void forbidStacks(Trouble why);

/// In a forked child: as its parent did, if children are recorded.
void recordInChild();

/// One more segment, for threads that found no slot; null if there is none to be had. Under g_agent.slots.
[[nodiscard]] Segment* addSegment();

/// Stacks are taken from now on, if that is asked for and can be done.
void beginStacks();
/// Tells which files' code lies where, where stacks are taken: after libraries were loaded, and at exit.
void refreshModules();

/// Of the state, for every segment's reader.
void publishState(wire::RecordState state);
/// Fresh clock pairs in all segments. Thread: any.
void refreshClocks();

} // namespace torchline::agent
