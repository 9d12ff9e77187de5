#pragma once
// EventSource: the text of single events, read from the file again when someone asks. Args are never kept in memory.
// Thread: any; calls may block on the disk, so never on the GUI thread.

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchline {

/// Arguments in file order; of repeated keys only the last stays. A string value is its decoded text without quotes;
/// anything else is the file's digits and brackets with blanks outside strings removed. Valid UTF-8; over 64 KiB a
/// value is cut and ended with U+2026.
using ArgList = std::vector<std::pair<std::string, std::string>>;

/// Value of a key, or null.
[[nodiscard]] inline const std::string* findArg(const ArgList& args, std::string_view key)
{
    for (const auto& [name, value] : args) {
        if (name == key)
            return &value;
    }
    return nullptr;
}

class EventSource {
public:
    virtual ~EventSource() = default;

    /// Arguments of the event whose object begins at this byte of the decoded text.
    [[nodiscard]] virtual Result<ArgList> args(uint64_t eventOffset) const = 0;
    /// The event as written, from `{` to `}`.
    [[nodiscard]] virtual Result<std::string> text(uint64_t eventOffset) const = 0;
    /// Arguments of many events in one pass over the file: offsets ascending; done(i, args) in that order.
    [[nodiscard]] virtual Status argsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const = 0;
    /// Texts of many events in one pass: offsets ascending; done(i, text) in that order, until it returns false.
    [[nodiscard]] virtual Status textsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<bool(size_t, std::string&&)>& done) const
    {
        for (size_t i = 0; i < eventOffsets.size(); ++i) {
            Result<std::string> one = text(eventOffsets[i]);
            if (!one)
                return one.error();
            if (!done(i, std::move(*one)))
                break;
        }
        return {};
    }
};

} // namespace torchline
