#pragma once
// The thread that talks to the window: connects, says who we are, does what it is told, looks for LibTorch until it is
// there. No thread of the program touches the socket.

#include <cstdint>

namespace torchline::agent {

/// Starts it. Thread: the constructor or torchline_attach(); in a forked child its first operator.
void beginControlThread();

/// Waits until the window was told of all segments, or that cannot be; not longer than given.
void waitUntilAnnounced(uint32_t milliseconds);

/// In a forked child, where nothing of the control thread runs.
void closeDescriptors();

} // namespace torchline::agent
