#pragma once
// StrangeSegment: a recorded process that writes what it likes: a sound segment in shared memory, made once, over which
// a fuzz input is written, and which is put back as it was for the next input. CheckedFrames: what its reader passes on
// obeys the rules, or the target ends.
// Input: pieces of {u8 where, u8 count, u16 place, bytes}; a drain after each.
// Thread: one.

#include "capture/segment_reader.h"
#include "segment_writer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace torchline::test {

class CheckedFrames : public FrameSink {
public:
    /// next: gets them too; null: nobody.
    explicit CheckedFrames(FrameSink* next = nullptr)
        : m_next(next)
    {
    }

    void take(const Frame& frame) override;
    [[nodiscard]] uint64_t count() const { return m_count; }

private:
    FrameSink* m_next;
    uint64_t m_place = 64;
    uint64_t m_count = 0;
};

class StrangeSegment {
public:
    StrangeSegment();
    /// Writes an input piece by piece and drains after each, then to the end.
    void feed(std::span<const uint8_t> input, FrameSink& sink);

private:
    SegmentWriter m_writer;
    std::vector<std::byte> m_sound;
};

} // namespace torchline::test
