#include "cli/interrupts.h"

#include <array>
#include <climits>
#include <csignal>
#include <unistd.h>

namespace torchline::cli {

namespace {

std::array<char, PATH_MAX> s_path{}; // a signal handler can touch no std::string

void removeAndEnd(int signalNumber)
{
    if (s_path[0] != '\0')
        ::unlink(s_path.data());
    ::raise(signalNumber); // the default action: SA_RESETHAND
}

} // namespace

void ignoreBrokenPipes()
{
    std::signal(SIGPIPE, SIG_IGN);
}

void removeWhenInterrupted(const std::string& path)
{
    if (path.size() >= s_path.size())
        return;
    s_path[0] = '\0';
    if (path.empty())
        return;
    path.copy(s_path.data() + 1, path.size() - 1, 1);
    s_path[path.size()] = '\0';
    s_path[0] = path[0]; // last: until now the handler saw no path
    struct sigaction action { };
    action.sa_handler = removeAndEnd;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signalNumber : {SIGINT, SIGTERM, SIGHUP})
        ::sigaction(signalNumber, &action, nullptr);
}

} // namespace torchline::cli
