#pragma once
// Sees what LibTorch's allocators hand out and take back, on all threads, by redirecting the calls by which its
// libraries tell their own profiler. Thread: one at a time.

namespace torchline::agent {

/// Slots found, 0 where this LibTorch binds internally. Again whenever a library was loaded.
int patchMemoryReports();

} // namespace torchline::agent
