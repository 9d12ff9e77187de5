#pragma once
// SessionFile: a file that names traces, with their sizes, and how a person looked at them. JSON; `torchline_session`
// is the version of the form. Thread: any. Paths are raw bytes.

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

struct SessionFile {
    static constexpr int kVersion = 1;
    static constexpr std::string_view kEnding = ".torchline";

    struct Trace {
        std::string path; ///< absolute
        uint64_t sizeBytes = 0; ///< when the session was saved
    };
    std::vector<Trace> traces;
    nlohmann::json view; ///< see view_memory.h

    [[nodiscard]] static bool isPath(const std::string& path); ///< by the end of its name
    /// Traces that are gone from where they were but lie beside the session as they did before are found there.
    [[nodiscard]] static Result<SessionFile> read(const std::string& path);
    [[nodiscard]] Status write(const std::string& path) const;
};

/// None if there is no such file.
[[nodiscard]] std::optional<uint64_t> sizeOfFile(const std::string& path);

} // namespace torchline
