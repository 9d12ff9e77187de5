#pragma once
// A program run with the agent in it: what it said over the socket, and what it wrote, read the plain way after it
// ended (or at any moment, if no ring has wrapped). Thread: the test's.

#include "capture/wire/segment.h"

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

struct RecordedOp {
    std::string name;
    std::string shapes; ///< as torch-workload notes them
    torchline::wire::OpRecord record;
    uint32_t stack; ///< 0: none
};

struct RecordedAsync {
    std::string name;
    torchline::wire::AsyncRecord record;
};

struct RecordedSlot {
    torchline::wire::SlotState state;
    uint32_t tid;
    uint64_t torchThread;
    uint64_t dropped;
    std::vector<std::string> open; ///< names of the operators that ran at the end, outermost first
    std::vector<torchline::wire::ThreadRecord> threads;
    std::vector<RecordedOp> ops;
    std::vector<torchline::wire::MemoryRecord> memory;
    std::vector<torchline::wire::StepRecord> steps;
    std::vector<RecordedAsync> asyncOpen;
    std::vector<RecordedAsync> asyncEnd;
    std::vector<torchline::wire::DroppedRecord> drops;
};

/// One mapping of a segment's file.
class MappedSegment {
public:
    explicit MappedSegment(int fd);
    ~MappedSegment();
    MappedSegment(const MappedSegment&) = delete;
    MappedSegment& operator=(const MappedSegment&) = delete;

    [[nodiscard]] bool isSealed() const { return m_sealed; }
    [[nodiscard]] const torchline::wire::SegmentHeader& header() const;
    [[nodiscard]] std::vector<RecordedSlot> read() const;
    /// Entries of one kind, in their order.
    [[nodiscard]] std::vector<std::string> arena(torchline::wire::ArenaKind kind) const;
    /// Records of all slots since the beginning.
    [[nodiscard]] uint64_t written() const;
    /// What has been written so far counts as read.
    void drain();

private:
    [[nodiscard]] torchline::wire::SlotHeader& slot(uint32_t i) const;
    char* m_base = nullptr;
    size_t m_bytes = 0;
    bool m_sealed = false;
};

/// One connection of an agent.
struct RecordedProcess {
    std::mutex mutex;
    int socket = -1;
    std::vector<nlohmann::json> messages;
    std::vector<std::shared_ptr<MappedSegment>> segments;
    bool closed = false;

    [[nodiscard]] std::vector<nlohmann::json> ofType(const std::string& type);
    [[nodiscard]] int pid();
    void say(const std::string& line);
    /// Slots of all segments.
    [[nodiscard]] std::vector<RecordedSlot> slots();
};

class Recorded {
public:
    Recorded();
    ~Recorded();

    /// Starts it with the agent. config: for TORCHLINE_CONFIG.
    void start(const QString& program, const QStringList& arguments, const QString& config);
    /// Starts it and waits for its end. False: it did not start or end.
    [[nodiscard]] bool run(const QString& program, const QStringList& arguments, const QString& config);
    [[nodiscard]] bool finish();

    /// In the order in which they connected; those of a pid that connects again are two.
    [[nodiscard]] std::vector<std::shared_ptr<RecordedProcess>> processes();
    /// The first one; waits for it.
    [[nodiscard]] std::shared_ptr<RecordedProcess> first();
    [[nodiscard]] QProcess& program() { return m_program; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString socketPath() const;
    /// Nobody listens any longer, and all connections are closed.
    void leave();

private:
    void accept();
    void listen(const std::shared_ptr<RecordedProcess>& process);

    QTemporaryDir m_folder;
    QProcess m_program;
    int m_socket = -1;
    std::thread m_acceptor;
    std::mutex m_mutex;
    std::vector<std::shared_ptr<RecordedProcess>> m_processes;
    std::vector<std::thread> m_listeners;
};

/// The workload's own list of operators.
struct CountedOp {
    uint64_t thread;
    std::string name;
    int scope;
    int depth;
    int64_t sequence;
    uint64_t forward;
    std::string shapes;
};
[[nodiscard]] std::vector<CountedOp> readCounts(const QString& file);

#ifdef TORCHLINE_WITH_TORCH
#define REQUIRE_TORCH() static_cast<void>(0)
#else
#define REQUIRE_TORCH() QSKIP("LibTorch is not installed")
#endif
