#pragma once
// EventShapes: reads events by what events before them looked like. A recorder writes few kinds of events and writes
// each of a kind alike: the same keys in the same order with the same blanks, and only values differ. What stands
// between two values is therefore known text, which is compared and not taken apart. The known texts form a tree: a
// node is the text before a value and what that value is; its children are the texts that were seen to follow.
//
// An event that leaves the tree is read by readEvent; the result is the same, which is what makes this safe. Texts that
// differ in an event (counter names as keys, say) are not learned without end: the tree has a limit.
// Thread: one. Text: followed by kTextPadding bytes of `"`.

#include "import/scan/event_fields.h"

#include <array>
#include <limits>
#include <vector>

namespace torchline {

class EventShapes {
public:
    EventShapes();

    /// As readEvent<StrictText>, if the event has a known shape. Null: it has none, or ends beyond walk.limit; walk and
    /// fields are then to be made anew.
    [[nodiscard]] const char* read(const char* p, Walk& walk, EventFields& fields);
    /// Learns the event at p, which readEvent<StrictText> took without a stray or missing comma.
    void learn(const char* p, const char* limit);

    [[nodiscard]] size_t memoryUsage() const
    {
        return m_nodes.capacity() * sizeof(Node) + m_recent.capacity() * sizeof(Index);
    }

private:
    static constexpr size_t kMostText = 46; ///< longer ones are not learned
    static constexpr size_t kComparedBytes = 32; ///< at once, those behind the end of the text masked out
    static constexpr size_t kMostNodes = 8192;
    static constexpr size_t kMostChildren = 16;
    static constexpr size_t kMostLessons = 4096;
    static_assert(2 * kComparedBytes <= kTextPadding);

    using Index = uint16_t;
    static_assert(kMostNodes <= std::numeric_limits<Index>::max());

    /// One cache line.
    struct Node {
        std::array<char, kMostText> text{}; ///< from the end of the value before to the begin of this one
        uint8_t size = 0;
        uint8_t argsAt = 0; ///< one more than the place of the `{` of args in text; 0: not in it
        uint32_t wanted = 0; ///< bit i: byte i belongs to the text
        Member member = Member::Other;
        bool isEnd = false; ///< text ends with the `}` of the event, no value follows
        Index firstChild = 0; ///< 0: none, as for the others
        Index nextSibling = 0;
    };
    static_assert(sizeof(Node) <= kTextPadding);

    [[nodiscard]] static bool isHere(const Node& node, const char* p);
    Index findChild(Index parent, const char* p);
    Index addChild(Index parent, const Node& node);

    std::vector<Node> m_nodes; ///< the first is the root, before an event's `{`
    std::vector<Index> m_recent; ///< by node: the child that followed last time; 0: none
    size_t m_lessons = 0;
};

} // namespace torchline
