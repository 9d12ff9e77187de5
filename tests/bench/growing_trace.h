#pragma once
// GrowingTrace: what a training loop on a few threads writes, record after record into ingest, without a program: the
// same each time, 200 000 records a second. Thread: one. Cost: some hundred ns a record.

#include "capture/ingest.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace torchline::bench {

struct GrowingShape {
    uint32_t threads = 1;
    bool hasMemory = false; ///< an allocation for every fourth operator
    bool hasOpenScope = false; ///< around all that the first thread does
};

class GrowingTrace {
public:
    explicit GrowingTrace(GrowingShape shape);

    /// Steps of 10 ms, of operators that lie five deep, until so many records came.
    void growTo(uint64_t records);
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> snapshot() { return m_ingest.snapshot(++m_generation); }
    [[nodiscard]] uint64_t records() const { return m_records; }

private:
    struct Thread {
        uint64_t nowNs = 0;
        uint32_t number = 0;
        uint64_t step = 0;
        std::vector<std::byte> payload;
    };
    void addStep(uint32_t slot);
    void addOperator(Thread& thread, uint32_t name, uint8_t scope, uint64_t startNs, uint64_t endNs, uint16_t depth);

    GrowingShape m_shape;
    Ingest m_ingest;
    std::vector<Thread> m_threads;
    uint64_t m_records = 0;
    uint64_t m_generation = 0;
    uint64_t m_place = 0;
};

} // namespace torchline::bench
