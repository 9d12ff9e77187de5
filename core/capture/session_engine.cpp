#include "capture/session_engine.h"

#include "base/text.h"
#include "capture/session_fault.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace torchline::capture {

namespace {

constexpr size_t kMostConnections = 1024;
constexpr int64_t kPublishEveryNs = 50'000'000;
constexpr int64_t kGoodbyeNs = 1'000'000'000; ///< that agents have to close after they were told to
constexpr int64_t kKillAfterNs = 5'000'000'000;
constexpr int kBusyTurnMs = 4; ///< a tenth of the time in which the fastest thread fills its ring
constexpr int kQuietTurnMs = 20;

int64_t nowNs()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace

Result<std::unique_ptr<CaptureSession::Engine>> CaptureSession::Engine::create(
    SessionOptions options, SessionCallbacks callbacks)
{
    const auto path = checkLaunch(options.program);
    if (!path)
        return path.error();
    if (options.agent.empty()) {
        auto agent = findAgent();
        if (!agent)
            return agent.error();
        options.agent = std::move(*agent);
    }
    auto listener = Listener::open();
    if (!listener)
        return listener.error().within("no program can be recorded");
    const AgentWiring wiring{
        options.agent, listener->path(), configText(options.record, options.begin == BeginWhen::AtOnce)};
    const LaunchRequest request = options.program;
    const std::string supervisor = options.supervisor;
    std::unique_ptr<Engine> engine(new Engine(std::move(options), std::move(callbacks), std::move(*listener)));
    engine->m_path = *path;
    engine->openSpool();
    auto program
        = supervisor.empty() ? runHere(request, *path, wiring) : runSupervised(supervisor, request, *path, wiring);
    if (!program) {
        if (engine->m_spool)
            engine->m_spool->discard();
        return program.error();
    }
    engine->m_program = std::move(*program);
    engine->m_now.pid = engine->m_program->pid();
    engine->m_launchedNs = engine->m_turnNs = nowNs();
    engine->happen(SessionEvent::Launched);
    engine->m_now.phase = engine->m_phase;
    engine->m_status = engine->m_now;
    engine->m_thread = std::thread([raw = engine.get()] { raw->run(); });
    return engine;
}

CaptureSession::Engine::Engine(SessionOptions options, SessionCallbacks callbacks, Listener listener)
    : m_options(std::move(options))
    , m_callbacks(std::move(callbacks))
    , m_listener(std::move(listener))
    , m_wantsRecording(m_options.begin == BeginWhen::AtOnce)
    , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
}

CaptureSession::Engine::~Engine()
{
    if (m_thread.joinable()) {
        post([](Engine& engine) {
            const std::scoped_lock lock(engine.m_mutex);
            engine.m_quit = true;
        });
        m_thread.join();
    }
    m_feed.reset(); // its thread posts to us
}

/// Frames go to the spool, from there with their places to the feed; without a spool to the feed.
void CaptureSession::Engine::openSpool()
{
    std::shared_ptr<const SpoolBytes> bytes;
    if (!m_options.spoolFolder.empty()) {
        auto spool = SpoolWriter::create(m_options.spoolFolder, m_queue);
        if (spool) {
            m_spool = std::move(*spool);
            m_now.spoolPath = m_spool->path();
            bytes = m_spool->spool();
        } else {
            addNote({"spool-failed", spool.error().message()});
        }
    }
    FeedCallbacks callbacks;
    callbacks.finished = [this] { post([](Engine&) {}); };
    if (m_options.wantsSnapshots) {
        callbacks.snapshotTaken = m_callbacks.snapshotTaken;
        callbacks.wantsSnapshot = m_callbacks.wantsSnapshot;
    }
    m_feed = std::make_unique<TraceFeed>(
        m_queue, IngestOptions{m_options.memoryBytes, m_options.label}, std::move(bytes), std::move(callbacks));
}

FrameSink& CaptureSession::Engine::sink()
{
    return m_spool ? static_cast<FrameSink&>(*m_spool) : m_queue;
}

bool CaptureSession::Engine::isReading() const
{
    return !m_isConcluded && m_phase != Phase::Idle && !isOver(m_phase);
}

// Requests

void CaptureSession::Engine::post(std::function<void(Engine&)> request)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_requests.push_back(std::move(request));
    }
    const uint64_t one = 1;
    if (::write(m_wake.get(), &one, sizeof one) < 0) { } // full: it wakes anyway
}

