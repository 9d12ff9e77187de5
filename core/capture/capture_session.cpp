#include "capture/capture_session.h"

#include "capture/session_engine.h"

namespace torchline::capture {

Result<std::unique_ptr<CaptureSession>> CaptureSession::start(SessionOptions options, SessionCallbacks callbacks)
{
    auto engine = Engine::create(std::move(options), std::move(callbacks));
    if (!engine)
        return engine.error();
    return std::unique_ptr<CaptureSession>(new CaptureSession(std::move(*engine)));
}

CaptureSession::CaptureSession(std::unique_ptr<Engine> engine)
    : m_engine(std::move(engine))
{
}

CaptureSession::~CaptureSession() = default;

void CaptureSession::record()
{
    m_engine->post([](Engine& engine) { engine.record(); });
}

void CaptureSession::pause()
{
    m_engine->post([](Engine& engine) { engine.pause(); });
}

void CaptureSession::stop()
{
    m_engine->post([](Engine& engine) { engine.stop({}); });
}

void CaptureSession::endProgram()
{
    m_engine->post([](Engine& engine) { engine.endProgram(); });
}

void CaptureSession::signalProgram(int number)
{
    m_engine->post([number](Engine& engine) { engine.program().signal(number); });
}

void CaptureSession::writeInput(std::string text)
{
    m_engine->post([text = std::move(text)](Engine& engine) { engine.program().write(text); });
}

void CaptureSession::resizeTerminal(int columns, int rows)
{
    m_engine->post([columns, rows](Engine& engine) { engine.program().resize(columns, rows); });
}

bool CaptureSession::wait(bool alsoForProgram, int64_t timeoutNs)
{
    return m_engine->wait(alsoForProgram, timeoutNs);
}

SessionStatus CaptureSession::status() const
{
    return m_engine->status();
}

std::shared_ptr<const TraceSnapshot> CaptureSession::trace() const
{
    return m_engine->trace();
}

void CaptureSession::discardSpool()
{
    m_engine->post([](Engine& engine) { engine.discardSpool(); });
}

} // namespace torchline::capture
