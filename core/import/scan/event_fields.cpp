#include "import/scan/event_fields.h"

#include "import/scan/take_member.h"

namespace torchline {

namespace {

Member plainEventMember(std::string_view key)
{
    switch (key.size()) {
    case 1:
        return key == "s" ? Member::Scope : Member::Other;
    case 2:
        if (key == "ph")
            return Member::Phase;
        if (key == "ts")
            return Member::Time;
        if (key == "id")
            return Member::Id;
        return key == "bp" ? Member::BindPoint : Member::Other;
    case 3:
        if (key == "cat")
            return Member::Category;
        if (key == "dur")
            return Member::Duration;
        if (key == "pid")
            return Member::Pid;
        if (key == "tid")
            return Member::Tid;
        return key == "id2" ? Member::SecondId : Member::Other;
    case 4:
        if (key == "name")
            return Member::Name;
        return key == "args" ? Member::Args : Member::Other;
    case 7:
    case 8:
        return key == "flow_in" || key == "flow_out" ? Member::OwnArrow : Member::Other;
    default:
        return Member::Other;
    }
}

Member plainArgMember(std::string_view key)
{
    switch (key.size()) {
    case 4:
        if (key == "Addr")
            return Member::Address;
        return key == "name" ? Member::ArgName : Member::Other;
    case 5:
        if (key == "Bytes")
            return Member::MemoryBytes;
        return key == "bytes" ? Member::DeviceBytes : Member::Other;
    case 6:
        if (key == "device")
            return Member::Device;
        if (key == "stream")
            return Member::Stream;
        return key == "labels" ? Member::Labels : Member::Other;
    case 9:
        return key == "Device Id" ? Member::DeviceId : Member::Other;
    case 10:
        return key == "sort_index" ? Member::SortIndex : Member::Other;
    case 11:
        if (key == "External id" || key == "external id")
            return Member::External;
        if (key == "correlation")
            return Member::Correlation;
        return key == "Device Type" ? Member::DeviceType : Member::Other;
    case 14:
        return key == "Total Reserved" ? Member::TotalReserved : Member::Other;
    case 15:
        return key == "Total Allocated" ? Member::TotalAllocated : Member::Other;
    case 25:
        return key == "est. achieved occupancy %" ? Member::Occupancy : Member::Other;
    default:
        return Member::Other;
    }
}

/// A key that is none as it stands can still be one that is written with escapes.
template <typename MemberOf> Member decodedMember(std::string_view key, const MemberOf& memberOf)
{
    const Member member = memberOf(key);
    if (member != Member::Other || key.find('\\') == std::string_view::npos)
        return member;
    return memberOf(decodeString(key).text);
}

} // namespace

Member eventMember(std::string_view key)
{
    return decodedMember(key, plainEventMember);
}

Member argMember(std::string_view key)
{
    return decodedMember(key, plainArgMember);
}

template <typename Rules> const char* readEvent(const char* p, Walk& walk, EventFields& fields)
{
    MemberTaker<Rules> ofEvent(walk, fields, StringPlace::EventValue);
    MemberTaker<Rules> ofArgs(walk, fields, StringPlace::MemberValue);
    return walkObject<Rules>(p, walk, [&](std::string_view key, const char* value) {
        fields.hasMembers = true;
        const Member member = eventMember(key);
        if (member != Member::Args || *value != '{')
            return ofEvent.take(member, value);
        fields.args = value;
        return walkObject<Rules>(value, walk,
            [&](std::string_view argKey, const char* argValue) { return ofArgs.take(argMember(argKey), argValue); });
    });
}

template const char* readEvent<StrictText>(const char*, Walk&, EventFields&);
template const char* readEvent<RepairedText>(const char*, Walk&, EventFields&);

} // namespace torchline
