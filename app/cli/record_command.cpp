#include "cli/record_command.h"

#include "base/file_descriptor.h"
#include "base/text.h"
#include "capture/capture_session.h"
#include "cli/interrupts.h"
#include "export/kineto_json.h"

#include <array>
#include <csignal>
#include <iostream>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace torchline::cli {

namespace {

using namespace capture;

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr long kLookNs = 50'000'000;

void say(const std::string& text)
{
    std::cerr << "torchline-cli: " + text + '\n';
}

/// Before the program runs: an answer that cannot be written would cost the whole run.
Status checkOut(const std::string& out)
{
    const auto fault = [&out](const std::string& what) {
        return Error(ErrorCode::Io, escapeControls(out) + ": cannot be written: " + what);
    };
    struct stat status { };
    if (::stat(out.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        return fault("it is a folder");
    const size_t slash = out.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : out.substr(0, slash + 1);
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return fault("its folder: " + systemErrorText(errno));
    return {};
}

std::string counted(uint64_t count, const std::string& what)
{
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// "12 records of 1 process", and all that is not as it should be.
std::string summary(const SessionStatus& status)
{
    size_t bound = 0;
    for (const ProcessStatus& process : status.processes)
        bound += process.torchPath.empty() ? 0 : 1;
    std::string text = counted(status.records, "record") + " of "
        + (bound == 1 ? std::string("1 process") : std::to_string(bound) + " processes") + ", "
        + std::to_string(status.dropped) + " dropped";
    if (status.threadsWithoutSlot > 0)
        text += ", " + counted(status.threadsWithoutSlot, "thread") + " not recorded (no slot was free)";
    if (status.opsTooDeep > 0)
        text += ", " + counted(status.opsTooDeep, "operator") + " nested too deep";
    if (status.damagedSlots > 0)
        text += ", " + counted(status.damagedSlots, "thread") + " with damaged records";
    if (!status.stopReason.empty())
        text += "; " + status.stopReason;
    for (const Note& note : status.notes)
        text += "; " + escapeControls(note.text);
    return text;
}

/// What Ctrl+C and its like do while a program is recorded. The terminal itself sends it to the program too.
class Interruptions {
public:
    explicit Interruptions(CaptureSession& session)
        : m_session(session)
    {
    }

    void take(const siginfo_t& info)
    {
        const bool isFromTerminal = info.si_code == SI_KERNEL;
        if (info.si_signo == SIGQUIT)
            return; // the terminal's own; the program has it
        if (info.si_signo == SIGINT && m_count++ == 0) {
            if (!isFromTerminal)
                m_session.signalProgram(SIGINT);
            return;
        }
        m_session.endProgram();
        // Asked once more: at once.
        if (m_count > 2)
            m_session.signalProgram(SIGKILL);
    }

private:
    CaptureSession& m_session;
    int m_count = 0;
};

/// Looks after signals until the recording is over; with alsoForProgram, until the program has ended too.
void await(CaptureSession& session, Interruptions& interruptions, const sigset_t& signals, bool alsoForProgram)
{
    while (!session.wait(alsoForProgram, 0)) {
        const timespec pause{0, kLookNs};
        siginfo_t info{};
        if (::sigtimedwait(&signals, &info, &pause) > 0)
            interruptions.take(info);
    }
}

} // namespace

int runRecord(const RecordCommand& command)
{
    if (const Status out = checkOut(command.out); !out) {
        say(out.error().message());
        return 1;
    }
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int number : kSignals)
        ::sigaddset(&signals, number);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const auto session = CaptureSession::start(command.session);
    if (!session) {
        say(session.error().message());
        return 1;
    }
    Interruptions interruptions(**session);
    await(**session, interruptions, signals, false);
    SessionStatus status = (*session)->status();
    Status saved;
    if (status.phase == Phase::Failed) {
        saved = Error(ErrorCode::Io, status.fault);
    } else {
        const auto written = saveKinetoJson(*(*session)->trace(), command.out);
        if (!written)
            saved = written.error().within(status.spoolPath.empty()
                    ? std::string("the recording is not saved")
                    : "the recording is not saved, but kept in " + escapeControls(status.spoolPath));
    }
    await(**session, interruptions, signals, true);
    status = (*session)->status();
    if (!saved) {
        say(saved.error().message());
        return 1;
    }
    (*session)->discardSpool();
    say(escapeControls(command.out) + ": " + summary(status) + "; " + escapeControls(command.session.program.program)
        + ": " + status.exitText);
    return 0;
}

} // namespace torchline::cli
