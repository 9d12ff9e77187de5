#pragma once
// SessionEngine: what the thread of a CaptureSession does, one turn after the other. Thread: the session's, but for
// post(), status() and trace().

#include "base/file_descriptor.h"
#include "capture/agent_process.h"
#include "capture/capture_session.h"
#include "capture/listener.h"
#include "capture/program_run.h"
#include "capture/rate_meter.h"
#include "capture/spool.h"
#include "capture/trace_feed.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace torchline::capture {

class CaptureSession::Engine {
public:
    /// Launches; everything that can be refused is.
    [[nodiscard]] static Result<std::unique_ptr<Engine>> create(SessionOptions options, SessionCallbacks callbacks);
    ~Engine();

    /// Has the session's thread do it; any thread.
    void post(std::function<void(Engine&)> request);
    [[nodiscard]] bool wait(bool alsoForProgram, int64_t timeoutNs) const;
    [[nodiscard]] SessionStatus status() const;
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> trace() const;

    // Requests
    void record();
    void pause();
    void stop(std::string reason);
    void endProgram();
    void discardSpool();
    [[nodiscard]] ProgramRun& program() { return *m_program; }

private:
    Engine(SessionOptions options, SessionCallbacks callbacks, Listener listener);
    void openSpool();
    void run();
    void turn();
    void await();
    void acceptAll();
    void listen();
    void hear(size_t index);
    void greet(AgentProcess& process);
    void drainAll();
    void lookAtProgram();
    void lookAtAgents();
    void keepTimes();
    void drainToEnd();
    void conclude();
    void sendAll(const std::string& line);
    void happen(SessionEvent event);
    void tell(const Note& note);
    void addNote(const Note& note);
    void refreshStatus();
    void publish(bool isUrgent);
    [[nodiscard]] FrameSink& sink();
    [[nodiscard]] bool isReading() const;

    SessionOptions m_options;
    SessionCallbacks m_callbacks;
    Listener m_listener;
    std::string m_path; ///< of the program
    std::unique_ptr<ProgramRun> m_program;
    FrameQueue m_queue;
    std::unique_ptr<TraceFeed> m_feed;
    std::unique_ptr<SpoolWriter> m_spool;
    std::vector<std::unique_ptr<AgentProcess>> m_processes;
    uint16_t m_nextIndex = 0;

    Phase m_phase = Phase::Idle;
    bool m_wantsRecording = false;
    bool m_isConcluded = false; ///< all is handed to the feed
    int64_t m_launchedNs = 0; ///< CLOCK_MONOTONIC, as the others
    int64_t m_turnNs = 0;
    int64_t m_drainingSinceNs = 0;
    int64_t m_killAtNs = 0; ///< 0: not asked
    int64_t m_publishedNs = 0;
    bool m_isBusy = false; ///< records came in the last turn
    RateMeter m_recordRate;
    RateMeter m_spoolRate;
    SessionStatus m_now; ///< the session thread's own

    FileDescriptor m_wake;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;
    std::vector<std::function<void(Engine&)>> m_requests; ///< guarded
    SessionStatus m_status; ///< guarded: what was published last
    bool m_isOverTold = false; ///< guarded: the callback has been told; wait() goes on
    bool m_isEndTold = false; ///< guarded: of the program
    bool m_quit = false; ///< guarded
    std::thread m_thread;
};

} // namespace torchline::capture
