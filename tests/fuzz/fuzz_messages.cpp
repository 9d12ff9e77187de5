// Packets that claim to be an agent's: whatever comes, a message in its bounds or an error that can be shown; and what
// is answered stays one line of words.

#include "base/text.h"
#include "capture/messages.h"
#include "require.h"

#include <algorithm>
#include <string>

using namespace torchline;
using namespace torchline::capture;
using torchline::test::require;

namespace {

void checkText(const std::string& text)
{
    require(isValidUtf8(text), "a text of a message is UTF-8");
    require(text.size() <= kMaxPacket, "a text is not longer than its packet");
}

struct Check {
    void operator()(const Hello& hello) const
    {
        require(hello.pid >= 0 && hello.parentPid >= 0, "process numbers are not negative");
        for (const std::string* text :
            {&hello.agent, &hello.executable, &hello.rank, &hello.localRank, &hello.worldSize})
            checkText(*text);
        for (const std::string& argument : hello.arguments)
            checkText(argument);
    }
    void operator()(const Bound& bound) const
    {
        checkText(bound.torchPath);
        require(bound.clock == wire::ClockKind::Tsc || bound.clock == wire::ClockKind::Monotonic, "a clock is known");
    }
    void operator()(const StateChange& change) const
    {
        require(change.state <= AgentState::Done && change.reason <= StateReason::Unknown, "a state is known");
    }
    void operator()(const Note& note) const
    {
        checkText(note.code);
        checkText(note.text);
    }
    void operator()(const Pong&) const { }
    void operator()(const UnknownMessage& message) const { checkText(message.type); }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string packet(reinterpret_cast<const char*>(data), size);
    const auto message = parseMessage(packet);
    if (message)
        std::visit(Check{}, *message);
    else
        require(escapeControls(message.error().message()) == message.error().message(), "an error can be shown");

    RecordOptions options;
    options.step = packet.substr(0, 128);
    for (const std::string& line : {startLine(options), configText(options, true)}) {
        const bool isPlain = std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
        require(isPlain, "a command is one line of plain characters");
        require(packet.empty() || line.substr(line.rfind(' ')).starts_with(" step="), "a value has no blanks");
    }
    return 0;
}
