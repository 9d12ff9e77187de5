#include "import/scan/event_shapes.h"

#include "import/scan/take_member.h"

#include <cstring>

namespace torchline {

EventShapes::EventShapes()
    : m_nodes(1)
{
}

bool EventShapes::isHere(const Node& node, const char* p, const char* limit) const
{
    return limit - p >= node.size && areSame(p, node.text.data(), node.size);
}

uint32_t EventShapes::findChild(uint32_t parent, const char* p, const char* limit)
{
    const uint32_t recent = m_nodes[parent].recentChild;
    if (recent != 0 && isHere(m_nodes[recent], p, limit))
        return recent;
    for (uint32_t child = m_nodes[parent].firstChild; child != 0; child = m_nodes[child].nextSibling) {
        if (isHere(m_nodes[child], p, limit)) {
            m_nodes[parent].recentChild = child;
            return child;
        }
    }
    return 0;
}

const char* EventShapes::read(const char* p, Walk& walk, EventFields& fields)
{
    MemberTaker<StrictText> taker(walk, fields, StringPlace::EventValue); // strict strings end alike in every place
    fields.hasMembers = true;
    for (uint32_t at = 0;;) {
        at = findChild(at, p, walk.limit);
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

uint32_t EventShapes::addChild(uint32_t parent, const Node& node)
{
    size_t children = 0;
    for (uint32_t child = m_nodes[parent].firstChild; child != 0; child = m_nodes[child].nextSibling) {
        const Node& known = m_nodes[child];
        if (known.size == node.size && std::memcmp(known.text.data(), node.text.data(), node.size) == 0)
            return child;
        ++children;
    }
    if (children >= kMostChildren || m_nodes.size() >= kMostNodes)
        return 0;
    const auto added = static_cast<uint32_t>(m_nodes.size());
    m_nodes.push_back(node);
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
    uint32_t at = 0;
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
