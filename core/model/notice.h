#pragma once
// Notice: one kind of thing that was repaired, skipped, clipped or guessed, with its count and first places.
// Thread: values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

enum class NoticeSeverity : uint8_t { Info, Warning, Error };

struct NoticePlace {
    std::optional<uint64_t> offset; ///< byte in the decoded text
    std::string text; ///< what was found there, short; may be empty
};

struct Notice {
    static constexpr size_t kMostPlaces = 8;

    std::string code; ///< like-this, stable
    NoticeSeverity severity = NoticeSeverity::Warning;
    std::string text; ///< one sentence: what it is and what was done about it, with the count
    uint64_t count = 0;
    std::vector<NoticePlace> places; ///< the first kMostPlaces
};

} // namespace torchline
