#pragma once
// ScanAhead: the rest of a list of events cut into chunks of one size, which threads scan before anybody knows where
// the events in them begin. Each is scanned from the first place that looks like an event to the first event behind the
// chunk. Whoever asks for a chunk and stands exactly where its scan began, in the state that it assumed, has what a
// scan from there on gives; what does not fit is given up. A text that has to be unpacked is read by one thread at a
// time, in order, beside those that scan.
// Thread: constructed, asked and destroyed by one, which scans too while it waits.

#include "import/row_taker.h"
#include "import/scan/event_scanner.h"
#include "import/source/in_order_reads.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace torchline {

class TextWindow;

/// One chunk, scanned.
struct ScannedChunk {
    bool hasStart = false; ///< something in it looks like an event
    uint64_t start = 0; ///< of the scan, in the text
    ListState startState;
    uint64_t end = 0; ///< where the scan ended, how and in which state
    ListState endState;
    ScanStop stop = ScanStop::NeedMore;
    EventScanner scanner;
    TextIds ids{scanner.texts()};
};

class ScanAhead {
public:
    /// Chunks from a place near the end of the window on; `threads` > 1 counts the caller.
    ScanAhead(const ByteSource& source, const TextWindow& window, size_t chunkBytes, size_t threads);
    ~ScanAhead();
    ScanAhead(const ScanAhead&) = delete;
    ScanAhead& operator=(const ScanAhead&) = delete;

    /// The chunk in which this byte lies, once it is scanned; those before are given up. Offsets never go back. Null:
    /// not one of the chunks, or it cannot be read.
    [[nodiscard]] ScannedChunk* chunkAt(uint64_t offset);
    /// Where the next chunk behind this byte begins.
    [[nodiscard]] uint64_t boundaryBehind(uint64_t offset) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    enum class SlotState : uint8_t { Free, Busy, Read, Done, Failed };
    struct Slot {
        uint64_t chunk = 0;
        SlotState state = SlotState::Free; ///< Busy: it is read or scanned just now
        std::unique_ptr<TextWindow> window; ///< from reading to scanning
        std::unique_ptr<ScannedChunk> scanned;
    };

    void work();
    bool readOrScanOne(std::unique_lock<std::mutex>& lock);
    void readOne(std::unique_lock<std::mutex>& lock);
    void scanOne(Slot& slot, std::unique_lock<std::mutex>& lock);
    void settle(Slot& slot, SlotState state);
    [[nodiscard]] bool canRead() const;
    [[nodiscard]] Slot* toBeScanned();
    void giveUpBefore(uint64_t chunk);
    void scanChunk(uint64_t begin, const TextWindow& window, ScannedChunk& scanned) const;
    [[nodiscard]] size_t windowBytes() const;
    [[nodiscard]] Slot& slotOf(uint64_t chunk) { return m_slots[chunk % m_slots.size()]; }

    const ByteSource& m_source;
    const bool m_readsInOrder; ///< one thread at a time, which is the cheap way for packed sources
    const size_t m_chunkBytes;
    const size_t m_overlap; ///< read beyond a chunk, for its last event
    const uint64_t m_begin; ///< of chunk 0
    InOrderReads m_inOrder;

    mutable std::mutex m_mutex; ///< of all that follows; open while a chunk is read or scanned
    std::condition_variable m_changed;
    std::vector<Slot> m_slots;
    std::vector<std::unique_ptr<TextWindow>> m_windows; ///< those that are free
    const size_t m_windowCount; ///< of all windows: as many as threads, the caller included
    uint64_t m_first = 0; ///< chunks before are not wanted any more
    uint64_t m_next = 0; ///< to be read
    bool m_isReading = false; ///< in order
    bool m_isAtEnd = false; ///< m_next is behind the text
    bool m_isStopped = false;

    std::vector<std::thread> m_threads;
};

} // namespace torchline
