#pragma once
// Tells the reader which files' code lies where in the process, so that it can name the addresses of stacks, also when
// the process is gone. Thread: one at a time.

namespace torchline::agent {

class Dictionary;

/// Adds what was not told before.
void noteModules(Dictionary& dictionary);

} // namespace torchline::agent
