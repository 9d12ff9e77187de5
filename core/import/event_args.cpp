#include "import/event_args.h"

#include "import/scan/event_fields.h"
#include "import/scan/json_text.h"
#include "import/scan/json_walk.h"
#include "import/scan/text_window.h"

#include <algorithm>
#include <unordered_map>

namespace torchline {

namespace {

constexpr size_t kFirstRead = 4096;
constexpr size_t kPassWindow = 64 * 1024;
constexpr size_t kMostEventBytes = size_t{256} << 20;
constexpr size_t kRepairBytes = size_t{1} << 20; ///< as the reader of the whole text has it
constexpr size_t kMostCompared = 16;

std::string shownToken(const Token& token)
{
    return token.kind == TokenKind::String ? shownString(token.text()) : shownValue(token.text());
}

/// Of repeated keys the last one stays.
void dropRepeated(ArgList& args)
{
    std::vector<bool> isRepeated(args.size());
    if (args.size() <= kMostCompared) {
        for (size_t i = 0; i < args.size(); ++i)
            isRepeated[i] = std::any_of(args.begin() + static_cast<ptrdiff_t>(i) + 1, args.end(),
                [&](const auto& later) { return later.first == args[i].first; });
    } else {
        std::unordered_map<std::string_view, size_t> last;
        for (size_t i = 0; i < args.size(); ++i) {
            const auto [known, isNew] = last.try_emplace(args[i].first, i);
            if (isNew)
                continue;
            isRepeated[known->second] = true;
            known->second = i;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < args.size(); ++i) {
        if (isRepeated[i])
            continue;
        if (kept != i)
            args[kept] = std::move(args[i]);
        ++kept;
    }
    args.resize(kept);
}

template <typename Rules> const char* addMembers(const char* p, Walk& walk, ArgList& args)
{
    return walkObject<Rules>(p, walk, [&](std::string_view key, const char* value) -> const char* {
        Token token;
        if (!takeValue<Rules>(value, walk, StringPlace::MemberValue, token))
            return nullptr;
        args.emplace_back(decodeString(key).text, shownToken(token));
        return token.after;
    });
}

/// Arguments of the event at p; null where it makes no sense by these rules.
template <typename Rules> const char* addEventArgs(const char* p, Walk& walk, ArgList& args)
{
    return walkObject<Rules>(p, walk, [&](std::string_view key, const char* value) -> const char* {
        const bool isArgs = eventMember(key) == Member::Args;
        if (isArgs && *value == '{')
            return addMembers<Rules>(value, walk, args);
        Token token;
        if (!takeValue<Rules>(value, walk, StringPlace::EventValue, token))
            return nullptr;
        // Arguments that are no object have no key of their own.
        if (isArgs && !token.isNull())
            args.emplace_back("args", shownToken(token));
        return token.after;
    });
}

Walk walkOf(const TextSpan& text)
{
    Walk walk;
    walk.limit = text.limit;
    walk.textEnds = text.textEnds;
    return walk;
}

/// Reads the event at the offset with `read(span, isRepaired)`, which returns the place behind it, or null with the
/// fault of its walk set; with more text until that is enough.
template <typename Read> Status readEventAt(TextWindow& window, uint64_t offset, Read&& read)
{
    for (size_t want = kFirstRead;; want *= 2) {
        window.reach(offset, want);
        if (window.error())
            return *window.error();
        if (!window.covers(offset) || *window.text(offset).begin != '{')
            break;
        Walk walk = walkOf(window.text(offset));
        if (read.template operator()<StrictText>(window.text(offset), walk) != nullptr)
            return {};
        if (walk.fault == WalkFault::Limit && !window.textEnds() && want < kMostEventBytes)
            continue;
        window.reach(offset, kRepairBytes);
        const ShortenedText shortened(window, offset, kRepairBytes);
        Walk again = walkOf(shortened.span());
        if (read.template operator()<RepairedText>(shortened.span(), again) != nullptr)
            return {};
        break;
    }
    return Error(ErrorCode::Format, "no event at byte " + std::to_string(offset) + ": the file was changed");
}

Status readArgsAt(TextWindow& window, uint64_t offset, ArgList& args)
{
    const auto read = [&]<typename Rules>(const TextSpan& span, Walk& walk) {
        args.clear();
        return addEventArgs<Rules>(span.begin, walk, args);
    };
    if (Status status = readEventAt(window, offset, read); !status)
        return status;
    dropRepeated(args);
    return {};
}

Result<std::string> readTextAt(TextWindow& window, uint64_t offset)
{
    std::string text;
    const auto read = [&]<typename Rules>(const TextSpan& span, Walk& walk) {
        ArgList unused;
        const char* end = addEventArgs<Rules>(span.begin, walk, unused);
        if (end != nullptr)
            text.assign(span.begin, end);
        return end;
    };
    if (Status status = readEventAt(window, offset, read); !status)
        return status.error();
    return text;
}

} // namespace

Result<ArgList> TextEventSource::args(uint64_t eventOffset) const
{
    TextWindow window(*m_text, kFirstRead);
    ArgList args;
    if (Status status = readArgsAt(window, eventOffset, args); !status)
        return status.error();
    return args;
}

Result<std::string> TextEventSource::text(uint64_t eventOffset) const
{
    TextWindow window(*m_text, kFirstRead);
    return readTextAt(window, eventOffset);
}

Status TextEventSource::textsOfMany(
    std::span<const uint64_t> eventOffsets, const std::function<bool(size_t, std::string&&)>& done) const
{
    TextWindow window(*m_text, kPassWindow);
    for (size_t i = 0; i < eventOffsets.size(); ++i) {
        Result<std::string> text = readTextAt(window, eventOffsets[i]);
        if (!text)
            return text.error();
        if (!done(i, std::move(*text)))
            return {};
    }
    return {};
}

Status TextEventSource::argsOfMany(
    std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const
{
    TextWindow window(*m_text, kPassWindow);
    for (size_t i = 0; i < eventOffsets.size(); ++i) {
        ArgList args;
        if (Status status = readArgsAt(window, eventOffsets[i], args); !status)
            return status;
        done(i, std::move(args));
    }
    return {};
}

ArgList readMembers(std::string_view object)
{
    ArgList args;
    if (object.empty() || object[0] != '{')
        return args;
    std::string padded(object);
    padded.append(kTextPadding, '"');
    Walk walk;
    walk.limit = padded.data() + object.size();
    walk.textEnds = true;
    addMembers<StrictText>(padded.data(), walk, args);
    dropRepeated(args);
    return args;
}

} // namespace torchline
