#pragma once
// Option values as typed, turned into what they mean. Errors are of code Usage and tell the value. Thread: any.

#include "cli/options.h"

#include <string_view>

namespace torchline::cli {

[[nodiscard]] Result<uint64_t> readCount(std::string_view text);
[[nodiscard]] Result<int64_t> readWholeNumber(std::string_view text);
/// name + KEY + ...; keys that the command does not know are errors.
[[nodiscard]] Result<std::vector<GroupKey>> readGroups(std::string_view text, const std::vector<GroupKey>& known);
/// "shape | stack", for messages and help.
[[nodiscard]] std::string groupList(const std::vector<GroupKey>& known);
/// Checks a filter; the error marks its place in a line below the text.
[[nodiscard]] Status checkFilter(std::string_view text);

} // namespace torchline::cli
