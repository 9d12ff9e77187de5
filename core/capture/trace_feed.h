#pragma once
// TraceFeed: the thread that makes a trace of what arrives: takes batches of frames out of a queue, ingests them, and
// makes snapshots of what is there so far. Thread: one owner.

#include "capture/frame_queue.h"
#include "capture/ingest.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace torchline::capture {

struct FeedCallbacks {
    std::function<void(std::shared_ptr<const TraceSnapshot>)> snapshotTaken{}; ///< feed's thread; empty: none are made
    std::function<bool()> wantsSnapshot{}; ///< feed's thread, before each; empty: always
    std::function<void()> finished{}; ///< feed's thread: trace() is there
};

class TraceFeed {
public:
    /// Ends once the queue is closed and all is taken out.
    TraceFeed(FrameQueue& queue, const IngestOptions& options, std::shared_ptr<const SpoolBytes> spool,
        FeedCallbacks callbacks);
    ~TraceFeed(); ///< closes the queue

    [[nodiscard]] bool isFinished() const { return m_isFinished.load(std::memory_order_acquire); }
    /// All of it; null before it is finished.
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> trace() const;

private:
    void run();

    FrameQueue& m_queue;
    Ingest m_ingest;
    FeedCallbacks m_callbacks;
    mutable std::mutex m_mutex;
    std::shared_ptr<const TraceSnapshot> m_trace; ///< guarded
    std::atomic<bool> m_isFinished{false};
    std::thread m_thread;
};

} // namespace torchline::capture
