#pragma once
// What is measured: loads of the product, whole, each meant to be the only thing that a process does. They print
// "KEY VALUE" lines about it; false: it could not be done.
// Thread: one.

#include <string>

namespace torchline::bench {

/// From bytes to the snapshot and everything a view needs of it: columns, nesting, links, pyramids, memory tracks.
/// With as many threads as the loader takes by itself.
bool load(const std::string& path);
bool loadWithOneThread(const std::string& path);
bool loadWithTwoThreads(const std::string& path);
/// The same with what is read so far made ready for a view again and again.
bool loadInParts(const std::string& path);
/// Loads, then reads the arguments of events far from each other. Prints the times of the reads in ms.
bool readArguments(const std::string& path);

} // namespace torchline::bench
