// Events: the same rows, texts and troubles come out wherever the text in hand is cut; nothing reads beyond the
// padding. Input: one byte that says where to cut, then the text.

#include "import/scan/event_scanner.h"
#include "require.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

using namespace torchline;
using torchline::test::require;

namespace {

constexpr int kMostStops = 4; ///< each costs the rest of the text

/// A stretch of the text, alone in memory with its padding, so that a sanitizer sees every byte read beyond it.
class Stretch {
public:
    Stretch(std::string_view text, uint64_t begin, uint64_t end)
        : m_bytes(new char[end - begin + kTextPadding])
    {
        text.copy(m_bytes.get(), end - begin, begin);
        std::fill_n(m_bytes.get() + (end - begin), kTextPadding, '"');
        span = {m_bytes.get(), m_bytes.get() + (end - begin), begin, end == text.size()};
    }

    TextSpan span;

private:
    std::unique_ptr<char[]> m_bytes;
};

class Reading {
public:
    /// Everything that a scanner finds in the text, of which it has `step` bytes in hand, then 2, 4, 8 times as many.
    std::string read(std::string_view text, uint64_t step)
    {
        m_state = {};
        m_found.clear();
        m_places.clear();
        uint64_t at = 0;
        uint64_t end = std::min<uint64_t>(step, text.size());
        for (int stops = 0; at < text.size() && stops < kMostStops;) {
            const Stretch stretch(text, at, end);
            const ScanOutcome outcome = m_scanner.scan(stretch.span, stretch.span.begin, m_state);
            const uint64_t next = stretch.span.offsetOf(outcome.at);
            require(outcome.at >= stretch.span.begin && next <= end, "scanning stops in the text in hand");
            write();
            at = next;
            if (outcome.stop == ScanStop::NeedMore) {
                if (end == text.size())
                    break;
                step *= 2;
                end = std::min<uint64_t>(end + step, text.size());
                continue;
            }
            ++stops;
            note("stop", static_cast<uint64_t>(outcome.stop));
            note("at", at);
            if (outcome.stop == ScanStop::Damaged)
                at = repair(text, at);
            else if (outcome.stop != ScanStop::ListEnd)
                ++at;
            m_state = {};
            end = std::max(end, std::min<uint64_t>(at + step, text.size()));
        }
        note("end", at);
        return m_found + m_places;
    }

private:
    /// What a damaged event is worth is decided on all of the text.
    uint64_t repair(std::string_view text, uint64_t at)
    {
        const Stretch all(text, at, text.size());
        note("trial", static_cast<uint64_t>(EventScanner::tryEvent(all.span, all.span.begin)));
        const char* after = m_scanner.scanRepaired(all.span, all.span.begin);
        write();
        if (after == nullptr)
            return at + 1;
        const uint64_t next = all.span.offsetOf(after);
        require(next > at && next <= text.size(), "a repaired event ends in the text");
        return next;
    }

    void write()
    {
        const ChunkRows& rows = m_scanner.rows();
        for (const EventRow& row : rows.events) {
            m_found += '\n';
            m_found += row.phase;
            m_found += row.scope;
            numbers(row.offset, row.flags, row.timeNs, row.durationNs, row.idNumber, row.externalId.number,
                row.correlation.number, row.extraCount);
            texts(row.name, row.category, row.pid, row.tid, row.id, row.externalId.text, row.correlation.text);
            writeArgs(rows, row);
        }
        for (const TroubleRow& row : rows.troubles) {
            note("trouble", static_cast<uint64_t>(row.trouble));
            note("at", row.offset);
            note("count", row.count);
            m_places += textOf(row.found);
        }
        m_scanner.rows().clear();
    }

    void writeArgs(const ChunkRows& rows, const EventRow& row)
    {
        if (row.extra == kNoExtra)
            return;
        if (row.phase == 'X' || row.phase == 'B') {
            const DeviceArgs& args = rows.device.at(row.extra);
            numbers(args.bytes, args.occupancyPercent);
            texts(args.device, args.stream);
        } else if (row.phase == 'M') {
            const MetadataArgs& args = rows.metadata.at(row.extra);
            numbers(args.sortIndex);
            texts(args.name, args.labels);
        } else if (row.phase == 'C') {
            for (uint32_t i = 0; i < row.extraCount; ++i) {
                const CounterArg& arg = rows.counters.at(row.extra + i);
                numbers(std::bit_cast<uint64_t>(arg.value));
                texts(arg.series, arg.digits);
            }
        } else {
            const MemoryArgs& args = rows.memory.at(row.extra);
            numbers(args.bytes, args.address, args.totalAllocated, args.totalReserved, args.deviceType, args.deviceId);
        }
    }

    template <typename... Numbers> void numbers(Numbers... values)
    {
        ((m_found += ' ', m_found += std::to_string(values)), ...);
    }
    template <typename... Texts> void texts(Texts... values) { ((m_found += textOf(values)), ...); }
    void note(std::string_view what, uint64_t value) { m_places.append(what).append(std::to_string(value)) += ' '; }

    [[nodiscard]] std::string textOf(LocalText text) const
    {
        if (text == 0)
            return "-";
        const TextTable::Entry& entry = m_scanner.texts().entry(text);
        std::string result = entry.form == TextForm::Quoted ? "<" : "|";
        result.append(entry.text()) += '>';
        return result;
    }

    EventScanner m_scanner;
    ListState m_state;
    std::string m_found; ///< events with what belongs to them
    std::string m_places; ///< troubles, and where scanning stopped
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // Used again, as a loader does: what is found does not depend on what was read before either.
    static std::optional<Reading> readings[2];
    static uint32_t uses = 0;
    constexpr uint32_t kMostUses = 1000;
    if (size < 2)
        return 0;
    if (uses++ % kMostUses == 0) {
        readings[0].emplace();
        readings[1].emplace();
    }
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::string whole = readings[0]->read(text, text.size());
    const std::string cut = readings[1]->read(text, data[0] + uint64_t{1});
    require(whole == cut, "what is found does not depend on where the text is cut");
    return 0;
}
