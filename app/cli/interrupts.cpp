#include "cli/interrupts.h"

#include <array>
#include <climits>
#include <unistd.h>

namespace torchline::cli {

namespace {

constexpr std::array<int, 3> kInterrupts{SIGINT, SIGTERM, SIGHUP};

std::array<char, PATH_MAX> s_path{}; // a signal handler can touch no std::string

void removeAndEnd(int signalNumber)
{
    ::unlink(s_path.data());
    ::raise(signalNumber); // the default action: SA_RESETHAND
}

} // namespace

void ignoreBrokenPipes()
{
    std::signal(SIGPIPE, SIG_IGN);
}

HeldInterrupts::HeldInterrupts()
{
    sigset_t held;
    ::sigemptyset(&held);
    for (const int signalNumber : kInterrupts)
        ::sigaddset(&held, signalNumber);
    ::sigprocmask(SIG_BLOCK, &held, &m_before);
}

HeldInterrupts::~HeldInterrupts()
{
    ::sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

void removeWhenInterrupted(const std::string& path)
{
    if (path.empty() || path.size() >= s_path.size())
        return;
    const HeldInterrupts held;
    s_path[path.copy(s_path.data(), path.size())] = '\0';
    struct sigaction action { };
    action.sa_handler = removeAndEnd;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signalNumber : kInterrupts) {
        struct sigaction before { };
        ::sigaction(signalNumber, nullptr, &before);
        if (before.sa_handler != SIG_IGN) // as nohup has it
            ::sigaction(signalNumber, &action, nullptr);
    }
}

} // namespace torchline::cli
