#pragma once
// forEachInParallel: independent pieces of work on several threads.
// Thread: any; returns when all is done.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace torchline {

/// As many as the machine runs at once, but not more than share the work on one trace well.
[[nodiscard]] inline size_t usualThreads()
{
    constexpr unsigned kMost = 8;
    return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

/// Calls use(i) once for each i below `count`, on at most `threads` threads, the caller's among them. If one of them
/// throws, the others end, no further ones begin, and the first exception is thrown here.
template <typename Use> void forEachInParallel(size_t count, size_t threads, const Use& use)
{
    std::atomic<size_t> next = 0;
    std::exception_ptr failure;
    std::mutex failureMutex;
    const auto work = [&]() noexcept {
        for (size_t i = next++; i < count; i = next++) {
            try {
                use(i);
            } catch (...) {
                next = count;
                const std::lock_guard lock(failureMutex);
                if (!failure)
                    failure = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (size_t i = 1; i < threads && i < count; ++i)
                others.emplace_back(work);
        } catch (const std::system_error&) {
            // With fewer threads it takes longer.
        }
        work();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace torchline
