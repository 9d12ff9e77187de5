#include "import/scan_ahead.h"

#include "import/scan/event_guess.h"
#include "import/scan/text_window.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace torchline {

namespace {

constexpr size_t kLookBehind = 64; ///< for what stands before an event

/// How much of the next chunk is read with one, for its last event.
size_t overlapOf(size_t chunkBytes)
{
    constexpr size_t kUsualEvents = 16 * 1024;
    return std::max({chunkBytes / 16, std::min(chunkBytes / 4, kUsualEvents), kLookBehind});
}

} // namespace

ScanAhead::ScanAhead(const ByteSource& source, const TextWindow& window, size_t chunkBytes, size_t threads)
    : m_source(source)
    , m_chunkBytes(chunkBytes)
    , m_overlap(overlapOf(chunkBytes))
    , m_begin(window.end() - std::min<uint64_t>(m_overlap, window.held().size()))
    , m_inOrder(source, window.held(), window.end(), kLookBehind + m_overlap)
    , m_slots(2 * threads)
    , m_window(makeWindow())
{
    for (Slot& slot : m_slots)
        slot.scanned = std::make_unique<ScannedChunk>();
    m_threads.reserve(threads);
    std::vector<std::unique_ptr<TextWindow>> windows;
    for (size_t i = 1; i < threads; ++i)
        windows.push_back(makeWindow());
    try {
        for (std::unique_ptr<TextWindow>& each : windows)
            m_threads.emplace_back([this, own = std::move(each)] { work(*own); });
    } catch (const std::system_error&) {
        // The caller scans whatever no other thread does.
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

std::unique_ptr<TextWindow> ScanAhead::makeWindow() const
{
    const ByteSource& source = m_source.readsAnywhere() ? m_source : m_inOrder;
    return std::make_unique<TextWindow>(source, kLookBehind + m_chunkBytes + m_overlap);
}

void ScanAhead::work(TextWindow& window)
{
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_isStopped || canClaim(); });
            if (m_isStopped)
                return;
        }
        scanOne(window);
    }
}

bool ScanAhead::canClaim() const
{
    return !m_isAtEnd && m_slots[m_next % m_slots.size()].state == SlotState::Free;
}

ScanAhead::Slot* ScanAhead::claim()
{
    const std::lock_guard lock(m_mutex);
    if (!canClaim())
        return nullptr;
    Slot& slot = slotOf(m_next);
    slot.chunk = m_next++;
    slot.state = SlotState::Scanning;
    return &slot;
}

/// False: there is nothing to scan now.
bool ScanAhead::scanOne(TextWindow& window)
{
    std::unique_lock<std::mutex> order;
    if (!m_source.readsAnywhere())
        order = std::unique_lock(m_reading);
    Slot* slot = claim();
    if (slot == nullptr)
        return false;
    const uint64_t begin = m_begin + slot->chunk * m_chunkBytes;
    bool isScanned = false;
    try {
        window.reach(begin - std::min<uint64_t>(begin, kLookBehind), kLookBehind + m_chunkBytes + m_overlap);
        if (order.owns_lock())
            order.unlock();
        isScanned = scanChunk(begin, window, *slot->scanned);
    } catch (const std::bad_alloc&) {
        // Whoever asks for the chunk reads it in another way.
    }
    {
        const std::lock_guard lock(m_mutex);
        m_isAtEnd |= !window.covers(begin);
        slot->state = slot->chunk < m_first ? SlotState::Free : isScanned ? SlotState::Done : SlotState::Failed;
    }
    m_changed.notify_all();
    return true;
}

/// False: it cannot be read, or there is no text.
bool ScanAhead::scanChunk(uint64_t begin, TextWindow& window, ScannedChunk& scanned) const
{
    scanned.hasStart = false;
    scanned.scanner.rows().clear();
    if (window.error() || !window.covers(begin))
        return false;
    const TextSpan text = window.text(begin - std::min<uint64_t>(begin, kLookBehind));
    const char* from = text.begin + (begin - text.offset);
    const char* end = from + std::min<size_t>(m_chunkBytes, static_cast<size_t>(text.limit - from));
    const EventGuess guess = guessEvent(text, from, end);
    if (guess.at == nullptr)
        return true;
    scanned.hasStart = true;
    scanned.start = text.offsetOf(guess.at);
    scanned.startState = guess.state;
    scanned.endState = guess.state;
    const ScanOutcome outcome = scanned.scanner.scan(text, guess.at, scanned.endState, end);
    scanned.end = text.offsetOf(outcome.at);
    scanned.stop = outcome.stop;
    return true;
}

void ScanAhead::giveUpBefore(uint64_t chunk)
{
    for (Slot& slot : m_slots) {
        const bool isWaiting = slot.state == SlotState::Done || slot.state == SlotState::Failed;
        if (isWaiting && slot.chunk < chunk)
            slot.state = SlotState::Free;
    }
    m_first = std::max(m_first, chunk);
    m_next = std::max(m_next, chunk);
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
        if (canClaim()) {
            lock.unlock();
            scanOne(*m_window);
            lock.lock();
        } else {
            m_changed.wait(lock);
        }
    }
}

uint64_t ScanAhead::boundaryBehind(uint64_t offset) const
{
    return offset < m_begin ? m_begin : m_begin + ((offset - m_begin) / m_chunkBytes + 1) * m_chunkBytes;
}

size_t ScanAhead::memoryUsage() const
{
    const std::lock_guard lock(m_mutex);
    size_t bytes = (m_threads.size() + 1) * m_window->memoryUsage();
    for (const Slot& slot : m_slots) {
        if (slot.state != SlotState::Scanning)
            bytes += slot.scanned->scanner.memoryUsage() + slot.scanned->ids.memoryUsage();
    }
    return bytes;
}

} // namespace torchline