void CaptureSession::Engine::record()
{
    if (!isReading() || m_phase == Phase::Draining)
        return;
    m_wantsRecording = true;
    sendAll(startLine(m_options.record));
}

void CaptureSession::Engine::pause()
{
    if (!isReading() || m_phase == Phase::Draining)
        return;
    m_wantsRecording = false;
    sendAll(stopLine());
    happen(SessionEvent::PauseAsked);
}

void CaptureSession::Engine::stop(std::string reason)
{
    if (!isReading() || m_phase == Phase::Draining)
        return;
    m_wantsRecording = false;
    m_now.stopReason = std::move(reason);
    happen(SessionEvent::StopAsked);
}

void CaptureSession::Engine::endProgram()
{
    if (m_program->waitStatus() || m_killAtNs != 0)
        return;
    m_program->signal(SIGTERM);
    m_killAtNs = nowNs() + kKillAfterNs;
}

void CaptureSession::Engine::discardSpool()
{
    if (!m_spool)
        return;
    m_spool->discard();
    m_now.spoolPath.clear();
}

// The thread

void CaptureSession::Engine::run()
{
    ::pthread_setname_np(::pthread_self(), "capture");
    publish(true);
    for (;;) {
        {
            const std::scoped_lock lock(m_mutex);
            if (m_quit)
                break;
        }
        await();
        turn();
    }
    sendAll(detachLine());
}

void CaptureSession::Engine::await()
{
    std::vector<pollfd> waited;
    const auto add = [&waited](int fd) {
        if (fd >= 0)
            waited.push_back({fd, POLLIN, 0});
    };
    add(m_wake.get());
    add(m_program->descriptor());
    if (isReading()) {
        add(m_listener.descriptor());
        for (const auto& process : m_processes)
            add(process->descriptor());
    }
    ::poll(waited.data(), waited.size(), m_isBusy ? kBusyTurnMs : kQuietTurnMs);
    uint64_t count = 0;
    if (::read(m_wake.get(), &count, sizeof count) < 0) { } // nothing asked
}

void CaptureSession::Engine::turn()
{
    m_turnNs = nowNs();
    const Phase before = m_phase;
    std::vector<std::function<void(Engine&)>> requests;
    {
        const std::scoped_lock lock(m_mutex);
        requests.swap(m_requests);
    }
    for (const auto& request : requests)
        request(*this);
    // Looked at before the sockets: what an ended program said last is then there to be read.
    lookAtProgram();
    if (isReading()) {
        acceptAll();
        listen();
        drainAll();
        lookAtAgents();
        keepTimes();
        if (m_program->waitStatus())
            happen(SessionEvent::ProgramEnded);
    }
    if (m_phase == Phase::Draining)
        m_isConcluded ? conclude() : drainToEnd();
    refreshStatus();
    publish(m_phase != before);
}

void CaptureSession::Engine::acceptAll()
{
    while (auto connection = m_listener.accept()) {
        if (m_processes.size() < kMostConnections)
            m_processes.push_back(std::make_unique<AgentProcess>(std::move(*connection)));
        else
            tell({"too-many-processes",
                "more than " + std::to_string(kMostConnections) + " processes: the further ones are not recorded"});
    }
}

void CaptureSession::Engine::listen()
{
    for (size_t i = 0; i < m_processes.size(); ++i)
        hear(i);
    // Who left before it said hello leaves nothing behind; whom another connection continued neither.
    std::erase_if(m_processes, [](const auto& process) { return !process->isConnected() && !process->hasBegun(); });
}

void CaptureSession::Engine::hear(size_t index)
{
    AgentProcess& process = *m_processes[index];
    const bool wasBound = process.isBound();
    const bool wasConnected = process.isConnected();
    if (process.receive(sink()) == AgentProcess::Heard::Hello) {
        const auto earlier = std::ranges::find_if(m_processes, [&](const auto& each) {
            return process.isResumed() && each->hasBegun() && !each->isConnected()
                && each->status().pid == process.status().pid;
        });
        if (earlier != m_processes.end()) {
            (*earlier)->takeConnection(process);
            return; // the rest is read in the next turn
        }
        process.begin(m_nextIndex++, sink());
        static_cast<void>(process.receive(sink()));
    }
    for (const Note& note : process.takeNotes())
        addNote(note);
    if (process.isBound() && !wasBound)
        greet(process);
    // An ended child: its memory is given back now, not at the end.
    if (wasConnected && !process.isConnected() && ::kill(process.status().pid, 0) != 0 && errno == ESRCH)
        process.drainEnd(sink());
}

