#pragma once
// CaptureSession: one recording, from the launch of a program to the trace. A thread of its own polls the socket and
// the rings of all processes and appends what arrives to the spool; a second one ingests it and makes snapshots.
// Thread: start(), wait() and the destructor: one owner. Requests: any thread, they return at once. Callbacks: as said
// at each; they must not block for long, and must not call into the session but for requests.

#include "capture/session_options.h"
#include "capture/session_status.h"
#include "model/trace_snapshot.h"

#include <functional>
#include <memory>
#include <string_view>

namespace torchline::capture {

struct SessionCallbacks {
    /// Session thread; at most 20 times a second, and at each change of phase.
    std::function<void(const SessionStatus&)> statusChanged{};
    /// Session thread: what the program wrote, where it has a terminal of the session.
    std::function<void(std::string_view)> output{};
    /// Ingest thread; at most 20 times a second.
    std::function<void(std::shared_ptr<const TraceSnapshot>)> snapshotTaken{};
    /// Ingest thread, before each snapshot: whether one is to be made now. Empty: always.
    std::function<bool()> wantsSnapshot{};
};

class CaptureSession {
public:
    /// Checks, listens, launches. An Error is a sentence that says what to do; then nothing runs.
    [[nodiscard]] static Result<std::unique_ptr<CaptureSession>> start(
        SessionOptions options, SessionCallbacks callbacks = {});
    /// Lets a program that still runs go on unrecorded.
    ~CaptureSession();
    CaptureSession(const CaptureSession&) = delete;
    CaptureSession& operator=(const CaptureSession&) = delete;

    void record(); ///< begins, or goes on after pause()
    void pause();
    void stop(); ///< ends the recording; the program goes on
    void endProgram(); ///< asks it to end (SIGTERM), then kills it
    void signalProgram(int number);
    void writeInput(std::string text); ///< to the program's terminal
    void resizeTerminal(int columns, int rows);

    /// Until the recording is done or failed and, if asked, the program has ended; false: the time ran out before.
    [[nodiscard]] bool wait(bool alsoForProgram, int64_t timeoutNs);
    [[nodiscard]] SessionStatus status() const;
    /// Once it is done; null before, and if nothing was recorded.
    [[nodiscard]] std::shared_ptr<const TraceSnapshot> trace() const;
    /// Removes the spool: the recording is saved, or not wanted.
    void discardSpool();

private:
    class Engine;
    explicit CaptureSession(std::unique_ptr<Engine> engine);
    std::unique_ptr<Engine> m_engine;
};

} // namespace torchline::capture
