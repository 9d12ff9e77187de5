#pragma once
// What a signal that ends the program must not leave behind. Thread: main only.

#include <string>

namespace torchline::cli {

/// Writing to a pipe that nobody reads becomes an error instead of the end of the program.
void ignoreBrokenPipes();
/// Removes this file when SIGINT, SIGTERM or SIGHUP ends the program; empty: none.
void removeWhenInterrupted(const std::string& path);

} // namespace torchline::cli