/// Its environment told it how the recording began; tells it what was asked since.
void CaptureSession::Engine::greet(AgentProcess& process)
{
    happen(SessionEvent::Found);
    const bool recordsByItself = m_options.begin == BeginWhen::AtOnce;
    if (m_wantsRecording != recordsByItself)
        process.send(m_wantsRecording ? startLine(m_options.record) : stopLine());
}

void CaptureSession::Engine::drainAll()
{
    const uint64_t before = m_now.records;
    if (!m_queue.isFull()) {
        for (const auto& process : m_processes) {
            if (process->hasBegun())
                process->drain(sink());
        }
    }
    if (m_spool)
        m_spool->flush();
    m_queue.flush();
    refreshStatus();
    m_isBusy = m_now.records != before;
    if (m_spool) {
        if (const auto error = m_spool->takeError())
            tell({"spool-failed", error->message() + "; recording goes on without it, so that arguments are lost"});
    }
}

void CaptureSession::Engine::lookAtProgram()
{
    const auto output = [this](std::string_view text) {
        if (isReading())
            sendPart(sink(), FrameKind::Output, 0,
                OutputPart{OutputStream::Standard, 0, static_cast<uint64_t>(m_turnNs)}, bytesOf(text));
        if (m_callbacks.output)
            m_callbacks.output(text);
    };
    m_program->look(output);
    if (m_killAtNs != 0 && !m_program->waitStatus() && m_turnNs >= m_killAtNs) {
        m_program->signal(SIGKILL);
        m_killAtNs = m_turnNs + kKillAfterNs;
    }
    if (const auto status = m_program->waitStatus(); status && !m_now.waitStatus) {
        m_now.waitStatus = status;
        m_now.exitText = exitWords(*status);
    }
}

void CaptureSession::Engine::lookAtAgents()
{
    bool records = false;
    bool warmsUp = false;
    bool waits = false;
    size_t bound = 0;
    size_t done = 0;
    for (const auto& process : m_processes) {
        const AgentState state = process->status().state;
        records = records || state == AgentState::Recording;
        warmsUp = warmsUp || state == AgentState::Warmup;
        waits = waits || state == AgentState::Waiting;
        bound += process->isBound() && process->isConnected() ? 1 : 0;
        done += process->isConnected() && state == AgentState::Done ? 1 : 0;
    }
    if (m_wantsRecording && records)
        happen(SessionEvent::AgentsRecord);
    else if (m_wantsRecording && warmsUp)
        happen(SessionEvent::AgentsWarmUp);
    else if (m_wantsRecording && waits)
        happen(SessionEvent::AgentsWait);
    if (bound > 0 && done == bound)
        stop("the schedule is done");
}

void CaptureSession::Engine::keepTimes()
{
    if (m_options.begin == BeginWhen::AfterTime && m_turnNs - m_launchedNs >= m_options.afterNs) {
        m_options.begin = BeginWhen::ByHand; // once
        record();
    }
    if (m_options.forNs > 0 && m_now.phaseNs[static_cast<size_t>(Phase::Recording)] >= m_options.forNs)
        stop("the time to record is over");
    if (m_options.spoolLimitBytes > 0 && m_spool && m_spool->bytes() >= m_options.spoolLimitBytes)
        stop("the spool has reached its limit");
}

void CaptureSession::Engine::drainToEnd()
{
    if (m_drainingSinceNs == 0) {
        m_drainingSinceNs = m_turnNs;
        sendAll(detachLine());
    }
    const bool isSomeoneThere = std::ranges::any_of(m_processes, [](const auto& each) { return each->isConnected(); });
    if (isSomeoneThere && m_turnNs - m_drainingSinceNs < kGoodbyeNs)
        return;
    uint16_t main = 0;
    for (const auto& process : m_processes) {
        if (!process->hasBegun())
            continue;
        process->drainEnd(sink());
        std::ranges::copy(process->running(), std::back_inserter(m_now.running));
        if (process->status().pid == m_now.pid)
            main = process->index();
    }
    if (m_now.waitStatus) {
        m_now.exitText = exitWords(*m_now.waitStatus, m_now.running);
        sendPart(sink(), FrameKind::Exit, main, ExitPart{*m_now.waitStatus, 0, static_cast<uint64_t>(m_turnNs)});
    } else {
        m_now.running.clear(); // it goes on
    }
    if (m_spool)
        m_spool->flush();
    m_queue.close();
    m_isConcluded = true;
    m_isBusy = false;
}

