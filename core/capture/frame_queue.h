#pragma once
// FrameQueue: whole batches of frames from the thread that reads to the one that ingests. Bounded by bytes: while it is
// full the reader leaves the rings alone, and what then finds no room in them is counted by the writers.
// Thread: take(), flush(), close() one; pop() another.

#include "capture/frames.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

namespace torchline::capture {

class FrameQueue : public FrameSink {
public:
    /// Frames, one after the other, each with its place in the spool.
    class Batch {
    public:
        void add(const Frame& frame);
        void passTo(FrameSink& sink) const;
        [[nodiscard]] size_t bytes() const { return m_bytes.size(); }
        [[nodiscard]] bool isEmpty() const { return m_frames.empty(); }

    private:
        struct Entry {
            FrameKind kind;
            uint16_t process;
            uint64_t place;
            size_t begin;
            size_t size;
        };
        std::vector<Entry> m_frames;
        std::vector<std::byte> m_bytes;
    };

    void take(const Frame& frame) override { m_filling.add(frame); }
    /// Hands over what was taken since the last flush.
    void flush();
    /// After this, pop() ends when all is taken out.
    void close();
    [[nodiscard]] bool isFull() const;

    enum class Popped : uint8_t { Batch, Nothing, Closed };
    /// Waits at most this long.
    [[nodiscard]] Popped pop(Batch& batch, int64_t waitNs);

private:
    mutable std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<Batch> m_batches; ///< guarded
    size_t m_waitingBytes = 0; ///< guarded
    bool m_isClosed = false; ///< guarded
    Batch m_filling;
};

} // namespace torchline::capture
