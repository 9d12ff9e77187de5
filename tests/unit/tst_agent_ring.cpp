// The ring between a thread of the program and the reader: nothing lost unsaid, nothing torn. Also under
// ThreadSanitizer.

#include "agent/clock.h"
#include "agent/ring_writer.h"

#include <QtTest>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using torchline::agent::RingWriter;
namespace wire = torchline::wire;

namespace {

constexpr uint64_t kRingBytes = 1 << 12;

struct Ring {
    std::unique_ptr<wire::SlotHeader> slot = std::make_unique<wire::SlotHeader>();
    std::vector<uint64_t> words = std::vector<uint64_t>(kRingBytes / 8);
    RingWriter writer;

    Ring() { writer.attach(*slot, bytes(), kRingBytes, wire::ClockKind::Monotonic); }
    char* bytes() { return reinterpret_cast<char*>(words.data()); }

    /// A record of `size` bytes full of `value`. False: dropped.
    bool write(uint64_t value, uint32_t size = 48)
    {
        char* const room = writer.reserve(size);
        if (!room)
            return false;
        const wire::RecordHead head = {static_cast<uint16_t>(size), wire::RecordType::Op, 0, 0};
        std::memcpy(room, &head, sizeof(head));
        for (uint32_t at = sizeof(head); at < size; at += 8)
            std::memcpy(room + at, &value, 8);
        writer.commit(size);
        return true;
    }
};

struct Reader {
    Ring& ring;
    std::vector<uint64_t> values;
    uint64_t told = 0; ///< by Dropped records
    size_t gaps = 0;
    bool torn = false;

    void drain()
    {
        uint64_t tail = ring.slot->tail.load(std::memory_order_relaxed);
        const uint64_t head = ring.slot->head.load(std::memory_order_acquire);
        while (tail < head) {
            const char* const at = ring.bytes() + tail % kRingBytes;
            wire::RecordHead record;
            std::memcpy(&record, at, sizeof(record));
            if (record.type == wire::RecordType::Pad) {
                tail += kRingBytes - tail % kRingBytes;
                continue;
            }
            torn = torn || record.size < 8 || record.size % 8 != 0 || tail % kRingBytes + record.size > kRingBytes;
            if (torn)
                return;
            if (record.type == wire::RecordType::Dropped) {
                wire::DroppedRecord dropped;
                std::memcpy(&dropped, at, sizeof(dropped));
                told += dropped.count;
                ++gaps;
            } else {
                uint64_t first = 0;
                std::memcpy(&first, at + 8, 8);
                for (uint32_t i = 16; i < record.size; i += 8)
                    torn = torn || std::memcmp(at + i, &first, 8) != 0;
                values.push_back(first);
            }
            tail += record.size;
        }
        ring.slot->tail.store(tail, std::memory_order_release);
    }
};

} // namespace

class TestAgentRing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recordsNeverWrap()
    {
        Ring ring;
        Reader reader{ring, {}, 0, 0, false};
        std::mt19937 random(1);
        for (uint64_t i = 0; i < 5000; ++i) {
            QVERIFY(ring.write(i, 8 * (2 + static_cast<uint32_t>(random() % 12))));
            if (random() % 8 == 0)
                reader.drain();
        }
        reader.drain();
        QVERIFY(!reader.torn);
        QCOMPARE(reader.values.size(), size_t{5000});
        for (uint64_t i = 0; i < 5000; ++i)
            QCOMPARE(reader.values[i], i);
        QCOMPARE(ring.slot->written.load(), uint64_t{5000});
    }

    void aGapIsToldOnceItIsOver()
    {
        Ring ring;
        Reader reader{ring, {}, 0, 0, false};
        const uint64_t before = torchline::agent::ticks(wire::ClockKind::Monotonic);
        uint64_t fits = 0;
        while (ring.write(fits))
            ++fits;
        for (int i = 0; i < 9; ++i)
            QVERIFY(!ring.write(1000));
        QCOMPARE(ring.slot->dropped.load(), uint64_t{10});
        reader.drain();
        QCOMPARE(reader.values.size(), fits);
        QCOMPARE(reader.told, uint64_t{0});
        QVERIFY(ring.write(7));
        reader.drain();
        QCOMPARE(reader.told, uint64_t{10});
        QCOMPARE(reader.gaps, size_t{1});
        QCOMPARE(reader.values.back(), uint64_t{7});
        wire::DroppedRecord dropped;
        std::memcpy(
            &dropped, ring.bytes() + ring.slot->tail.load() % kRingBytes - 48 - sizeof(dropped), sizeof(dropped));
        QVERIFY(dropped.firstTime >= before);
    }

    void aGapAtTheEndIsSettled()
    {
        Ring ring;
        Reader reader{ring, {}, 0, 0, false};
        while (ring.write(1)) { }
        ring.writer.settle(); // no room yet
        reader.drain();
        QCOMPARE(reader.told, uint64_t{0});
        ring.writer.settle();
        ring.writer.settle();
        reader.drain();
        QCOMPARE(reader.told, uint64_t{1});
        QCOMPARE(reader.gaps, size_t{1});
    }

    void aReaderThatLiesCannotLeadOutOfTheRing()
    {
        for (const uint64_t tail : {uint64_t{1}, ~uint64_t{0}, uint64_t{1} << 40, kRingBytes * 3 + 5}) {
            Ring ring;
            for (uint64_t i = 0; i < 1000; ++i) {
                if (char* const room = ring.writer.reserve(48)) {
                    QVERIFY(room >= ring.bytes() && room + 48 <= ring.bytes() + kRingBytes);
                    ring.writer.commit(48);
                }
                ring.slot->tail.store(tail);
                ring.slot->head.store(tail * 7);
            }
        }
    }

    void twoThreads()
    {
        Ring ring;
        Reader reader{ring, {}, 0, 0, false};
        constexpr uint64_t kCount = 200'000;
        std::atomic<bool> done = false;
        std::thread writer([&] {
            for (uint64_t i = 0; i < kCount; ++i)
                ring.write(i, i % 3 == 0 ? 56 : 48);
            done = true;
        });
        while (!done)
            reader.drain();
        writer.join();
        reader.drain();
        ring.writer.settle();
        reader.drain();
        QVERIFY(!reader.torn);
        QCOMPARE(reader.values.size() + reader.told, kCount);
        QCOMPARE(ring.slot->dropped.load(), reader.told);
        QVERIFY(std::is_sorted(reader.values.begin(), reader.values.end()));
    }
};

QTEST_GUILESS_MAIN(TestAgentRing)
#include "tst_agent_ring.moc"
