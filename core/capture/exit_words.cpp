#include "capture/exit_words.h"

#include "base/text.h"

#include <cstring>

#include <sys/wait.h>

namespace torchline::capture {

namespace {

std::string signalName(int number)
{
    const char* name = ::sigabbrev_np(number);
    return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(number);
}

std::string place(const RunningThread& thread)
{
    std::string text = escapeControls(thread.operators.back()) + " on thread " + std::to_string(thread.tid);
    if (!thread.name.empty())
        text += " (" + escapeControls(thread.name) + ')';
    return text;
}

} // namespace

std::string exitWords(int waitStatus)
{
    if (waitStatus == kUnknownEnd)
        return "end not known";
    if (WIFSIGNALED(waitStatus)) {
        return "killed by " + signalName(WTERMSIG(waitStatus))
            + (WCOREDUMP(waitStatus) ? ", memory image written" : "");
    }
    return "exit " + std::to_string(WEXITSTATUS(waitStatus));
}

std::string exitWords(int waitStatus, const std::vector<RunningThread>& threads)
{
    std::string words = exitWords(waitStatus);
    if (waitStatus == kUnknownEnd || !WIFSIGNALED(waitStatus))
        return words;
    std::vector<const RunningThread*> running;
    for (const RunningThread& thread : threads) {
        if (!thread.operators.empty())
            running.push_back(&thread);
    }
    if (running.size() == 1)
        return words + " in " + place(*running.front());
    for (size_t i = 0; i < running.size(); ++i)
        words += (i == 0 ? "; what ran: " : ", ") + place(*running[i]);
    return words;
}

bool isSuccess(int waitStatus)
{
    return waitStatus != kUnknownEnd && WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) == 0;
}

} // namespace torchline::capture