void CaptureSession::Engine::conclude()
{
    if (!m_feed->isFinished())
        return;
    refreshStatus();
    const auto made = m_feed->trace();
    const bool isEmpty = !made || (made->sliceCount() == 0 && m_now.records == 0);
    if (isEmpty) {
        m_now.fault = emptyRecordingFault(m_now, m_options.program.program, m_path);
        discardSpool();
    }
    happen(isEmpty ? SessionEvent::DrainedNothing : SessionEvent::Drained);
}

void CaptureSession::Engine::sendAll(const std::string& line)
{
    for (const auto& process : m_processes)
        process->send(line);
}

void CaptureSession::Engine::happen(SessionEvent event)
{
    m_phase = next(m_phase, event);
}

/// Of the reading side: no frame has it yet.
void CaptureSession::Engine::tell(const Note& note)
{
    addNote(note);
    if (isReading())
        sendText(sink(), FrameKind::Note, 0, noteText(note));
}

void CaptureSession::Engine::addNote(const Note& note)
{
    constexpr size_t kMostNotes = 100;
    if (m_now.notes.size() < kMostNotes && std::ranges::find(m_now.notes, note) == m_now.notes.end())
        m_now.notes.push_back(note);
}

// Status

void CaptureSession::Engine::refreshStatus()
{
    const int64_t nowIs = m_turnNs;
    const int64_t before = std::exchange(m_now.elapsedNs, nowIs - m_launchedNs);
    if (!isOver(m_phase))
        m_now.phaseNs[static_cast<size_t>(m_phase)] += m_now.elapsedNs - before;
    m_now.phase = m_phase;
    SegmentCounters sum;
    m_now.processes.clear();
    m_now.step = 0;
    for (const auto& process : m_processes) {
        if (!process->hasBegun())
            continue;
        const SegmentCounters counters = process->counters();
        sum.records += counters.records;
        sum.dropped += counters.dropped;
        sum.opsTooDeep += counters.opsTooDeep;
        sum.threadsWithoutSlot += counters.threadsWithoutSlot;
        sum.damagedSlots += counters.damagedSlots;
        m_now.processes.push_back(process->status());
        m_now.step = std::max(m_now.step, process->status().step);
    }
    m_now.records = sum.records;
    m_now.dropped = sum.dropped;
    m_now.opsTooDeep = sum.opsTooDeep;
    m_now.threadsWithoutSlot = sum.threadsWithoutSlot;
    m_now.damagedSlots = sum.damagedSlots;
    m_now.spoolBytes = m_spool ? m_spool->bytes() : 0;
    m_recordRate.add(nowIs, m_now.records);
    m_spoolRate.add(nowIs, m_now.spoolBytes);
    m_now.recordsPerSecond = m_recordRate.perSecond();
    m_now.spoolBytesPerSecond = m_spoolRate.perSecond();
}

void CaptureSession::Engine::publish(bool isUrgent)
{
    if (!isUrgent && m_turnNs - m_publishedNs < kPublishEveryNs)
        return;
    m_publishedNs = m_turnNs;
    {
        const std::scoped_lock lock(m_mutex);
        m_status = m_now;
    }
    if (m_callbacks.statusChanged)
        m_callbacks.statusChanged(m_now);
    {
        const std::scoped_lock lock(m_mutex);
        m_isOverTold = isOver(m_now.phase);
        m_isEndTold = !m_now.isProgramRunning();
    }
    m_changed.notify_all();
}

bool CaptureSession::Engine::wait(bool alsoForProgram, int64_t timeoutNs) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(
        lock, std::chrono::nanoseconds(timeoutNs), [&] { return m_isOverTold && (!alsoForProgram || m_isEndTold); });
}

SessionStatus CaptureSession::Engine::status() const
{
    const std::scoped_lock lock(m_mutex);
    return m_status;
}

std::shared_ptr<const TraceSnapshot> CaptureSession::Engine::trace() const
{
    return status().phase == Phase::Done ? m_feed->trace() : nullptr;
}

} // namespace torchline::capture
