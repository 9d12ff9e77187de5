#include "capture/frame_queue.h"

#include <chrono>
#include <utility>

namespace torchline::capture {

namespace {

constexpr size_t kMostWaitingBytes = size_t{256} << 20;

} // namespace

void FrameQueue::Batch::add(const Frame& frame)
{
    m_frames.push_back({frame.kind, frame.process, frame.place, m_bytes.size(), frame.payload.size()});
    m_bytes.insert(m_bytes.end(), frame.payload.begin(), frame.payload.end());
}

void FrameQueue::Batch::passTo(FrameSink& sink) const
{
    for (const Entry& entry : m_frames)
        sink.take({entry.kind, entry.process, std::span(m_bytes).subspan(entry.begin, entry.size), entry.place});
}

void FrameQueue::flush()
{
    if (m_filling.isEmpty())
        return;
    {
        const std::scoped_lock lock(m_mutex);
        m_waitingBytes += m_filling.bytes();
        m_batches.push_back(std::exchange(m_filling, {}));
    }
    m_arrived.notify_one();
}

void FrameQueue::close()
{
    flush();
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosed = true;
    }
    m_arrived.notify_one();
}

bool FrameQueue::isFull() const
{
    const std::scoped_lock lock(m_mutex);
    return m_waitingBytes > kMostWaitingBytes;
}

FrameQueue::Popped FrameQueue::pop(Batch& batch, int64_t waitNs)
{
    std::unique_lock lock(m_mutex);
    m_arrived.wait_for(lock, std::chrono::nanoseconds(waitNs), [this] { return m_isClosed || !m_batches.empty(); });
    if (m_batches.empty())
        return m_isClosed ? Popped::Closed : Popped::Nothing;
    batch = std::move(m_batches.front());
    m_batches.pop_front();
    m_waitingBytes -= batch.bytes();
    return Popped::Batch;
}

} // namespace torchline::capture
