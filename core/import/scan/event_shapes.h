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

    [[nodiscard]] size_t memoryUsage() const { return m_nodes.capacity() * sizeof(Node); }

private:
    static constexpr size_t kMostText = 48; ///< longer ones are not learned
    static constexpr size_t kMostNodes = 8192;
    static constexpr size_t kMostChildren = 16;
    static constexpr size_t kMostLessons = 4096;
    static_assert(kMostText <= kTextPadding);

    struct Node {
        std::array<char, kMostText> text{}; ///< from the end of the value before to the begin of this one
        uint8_t size = 0;
        uint8_t argsAt = 0; ///< one more than the place of the `{` of args in text; 0: not in it
        Member member = Member::Other;
        bool isEnd = false; ///< text ends with the `}` of the event, no value follows
        uint32_t firstChild = 0; ///< 0: none, as for the others
        uint32_t nextSibling = 0;
        uint32_t recentChild = 0; ///< the one that followed last time
    };

    [[nodiscard]] bool isHere(const Node& node, const char* p, const char* limit) const;
    uint32_t findChild(uint32_t parent, const char* p, const char* limit);
    uint32_t addChild(uint32_t parent, const Node& node);

    std::vector<Node> m_nodes; ///< the first is the root, before an event's `{`
    size_t m_lessons = 0;
};

} // namespace torchline
