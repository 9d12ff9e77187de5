#pragma once
// What a signal that ends the program must not leave behind. Thread: main only.

#include <csignal>
#include <string>

namespace torchline::cli {

/// Writing to a pipe that nobody reads becomes an error instead of the end of the program.
void ignoreBrokenPipes();
/// Holds SIGINT, SIGTERM and SIGHUP back while it lives: nothing ends the program between making a file and naming it
/// below.
class HeldInterrupts {
public:
    HeldInterrupts();
    ~HeldInterrupts();
    HeldInterrupts(const HeldInterrupts&) = delete;
    HeldInterrupts& operator=(const HeldInterrupts&) = delete;

private:
    sigset_t m_before{};
};

/// Removes this file when SIGINT, SIGTERM or SIGHUP ends the program; empty: none.
void removeWhenInterrupted(const std::string& path);

} // namespace torchline::cli
