#include "import/scan_ahead.h"

#include "import/scan/event_guess.h"
#include "import/scan/text_window.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace torchline {

namespace {

constexpr size_t kLookBehind = 64; ///< for what stands before an event
constexpr size_t kUsualEventBytes = 256; ///< at least, of recorders

/// How much of the next chunk is read with one, for its last event.
size_t overlapOf(size_t chunkBytes)
{
    constexpr size_t kUsualEvents = 16 * 1024;
    return std::max({chunkBytes / 16, std::min(chunkBytes / 4, kUsualEvents), kLookBehind});
}

} // namespace

ScanAhead::ScanAhead(const ByteSource& source, const TextWindow& window, size_t chunkBytes, size_t threads)
    : m_source(source)
    , m_readsInOrder(!source.readsAnywhere())
    , m_chunkBytes(chunkBytes)
    , m_overlap(overlapOf(chunkBytes))
    , m_begin(window.end() - std::min<uint64_t>(m_overlap, window.held().size()))
    , m_inOrder(source, window.held(), window.end(), kLookBehind + m_overlap)
    , m_slots(2 * threads)
    , m_windowCount(threads + (m_readsInOrder ? 1 : 0))
{
    for (Slot& slot : m_slots) {
        slot.scanned = std::make_unique<ScannedChunk>();
        slot.scanned->scanner.rows().events.reserve(chunkBytes / kUsualEventBytes);
    }
    m_windows.reserve(m_windowCount);
    for (size_t i = 0; i < m_windowCount; ++i)
        m_windows.push_back(std::make_unique<TextWindow>(m_readsInOrder ? m_inOrder : m_source, windowBytes()));
    m_threads.reserve(m_windowCount);
    try {
        for (size_t i = 1; i < m_windowCount; ++i)
            m_threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        // The caller does whatever no other thread does.
    }
}

ScanAhead::~ScanAhead()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isStopped = true;
    }
    m_changed.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

size_t ScanAhead::windowBytes() const
{
    return kLookBehind + m_chunkBytes + m_overlap;
}

void ScanAhead::work()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_isStopped || canRead() || toBeScanned() != nullptr; });
        if (m_isStopped)
            return;
        readOrScanOne(lock);
    }
}

bool ScanAhead::canRead() const
{
    return !m_isAtEnd && !m_windows.empty() && !m_isReading
        && m_slots[m_next % m_slots.size()].state == SlotState::Free;
}

ScanAhead::Slot* ScanAhead::toBeScanned()
{
    Slot* first = nullptr;
    for (Slot& slot : m_slots) {
        if (slot.state == SlotState::Read && (first == nullptr || slot.chunk < first->chunk))
            first = &slot;
    }
    return first;
}

/// False: there is nothing to do now. What is read in order is what all wait for.
bool ScanAhead::readOrScanOne(std::unique_lock<std::mutex>& lock)
{
    Slot* read = toBeScanned();
    if (canRead() && (m_readsInOrder || read == nullptr))
        readOne(lock);
    else if (read != nullptr)
        scanOne(*read, lock);
    else
        return false;
    m_changed.notify_all();
    return true;
}

void ScanAhead::readOne(std::unique_lock<std::mutex>& lock)
{
    Slot& slot = slotOf(m_next);
    slot.chunk = m_next++;
    slot.state = SlotState::Busy;
    slot.window = std::move(m_windows.back());
    m_windows.pop_back();
    m_isReading = m_readsInOrder;
    lock.unlock();
    const uint64_t begin = m_begin + slot.chunk * m_chunkBytes;
    bool isRead = false;
    try {
        slot.window->reach(begin - std::min<uint64_t>(begin, kLookBehind), windowBytes());
        isRead = !slot.window->error() && slot.window->covers(begin);
    } catch (const std::bad_alloc&) {
        // Whoever asks for the chunk reads it in another way.
    }
    lock.lock();
    m_isReading = false;
    m_isAtEnd |= !slot.window->covers(begin);
    settle(slot, isRead ? SlotState::Read : SlotState::Failed);
}

void ScanAhead::scanOne(Slot& slot, std::unique_lock<std::mutex>& lock)
{
    slot.state = SlotState::Busy;
    lock.unlock();
    bool isScanned = false;
    try {
        scanChunk(m_begin + slot.chunk * m_chunkBytes, *slot.window, *slot.scanned);
        isScanned = true;
    } catch (const std::bad_alloc&) {
        // As above.
    }
    lock.lock();
    settle(slot, isScanned ? SlotState::Done : SlotState::Failed);
}

/// What nobody waits for any more is free again; so is the window of what is scanned or cannot be.
void ScanAhead::settle(Slot& slot, SlotState state)
{
    slot.state = slot.chunk < m_first ? SlotState::Free : state;
    if (slot.state != SlotState::Read && slot.window != nullptr)
        m_windows.push_back(std::move(slot.window));
}

void ScanAhead::scanChunk(uint64_t begin, const TextWindow& window, ScannedChunk& scanned) const
{
    scanned.hasStart = false;
    scanned.scanner.rows().clear();
    const TextSpan text = window.text(begin - std::min<uint64_t>(begin, kLookBehind));
    const char* from = text.begin + (begin - text.offset);
    const char* end = from + std::min<size_t>(m_chunkBytes, static_cast<size_t>(text.limit - from));
    const EventGuess guess = guessEvent(text, from, end);
    if (guess.at == nullptr)
        return;
    scanned.hasStart = true;
    scanned.start = text.offsetOf(guess.at);
    scanned.startState = guess.state;
    scanned.endState = guess.state;
    const ScanOutcome outcome = scanned.scanner.scan(text, guess.at, scanned.endState, end);
    scanned.end = text.offsetOf(outcome.at);
    scanned.stop = outcome.stop;
}

void ScanAhead::giveUpBefore(uint64_t chunk)
{
    m_first = std::max(m_first, chunk);
    m_next = std::max(m_next, chunk);
    for (Slot& slot : m_slots) {
        if (slot.state != SlotState::Busy && slot.state != SlotState::Free)
            settle(slot, slot.state);
    }
}

ScannedChunk* ScanAhead::chunkAt(uint64_t offset)
{
    if (offset < m_begin)
        return nullptr;
    const uint64_t chunk = (offset - m_begin) / m_chunkBytes;
    std::unique_lock lock(m_mutex);
    giveUpBefore(chunk);
    m_changed.notify_all();
    Slot& slot = slotOf(chunk);
    for (;;) {
        if (slot.chunk == chunk && slot.state == SlotState::Done)
            return slot.scanned.get();
        if (slot.chunk == chunk && slot.state == SlotState::Failed)
            return nullptr;
        if (m_isAtEnd && m_next <= chunk)
            return nullptr;
        if (!readOrScanOne(lock))
            m_changed.wait(lock);
    }
}

uint64_t ScanAhead::boundaryBehind(uint64_t offset) const
{
    return offset < m_begin ? m_begin : m_begin + ((offset - m_begin) / m_chunkBytes + 1) * m_chunkBytes;
}

size_t ScanAhead::memoryUsage() const
{
    const std::lock_guard lock(m_mutex);
    size_t bytes = m_windowCount * windowBytes();
    for (const Slot& slot : m_slots) {
        if (slot.state != SlotState::Busy)
            bytes += slot.scanned->scanner.memoryUsage() + slot.scanned->ids.memoryUsage();
    }
    return bytes;
}

} // namespace torchline
