#include "cli/option_values.h"

#include "base/text.h"
#include "export/display_text.h"
#include "query/units.h"

#include <algorithm>
#include <charconv>

namespace torchline::cli {

namespace {

Error usage(std::string message)
{
    return Error(ErrorCode::Usage, std::move(message));
}

std::string quoted(std::string_view text)
{
    return "'" + escapeControls(text) + "'";
}

} // namespace

Result<uint64_t> readCount(std::string_view text)
{
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || text.empty())
        return usage(quoted(text) + " is no whole number from 0 up");
    return value;
}

Result<int64_t> readWholeNumber(std::string_view text)
{
    const auto value = parseInteger(text);
    if (!value)
        return usage(quoted(text) + " is no whole number");
    return *value;
}

std::string groupList(const std::vector<GroupKey>& known)
{
    std::string list;
    for (const GroupKey key : known)
        list += (list.empty() ? "" : " | ") + std::string(groupKeyText(key));
    return list;
}

Result<std::vector<GroupKey>> readGroups(std::string_view text, const std::vector<GroupKey>& known)
{
    std::vector<GroupKey> keys;
    bool hasName = false;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find('+', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        begin = end + 1;
        if (word == "name" && !hasName && keys.empty()) {
            hasName = true;
            continue;
        }
        const auto key = std::ranges::find(known, word, groupKeyText);
        if (key == known.end())
            return usage(quoted(word) + " is no group (write name, then any of + " + groupList(known) + ")");
        if (std::ranges::find(keys, *key) != keys.end())
            return usage(quoted(word) + " is there twice");
        keys.push_back(*key);
    }
    return keys;
}

Status checkFilter(std::string_view text)
{
    const auto query = Query::parse(text);
    if (query)
        return {};
    const QueryFault& fault = query.error();
    const size_t begin = textWidth(escapeControls(text.substr(0, fault.begin)));
    const size_t end = textWidth(escapeControls(text.substr(0, fault.end)));
    std::string message = escapeControls(fault.message) + ", at character "
        + std::to_string(textWidth(text.substr(0, fault.begin)) + 1);
    message += "\n  " + escapeControls(text) + "\n  " + std::string(begin, ' ') + '^';
    if (end > begin + 1)
        message.append(end - begin - 1, '~');
    return usage(std::move(message));
}

} // namespace torchline::cli
