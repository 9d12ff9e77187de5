#include "import/scan/event_shapes.h"

#include "import/scan/take_member.h"

#include <cstring>

namespace torchline {

EventShapes::EventShapes()
    : m_nodes(1)
    , m_recent(1)
{
}

/// The padding behind the text is no part of any node: all of them have something else than quotes in them.
bool EventShapes::isHere(const Node& node, const char* p)
{
    const uint32_t same = sameBytes<kComparedBytes>(p, node.text.data());
    return (same & node.wanted) == node.wanted
        && (node.size <= kComparedBytes
            || std::memcmp(p + kComparedBytes, node.text.data() + kComparedBytes, node.size - kComparedBytes) == 0);
}

EventShapes::Index EventShapes::findChild(Index parent, const char* p)
{
    for (Index child = m_nodes[parent].firstChild; child != 0; child = m_nodes[child].nextSibling) {
        if (isHere(m_nodes[child], p)) {
            m_recent[parent] = child;
            return child;
        }
    }
    return 0;
}

const char* EventShapes::read(const char* p, Walk& walk, EventFields& fields)
{
    MemberTaker<StrictText> taker(walk, fields, StringPlace::EventValue); // strict strings end alike in every place
    fields.hasMembers = true;
    for (Index at = 0;;) {
        const Index recent = m_recent[at];
        at = recent != 0 && isHere(m_nodes[recent], p) ? recent : findChild(at, p);
        if (at == 0)
            return nullptr;
        const Node& node = m_nodes[at];
        if (node.argsAt != 0)
            fields.args = p + (node.argsAt - 1);
        p += node.size;
        if (node.isEnd)
            return p;
        // More blanks than last time, or args that are an object where they were none.
        if (static_cast<uint8_t>(*p) <= ' ' || (node.member == Member::Args && *p == '{'))
            return nullptr;
        p = taker.take(node.member, p);
        if (p == nullptr || p >= walk.limit)
            return nullptr;
    }
}

EventShapes::Index EventShapes::addChild(Index parent, const Node& node)
{
    size_t children = 0;
    for (Index child = m_nodes[parent].firstChild; child != 0; child = m_nodes[child].nextSibling) {
        const Node& known = m_nodes[child];
        if (known.size == node.size && std::memcmp(known.text.data(), node.text.data(), node.size) == 0)
            return child;
        ++children;
    }
    if (children >= kMostChildren || m_nodes.size() >= kMostNodes)
        return 0;
    const auto added = static_cast<Index>(m_nodes.size());
    m_nodes.push_back(node);
    m_recent.push_back(0);
    m_nodes.back().nextSibling = m_nodes[parent].firstChild;
    m_nodes[parent].firstChild = added;
    return added;
}

void EventShapes::learn(const char* p, const char* limit)
{
    if (m_lessons >= kMostLessons)
        return;
    ++m_lessons;
    Walk walk;
    walk.limit = limit;
    EventFields fields;
    MemberTaker<StrictText> taker(walk, fields, StringPlace::EventValue);
    const char* begin = p; // of the text that comes next
    const char* args = nullptr; // its `{`, where that lies in this text
    Index at = 0;
    bool isLearned = true;
    const auto add = [&](const char* end, Member member, bool isEnd) {
        const auto size = static_cast<size_t>(end - begin);
        if (!isLearned || size > kMostText) {
            isLearned = false;
            return;
        }
        Node node;
        std::memcpy(node.text.data(), begin, size);
        node.size = static_cast<uint8_t>(size);
        node.wanted = size < kComparedBytes ? (uint32_t{1} << size) - 1 : ~uint32_t{0};
        node.argsAt = static_cast<uint8_t>(args != nullptr ? args - begin + 1 : 0);
        node.member = member;
        node.isEnd = isEnd;
        at = addChild(at, node);
        isLearned = at != 0;
        args = nullptr;
    };
    const auto take = [&](Member member, const char* value) {
        add(value, member, false);
        begin = taker.take(member, value);
        return begin;
    };
    const char* after = walkObject<StrictText>(p, walk, [&](std::string_view key, const char* value) {
        const Member member = eventMember(key);
        if (member != Member::Args || *value != '{')
            return take(member, value);
        args = value;
        return walkObject<StrictText>(value, walk,
            [&](std::string_view argKey, const char* argValue) { return take(argMember(argKey), argValue); });
    });
    if (after != nullptr)
        add(after, Member::Other, true);
}

} // namespace torchline
