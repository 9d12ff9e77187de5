#pragma once
// TextEventSource: events of a text that was read before, read again. As tolerant as the reader of the whole text: the
// same events end in the same places, whether they are well-formed or had to be repaired.
// Thread: any; blocks on the disk.

#include "import/source/byte_source.h"
#include "model/event_source.h"

#include <memory>

namespace torchline {

class TextWindow;

class TextEventSource : public EventSource {
public:
    explicit TextEventSource(std::shared_ptr<const ByteSource> text)
        : m_text(std::move(text))
    {
    }

    [[nodiscard]] Result<ArgList> args(uint64_t eventOffset) const override;
    [[nodiscard]] Result<std::string> text(uint64_t eventOffset) const override;
    [[nodiscard]] Status argsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const override;
    [[nodiscard]] Status textsOfMany(
        std::span<const uint64_t> eventOffsets, const std::function<bool(size_t, std::string&&)>& done) const override;

private:
    std::shared_ptr<const ByteSource> m_text;
};

/// The members of a JSON object given as text, as ArgList has them; of a damaged or cut object those before the fault.
[[nodiscard]] ArgList readMembers(std::string_view object);

} // namespace torchline
