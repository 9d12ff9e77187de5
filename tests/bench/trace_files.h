#pragma once
// The generated files that are measured on: written once into a folder, then used again.
// Thread: one. The memory it takes does not grow with the files.

#include <cstdint>
#include <optional>
#include <string>

namespace torchline::bench {

/// A trace with Python frames, shapes, memory markers and arrows.
struct TraceFile {
    std::string name; ///< compressed if it ends in .gz
    uint64_t events = 0; ///< at least
    uint64_t numberedNames = 0; ///< see TraceOptions
};

struct WrittenFile {
    std::string path;
    uint64_t bytes = 0; ///< on disk
    uint64_t events = 0;
};

/// None if it was not written, or not to its end.
[[nodiscard]] std::optional<WrittenFile> writtenFile(const std::string& folder, const std::string& name);
/// Ends this program with a message if it cannot be written.
void writeFile(const std::string& folder, const TraceFile& file);

} // namespace torchline::bench
