// The parts that loading on several threads is made of: pieces of work, orders by key, sets of numbers, reads in order.
#include "base/key_order.h"
#include "base/number_set.h"
#include "base/parallel.h"
#include "import/source/in_order_reads.h"

#include <QtTest>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

using namespace torchline;

namespace {

/// Remembers where it was read.
class WatchedText : public ByteSource {
public:
    explicit WatchedText(std::string text)
        : m_text(std::move(text))
    {
    }
    Result<size_t> readAt(uint64_t offset, std::span<char> to) const override
    {
        reads.emplace_back(offset, to.size());
        if (offset >= m_text.size())
            return size_t{0};
        const size_t size = std::min<size_t>(to.size(), m_text.size() - offset);
        std::memcpy(to.data(), m_text.data() + offset, size);
        return size;
    }
    std::optional<uint64_t> size() const override { return std::nullopt; }
    uint64_t diskPosition() const override { return 0; }

    mutable std::vector<std::pair<uint64_t, size_t>> reads;

private:
    std::string m_text;
};

std::string read(const ByteSource& source, uint64_t offset, size_t size)
{
    std::string text(size, '?');
    text.resize(*source.readAt(offset, text));
    return text;
}

} // namespace

class TestParallel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachPieceIsDoneOnce()
    {
        for (const size_t threads : {1, 2, 7}) {
            for (const size_t count : {0, 1, 5, 1000}) {
                std::vector<std::atomic<int>> done(count);
                forEachInParallel(count, threads, [&](size_t i) { ++done[i]; });
                QVERIFY(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
            }
        }
    }

    void aFailureReachesTheCaller()
    {
        for (const size_t threads : {1, 4}) {
            std::atomic<int> done = 0;
            const auto work = [&](size_t i) {
                ++done;
                if (i == 3)
                    throw std::runtime_error("three");
            };
            QVERIFY_THROWS_EXCEPTION(std::runtime_error, forEachInParallel(100'000, threads, work));
            QVERIFY(done < 100'000);
        }
    }

    void orderIsThatOfAStableSort()
    {
        std::mt19937_64 random(7);
        for (const uint64_t mask :
            {uint64_t{0}, uint64_t{0xF}, uint64_t{0xFFFFF}, ~uint64_t{0}, uint64_t{0xFF} << 40}) {
            std::vector<uint64_t> keys(3000);
            for (uint64_t& key : keys)
                key = random() & mask;
            std::vector<uint32_t> some;
            for (uint32_t i = 0; i < keys.size(); i += 1 + static_cast<uint32_t>(random() % 3))
                some.push_back(i);
            std::vector<uint32_t> expected = some;
            std::stable_sort(
                expected.begin(), expected.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
            QCOMPARE(orderByKey(keys, some), expected);
        }
        QVERIFY(orderByKey(std::vector<uint64_t>()).empty());
        QCOMPARE(orderByKey(std::vector<uint64_t>{3, 1, 2}), (std::vector<uint32_t>{1, 2, 0}));
    }

    void setHoldsWhatWasInserted()
    {
        std::mt19937 random(3);
        for (const uint32_t step : {1U, 16U, 4096U, 0x10001U}) {
            NumberSet set;
            std::set<uint32_t> expected;
            for (int i = 0; i < 5000; ++i) {
                const uint32_t number = static_cast<uint32_t>(random() % 9000) * step;
                set.insert(number);
                if (number != 0)
                    expected.insert(number);
            }
            for (uint32_t i = 0; i < 9100; ++i)
                QCOMPARE(set.contains(i * step), expected.contains(i * step));
        }
    }

    void overlappingReadsAreReadOnce()
    {
        std::string text;
        for (int i = 0; text.size() < 1000; ++i)
            text += std::to_string(i) + ' ';
        const WatchedText watched(text);
        const std::string known = text.substr(0, 100);
        const InOrderReads reads(watched, known, 100, 30);
        for (uint64_t offset = 70; offset < text.size(); offset += 100)
            QCOMPARE(read(reads, offset, 130), text.substr(offset, 130));
        uint64_t end = 100;
        for (const auto& [offset, size] : watched.reads) {
            QCOMPARE(offset, end);
            end = offset + size;
        }
        QVERIFY(end >= text.size());
        QCOMPARE(read(reads, 10, 50), text.substr(10, 50)); // elsewhere: right all the same
        QCOMPARE(read(reads, 400, 50), text.substr(400, 50));
    }
};

QTEST_GUILESS_MAIN(TestParallel)
#include "tst_parallel.moc"
