#include "capture/trace_feed.h"

#include "base/string_pool.h"

#include <algorithm>
#include <chrono>

namespace torchline::capture {

namespace {

constexpr int64_t kSnapshotEveryNs = 50'000'000; ///< at most 20 a second
using Clock = std::chrono::steady_clock;

int64_t nsSince(Clock::time_point moment)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - moment).count();
}

} // namespace

TraceFeed::TraceFeed(
    FrameQueue& queue, const IngestOptions& options, std::shared_ptr<const SpoolBytes> spool, FeedCallbacks callbacks)
    : m_queue(queue)
    , m_ingest(std::make_shared<StringPool>(), options)
    , m_callbacks(std::move(callbacks))
{
    if (spool)
        m_ingest.setSpool(std::move(spool));
    m_thread = std::thread([this] { run(); });
}

TraceFeed::~TraceFeed()
{
    m_queue.close();
    m_thread.join();
}

std::shared_ptr<const TraceSnapshot> TraceFeed::trace() const
{
    const std::scoped_lock lock(m_mutex);
    return m_trace;
}

void TraceFeed::run()
{
    uint64_t generation = 0;
    bool isNew = false; ///< something came since the last snapshot
    int64_t pauseNs = kSnapshotEveryNs;
    auto last = Clock::now();
    for (;;) {
        FrameQueue::Batch batch;
        const FrameQueue::Popped popped = m_queue.pop(batch, kSnapshotEveryNs / 2);
        if (popped == FrameQueue::Popped::Closed)
            break;
        if (popped == FrameQueue::Popped::Batch) {
            batch.passTo(m_ingest);
            isNew = true;
        }
        if (!isNew || !m_callbacks.snapshotTaken || nsSince(last) < pauseNs)
            continue;
        if (m_callbacks.wantsSnapshot && !m_callbacks.wantsSnapshot())
            continue;
        const auto begin = Clock::now();
        m_callbacks.snapshotTaken(m_ingest.snapshot(++generation));
        isNew = false;
        // Half of the time is for what arrives, however long a snapshot takes.
        last = Clock::now();
        pauseNs = std::max(kSnapshotEveryNs, nsSince(begin));
    }
    auto trace = m_ingest.finish(++generation);
    {
        const std::scoped_lock lock(m_mutex);
        m_trace = std::move(trace);
    }
    m_isFinished.store(true, std::memory_order_release);
    if (m_callbacks.finished)
        m_callbacks.finished();
}

} // namespace torchline::capture
