#pragma once
// A program that is recorded, without a program: what it writes, and all that reads it up to the model.
// Thread: one.

#include "capture/ingest.h"
#include "capture/segment_reader.h"
#include "segment_writer.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <random>

namespace torchline::test {

constexpr uint8_t kUserScope = 7;

/// A recording on its way: a writer, its reader, a spool, ingest.
class Recording {
public:
    explicit Recording(const SegmentOptions& options = {}, uint64_t memoryBytes = kDefaultRecordingBytes)
        : writer(options)
        , ingest(pool, {.memoryBytes = memoryBytes, .path = "run"})
    {
        Result<std::unique_ptr<SpoolWriter>> created = SpoolWriter::create(folder.path().toStdString(), ingest);
        if (!created)
            qFatal("%s", created.error().message().c_str());
        spool = std::move(*created);
        ingest.setSpool(spool->spool());
        sendText(*spool, FrameKind::Hello, 0,
            R"({"type":"hello","protocol":1,"pid":4711,"exe":"/usr/bin/python3.11","args":["python3","train.py"],)"
            R"("rank":"2","world_size":"4"})");
        Result<SegmentReader> opened = SegmentReader::open(writer.duplicate(), 0);
        if (!opened)
            qFatal("%s", opened.error().message().c_str());
        reader = std::make_unique<SegmentReader>(std::move(*opened));
    }

    void drain()
    {
        reader->drain(*spool);
        spool->flush();
    }

    std::shared_ptr<const TraceSnapshot> finish()
    {
        reader->drainEnd(*spool);
        spool->flush();
        return ingest.finish(1);
    }

    QTemporaryDir folder;
    SegmentWriter writer;
    std::shared_ptr<StringPool> pool = std::make_shared<StringPool>();
    Ingest ingest;
    std::unique_ptr<SpoolWriter> spool;
    std::unique_ptr<SegmentReader> reader;
};

/// A training loop on two threads: steps, user scopes, forward and backward, allocations that the other thread frees.
class Program {
public:
    explicit Program(SegmentWriter& writer, uint32_t seed)
        : m_writer(writer)
        , m_random(seed)
    {
        m_main = writer.takeSlot(4711, 1, "python3");
        m_backward = writer.takeSlot(4712, 2, "pt_autograd_0");
        m_shapes = writer.shapes({{{8, 3}}, {{3, 5}}, {{}, wire::kNoDtype, 5}});
    }

    /// `drain` is called between any two records.
    template <typename Drain> void run(int steps, const Drain& drain)
    {
        for (int s = 0; s < steps; ++s) {
            const uint64_t start = tick();
            for (int i = 0; i < 5; ++i) {
                const uint64_t outer = tick();
                const uint64_t inner = tick();
                const uint64_t address = 0x1000 + m_random() % 8 * 64;
                if (m_live.insert({address, 1}).second) {
                    const auto bytes = static_cast<int64_t>(64 + m_random() % 1000);
                    put(m_main, memoryRecord(tick(), address, bytes), drain);
                }
                op(m_main, "aten::mm", inner, 2, -1, 0, drain);
                op(m_main, "aten::linear", outer, 1, m_sequence++, 0, drain);
            }
            for (int i = 0; i < 5; ++i) {
                const uint64_t outer = tick();
                const uint64_t inner = tick();
                if (!m_live.empty() && m_random() % 2 == 0) {
                    put(m_backward, memoryRecord(tick(), m_live.begin()->first, 0), drain);
                    m_live.erase(m_live.begin());
                }
                op(m_backward, "AddmmBackward0", inner, 1, m_sequence - 1 - i, 1, drain);
                op(m_backward, "autograd::engine::evaluate_function: AddmmBackward0", outer, 0, -1, 0, drain);
            }
            op(m_main, "ProfilerStep#" + std::to_string(s), start, 0, -1, 0, drain, kUserScope);
        }
    }

private:
    uint64_t tick() { return m_now += 1 + m_random() % 50; }

    template <typename Record, typename Drain> void put(uint32_t slot, const Record& record, const Drain& drain)
    {
        QVERIFY(m_writer.put(slot, record));
        drain();
    }

    template <typename Drain>
    void op(uint32_t slot, const std::string& name, uint64_t start, uint16_t depth, int64_t sequence,
        uint32_t forwardThread, const Drain& drain, uint8_t scope = 0)
    {
        wire::OpRecord record = opRecord(m_writer.name(name), start, tick(), depth, ++m_number);
        record.head.scope = scope;
        record.sequence = sequence;
        record.forwardThread = forwardThread;
        record.shapes = name.starts_with("aten") ? m_shapes : 0;
        put(slot, record, drain);
    }

    SegmentWriter& m_writer;
    std::mt19937 m_random;
    uint32_t m_main = 0;
    uint32_t m_backward = 0;
    uint32_t m_shapes = 0;
    uint64_t m_now = 1000;
    int64_t m_sequence = 10;
    uint32_t m_number = 0;
    std::map<uint64_t, int> m_live;
};

} // namespace torchline::test
