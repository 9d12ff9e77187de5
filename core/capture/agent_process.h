#pragma once
// AgentProcess: one process with an agent in it, as the reading side knows it: its connection, its segments, what it
// said. Puts everything that arrives into frames. Thread: one.

#include "capture/exit_words.h"
#include "capture/listener.h"
#include "capture/segment_reader.h"
#include "capture/session_status.h"

#include <optional>
#include <vector>

namespace torchline::capture {

class AgentProcess {
public:
    explicit AgentProcess(Connection connection);

    enum class Heard : uint8_t { Hello, Nothing };
    /// Reads what waits on the socket, up to a hello: that is answered by begin(), or by takeConnection() of the
    /// process that connects once more.
    [[nodiscard]] Heard receive(FrameSink& sink);
    /// index: counts processes in the order of their hellos.
    void begin(uint16_t index, FrameSink& sink);
    /// Of the same process, which lost its connection; its segments stay.
    void takeConnection(AgentProcess& again);
    /// Empties the rings.
    void drain(FrameSink& sink);
    /// The last time: also what still runs. Keeps that, lets the segments go.
    void drainEnd(FrameSink& sink);
    /// False when the agent cannot be reached.
    bool send(const std::string& line);

    [[nodiscard]] int descriptor() const { return m_connection ? m_connection->descriptor() : -1; }
    [[nodiscard]] bool isConnected() const { return m_connection.has_value(); }
    [[nodiscard]] bool hasBegun() const { return m_index.has_value(); }
    [[nodiscard]] bool isResumed() const { return m_isResumed; }
    [[nodiscard]] bool isBound() const { return m_isBound; }
    [[nodiscard]] uint16_t index() const { return m_index.value_or(0); }
    [[nodiscard]] const ProcessStatus& status() const { return m_status; }
    [[nodiscard]] SegmentCounters counters() const; ///< of all segments
    [[nodiscard]] const std::vector<RunningThread>& running() const { return m_running; } ///< after drainEnd
    /// Notes since the last call; its own and the agent's.
    [[nodiscard]] std::vector<Note> takeNotes();

private:
    Heard onPacket(Connection::Received received, FrameSink& sink);
    Heard onHello(const Hello& hello, std::string packet, FrameSink& sink);
    void onBound(const Bound& bound, Connection::Received received, FrameSink& sink);
    void close();
    void note(FrameSink& sink, const std::string& code, const std::string& text);

    std::optional<Connection> m_connection;
    std::optional<uint16_t> m_index;
    std::string m_hello; ///< as it came
    std::vector<SegmentReader> m_segments;
    std::vector<uint32_t> m_segmentNumbers; ///< also of those let go
    SegmentCounters m_past; ///< of segments let go
    ProcessStatus m_status;
    std::vector<RunningThread> m_running;
    std::vector<Note> m_notes;
    bool m_isResumed = false;
    bool m_isBound = false;
};

} // namespace torchline::capture
