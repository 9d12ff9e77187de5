#pragma once
// What the agent does when it is loaded, and what it exports.

/// Connects to a window that was not there when the program began. path: its socket. 0: connecting; -1: a recording has
/// the process already, or there is no memory. Thread: any, one at a time.
extern "C" [[gnu::visibility("default")]] int torchline_attach(const char* path);
