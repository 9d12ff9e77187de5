#include "capture/agent_process.h"

#include "base/text.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace torchline::capture {

namespace {

constexpr int kMostPacketsAtOnce = 64; ///< an agent that talks without end must not hold up the others

void add(SegmentCounters& sum, const SegmentCounters& more)
{
    sum.records += more.records;
    sum.bytes += more.bytes;
    sum.unknownRecords += more.unknownRecords;
    sum.dropped += more.dropped;
    sum.opsTooDeep += more.opsTooDeep;
    sum.threadsWithoutSlot += more.threadsWithoutSlot;
    sum.namesRefused += more.namesRefused;
    sum.stacksRefused += more.stacksRefused;
    sum.damagedSlots += more.damagedSlots;
}

} // namespace

AgentProcess::AgentProcess(Connection connection)
    : m_connection(std::move(connection))
{
    m_status.pid = m_connection->peer();
    m_status.isConnected = true;
}

AgentProcess::Heard AgentProcess::receive(FrameSink& sink)
{
    for (int i = 0; i < kMostPacketsAtOnce && m_connection; ++i) {
        Connection::Received received = m_connection->receive();
        if (received.arrival == Connection::Arrival::Nothing)
            break;
        if (received.arrival == Connection::Arrival::Closed)
            close();
        else if (onPacket(std::move(received), sink) == Heard::Hello)
            return Heard::Hello;
    }
    return Heard::Nothing;
}

AgentProcess::Heard AgentProcess::onPacket(Connection::Received received, FrameSink& sink)
{
    const auto message = parseMessage(received.packet);
    if (!message) {
        note(sink, "bad-message", message.error().message());
        close();
        return Heard::Nothing;
    }
    if (const auto* hello = std::get_if<Hello>(&*message))
        return onHello(*hello, std::move(received.packet), sink);
    if (!m_index) {
        note(sink, "bad-message", "an agent said something before hello");
        close();
        return Heard::Nothing;
    }
    if (const auto* bound = std::get_if<Bound>(&*message)) {
        onBound(*bound, std::move(received), sink);
    } else if (const auto* change = std::get_if<StateChange>(&*message)) {
        m_status.state = change->state;
        m_status.step = change->step;
        sendText(sink, FrameKind::State, *m_index, received.packet);
    } else if (const auto* said = std::get_if<Note>(&*message)) {
        m_notes.push_back(*said);
        sendText(sink, FrameKind::Note, *m_index, received.packet);
    }
    return Heard::Nothing;
}

AgentProcess::Heard AgentProcess::onHello(const Hello& hello, std::string packet, FrameSink& sink)
{
    if (hello.protocol != kProtocol) {
        note(sink, "version",
            "the agent in the program is of version " + escapeControls(hello.agent) + " and speaks protocol "
                + std::to_string(hello.protocol) + ", this is Torchline " TORCHLINE_VERSION " with protocol "
                + std::to_string(kProtocol) + "; install both from one package");
        close();
        return Heard::Nothing;
    }
    if (m_index || !m_hello.empty()) {
        note(sink, "bad-message", "an agent said hello twice");
        close();
        return Heard::Nothing;
    }
    m_isResumed = hello.isResumed;
    m_status.pid = hello.pid;
    m_status.executable = hello.executable;
    m_status.rank = hello.rank;
    m_hello = std::move(packet);
    return Heard::Hello;
}

void AgentProcess::begin(uint16_t index, FrameSink& sink)
{
    m_index = index;
    sendText(sink, FrameKind::Hello, index, m_hello);
}

void AgentProcess::takeConnection(AgentProcess& again)
{
    m_connection = std::exchange(again.m_connection, std::nullopt);
    m_status.isConnected = m_connection.has_value();
}

void AgentProcess::onBound(const Bound& bound, Connection::Received received, FrameSink& sink)
{
    if (std::ranges::find(m_segmentNumbers, bound.segment) != m_segmentNumbers.end())
        return; // said again after connecting again
    if (!received.file.isOpen()) {
        note(sink, "no-memfd",
            "the agent sent no shared memory: the system may forbid it (memfd_create); allow it in the sandbox");
        return;
    }
    // The reader takes a descriptor of its own.
    const int own = ::fcntl(received.file.get(), F_DUPFD_CLOEXEC, 0);
    auto segment = SegmentReader::open(own, *m_index, static_cast<uint32_t>(m_status.pid));
    if (!segment) {
        note(sink, "segment-refused", segment.error().message());
        close();
        return;
    }
    m_isBound = true;
    m_status.torchPath = bound.torchPath;
    m_status.namesOnly = bound.namesOnly;
    m_status.hasShapes = bound.hasShapes;
    m_status.hasMemory = bound.memorySlots > 0;
    m_segmentNumbers.push_back(bound.segment);
    m_segments.push_back(std::move(*segment));
    sendText(sink, FrameKind::Bound, *m_index, received.packet);
}

void AgentProcess::drain(FrameSink& sink)
{
    for (SegmentReader& segment : m_segments) {
        segment.drain(sink);
        if (segment.number() == m_segmentNumbers.front())
            m_status.step = segment.step();
    }
    m_status.records = counters().records;
}

void AgentProcess::drainEnd(FrameSink& sink)
{
    for (SegmentReader& segment : m_segments) {
        segment.drainEnd(sink);
        for (const OpenOpsOfThread& thread : segment.openOps()) {
            RunningThread running{thread.tid, thread.threadName, {}};
            for (const OpenOpsOfThread::Op& op : thread.ops)
                running.operators.push_back(op.name);
            m_running.push_back(std::move(running));
        }
        add(m_past, segment.counters());
    }
    m_segments.clear();
    m_status.records = m_past.records;
}

bool AgentProcess::send(const std::string& line)
{
    if (!m_connection)
        return false;
    if (m_connection->send(line))
        return true;
    close();
    return false;
}

void AgentProcess::close()
{
    m_connection.reset();
    m_status.isConnected = false;
    m_status.state = AgentState::Idle;
}

SegmentCounters AgentProcess::counters() const
{
    SegmentCounters sum = m_past;
    for (const SegmentReader& segment : m_segments)
        add(sum, segment.counters());
    return sum;
}

std::vector<Note> AgentProcess::takeNotes()
{
    return std::exchange(m_notes, {});
}

void AgentProcess::note(FrameSink& sink, const std::string& code, const std::string& text)
{
    m_notes.push_back({code, text});
    if (m_index)
        sendText(sink, FrameKind::Note, *m_index, noteText(m_notes.back()));
}

} // namespace torchline::capture
