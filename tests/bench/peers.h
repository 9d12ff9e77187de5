#pragma once
// What a load is measured against, each written as well as its library allows. Every function does its work on the file
// and prints "KEY VALUE" lines about it; false: it could not.
// Thread: one; meant to be the only thing that a process does.

#include <string>

namespace torchline::bench {

bool countNewlines(const std::string& path); ///< pread into one buffer, SIMD count: how fast a file can be looked at
bool inflateGzip(const std::string& path); ///< zlib, the text thrown away
bool parseNlohmann(const std::string& path); ///< a DOM
/// simdjson on demand over windows of the file, filling lanes with the columns that a FileStore has, in order and
/// nested. No arrows, links, pyramids or memory series.
bool readSimdjson(const std::string& path);

} // namespace torchline::bench
