#include "import/row_taker.h"

#include "base/text.h"
#include "import/scan/decimal.h"
#include "import/scan/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace torchline {

namespace {

constexpr size_t kMostShown = 60;

/// The beginning of a text, for the places of a notice.
std::string shortened(std::string_view text)
{
    if (text.size() <= kMostShown)
        return std::string(text);
    size_t size = kMostShown;
    while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xC0u) == 0x80)
        --size;
    return std::string(text.substr(0, size)) + "\xE2\x80\xA6";
}

struct TroubleText {
    std::string_view code;
    std::string_view text;
};

TroubleText textOf(Trouble trouble)
{
    switch (trouble) {
    case Trouble::StrayComma:
        return {"stray-comma", "Commas with nothing between them were skipped (invalid JSON): %n"};
    case Trouble::MissingComma:
        return {"missing-comma", "Commas are missing (invalid JSON), nothing was lost: %n"};
    case Trouble::StrayBracket:
        return {"stray-bracket", "Brackets that do not belong there were skipped (invalid JSON): %n"};
    case Trouble::NotAnEvent:
        return {"not-an-event", "Entries in the list of events that are no events were skipped: %n"};
    case Trouble::UnknownPhase:
        return {"unknown-phase", "Events of an unknown phase are not shown: %n"};
    case Trouble::OddWord:
        return {"invalid-number", "Values that are no JSON, such as NaN or inf, are kept as text: %n"};
    case Trouble::UnreadableNumber:
        return {"unreadable-argument", "Arguments that should be whole numbers are not, and count as missing: %n"};
    case Trouble::CounterGap:
        return {"counter-gap", "Counter values that are no numbers leave gaps: %n"};
    case Trouble::OwnArrow:
        return {"unread-arrows", "Arrows written as flow_in or flow_out of a slice are not shown: %n slices"};
    case Trouble::RepairedText:
        return {"repaired-quotes",
            "Events with quotes or backslashes that are not escaped (invalid JSON) were repaired: %n"};
    }
    return {};
}

} // namespace

RowTaker::RowTaker(TraceBuilder& builder)
    : m_builder(builder)
    , m_emptyName(builder.pool().intern({}))
    , m_memoryName(builder.pool().intern("[memory]"))
{
}

void RowTaker::take(const ChunkRows& rows, TextIds& ids)
{
    m_ids = &ids;
    ids.names.resize(ids.texts.size());
    ids.ids.resize(ids.texts.size());
    ids.categories.resize(ids.texts.size());
    // Both are in file order; so is what comes out, however the text was cut into chunks.
    auto trouble = rows.troubles.begin();
    for (const EventRow& row : rows.events) {
        for (; trouble != rows.troubles.end() && trouble->offset <= row.offset; ++trouble)
            takeTrouble(*trouble);
        takeEvent(rows, row);
    }
    for (; trouble != rows.troubles.end(); ++trouble)
        takeTrouble(*trouble);
    m_eventCount += rows.events.size();
}

size_t TextIds::memoryUsage() const
{
    return (names.capacity() + ids.capacity()) * sizeof(NameId) + categories.capacity() * sizeof(CategoryOf)
        + lanes.size() * (sizeof(*lanes.begin()) + sizeof(void*) * 2);
}

void RowTaker::takeEvent(const ChunkRows& rows, const EventRow& row)
{
    switch (row.phase) {
    case 'X':
    case 'B':
    case 'E':
        takeSlice(rows, row);
        break;
    case 'i':
    case 'I':
    case 'R':
        takeMarker(rows, row);
        break;
    case 'C':
        takeCounter(rows, row);
        break;
    case 'M':
        takeMetadata(rows, row);
        break;
    case 's':
    case 't':
    case 'f':
        takeFlow(row);
        break;
    default:
        takeAsync(row);
        break;
    }
}

bool RowTaker::hasTime(const EventRow& row)
{
    if ((row.flags & EventHasTime) != 0) {
        noteTimes(row);
        return true;
    }
    const bool isUnreadable = (row.flags & EventTimeUnreadable) != 0;
    m_builder.addNotice(isUnreadable ? "unreadable-timestamp" : "no-timestamp",
        isUnreadable ? "Events whose timestamp (ts) is no number were skipped: %n"
                     : "Events without a timestamp (ts) were skipped: %n",
        row.offset, found(row.name));
    return false;
}

void RowTaker::noteTimes(const EventRow& row)
{
    if ((row.flags & (EventTimeSaturated | EventDurationUnreadable)) == 0)
        return;
    if ((row.flags & EventTimeSaturated) != 0)
        m_builder.addNotice("time-out-of-range", "Times that do not fit into 64 bits of nanoseconds were clipped: %n",
            row.offset, found(row.name));
    if ((row.flags & EventDurationUnreadable) != 0)
        m_builder.addNotice("unreadable-duration", "Durations (dur) that are no numbers count as missing: %n",
            row.offset, found(row.name));
}

void RowTaker::takeSlice(const ChunkRows& rows, const EventRow& row)
{
    if (!hasTime(row))
        return;
    const uint32_t lane = laneOf(row);
    if (row.phase == 'E') {
        m_builder.addEnd(lane, row.timeNs, row.name != 0 ? nameOf(row.name, row.offset) : NameId(), row.offset);
        return;
    }
    const CategoryOf category = categoryOf(row.category, row.offset);
    SliceRecord slice;
    slice.startNs = row.timeNs;
    slice.durationNs = row.durationNs;
    slice.hasDuration = (row.flags & EventHasDuration) != 0;
    slice.name = nameOf(row.name, row.offset);
    slice.category = category.id;
    slice.kind = category.kind;
    slice.externalId = linkOf(row.externalId, row.offset);
    slice.correlation = linkOf(row.correlation, row.offset);
    slice.eventOffset = row.offset;
    if (row.phase == 'B')
        m_builder.addBegin(lane, slice);
    else
        m_builder.addSlice(lane, slice);
    if (!isDeviceWork(category.kind))
        return;
    DeviceWork work;
    DevicePlace place;
    work.eventOffset = row.offset;
    if (row.extra != kNoExtra) {
        const DeviceArgs& args = rows.device[row.extra];
        place.device = idOrNone(args.device, row.offset);
        place.stream = idOrNone(args.stream, row.offset);
        work.bytes = args.bytes;
        work.occupancyPercent = args.occupancyPercent;
    }
    m_builder.addDeviceWork(work, place);
}

void RowTaker::takeMarker(const ChunkRows& rows, const EventRow& row)
{
    const NameId name = nameOf(row.name, row.offset);
    const NameId pid = idOrNone(row.pid, row.offset);
    const NameId tid = idOrNone(row.tid, row.offset);
    const CategoryId category = categoryOf(row.category, row.offset).id;
    const bool isTimed = (row.flags & EventHasTime) != 0;
    char scope = row.scope == 'g' || row.scope == 'p' ? row.scope : 't';
    if (row.scope == 0 && !pid.isValid())
        scope = 'g';
    noteTimes(row);
    if (!isTimed)
        m_builder.addNotice("marker-without-timestamp", "Markers without a timestamp (ts) have no place in time: %n",
            row.offset, found(row.name));
    if (name == m_memoryName && isTimed) {
        MemorySample sample;
        MemoryOrigin origin;
        sample.timeNs = row.timeNs;
        sample.eventOffset = row.offset;
        origin.name = name;
        origin.category = category;
        origin.pid = pid;
        origin.tid = tid;
        origin.scope = scope;
        if (row.extra != kNoExtra) {
            const MemoryArgs& args = rows.memory[row.extra];
            sample.bytes = args.bytes == kNoNumber ? 0 : args.bytes;
            sample.address = args.address;
            sample.totalAllocated = args.totalAllocated;
            sample.totalReserved = args.totalReserved;
            origin.deviceType = args.deviceType;
            origin.deviceId = args.deviceId;
        }
        m_builder.addMemory(sample, origin);
        return;
    }
    Instant instant;
    instant.timeNs = row.timeNs;
    instant.hasTime = isTimed;
    instant.name = name;
    instant.category = category;
    instant.pid = pid;
    instant.tid = tid;
    instant.scope = scope;
    instant.eventOffset = row.offset;
    m_builder.addInstant(instant);
}

void RowTaker::takeCounter(const ChunkRows& rows, const EventRow& row)
{
    if (!hasTime(row))
        return;
    m_builder.beginCounter(idOf(row.pid, row.offset), nameOf(row.name, row.offset), idOf(row), row.timeNs);
    for (uint32_t i = 0; i < row.extraCount; ++i) {
        const CounterArg& arg = rows.counters[row.extra + i];
        m_builder.addCounterValue(nameOf(arg.series, row.offset), arg.value, nameOf(arg.digits, row.offset));
    }
}

void RowTaker::takeMetadata(const ChunkRows& rows, const EventRow& row)
{
    ++m_labelCount;
    const std::string_view what = row.name != 0 ? m_ids->texts.entry(row.name).text() : std::string_view();
    const MetadataArgs& args = rows.metadata[row.extra];
    const NameId pid = idOf(row.pid, row.offset);
    const int64_t index = args.sortIndex;
    if (what == "process_name" && args.name != 0)
        m_builder.setProcessName(pid, nameOf(args.name, row.offset));
    else if (what == "process_labels" && args.labels != 0)
        m_builder.setProcessLabels(pid, nameOf(args.labels, row.offset));
    else if (what == "process_sort_index" && index != kNoNumber)
        m_builder.setProcessSortIndex(pid, index);
    else if (what == "thread_name" && args.name != 0)
        m_builder.setThreadName(pid, idOf(row.tid, row.offset), nameOf(args.name, row.offset));
    else if (what == "thread_sort_index" && index != kNoNumber)
        m_builder.setThreadSortIndex(pid, idOf(row.tid, row.offset), index);
}

void RowTaker::takeFlow(const EventRow& row)
{
    if (!hasTime(row))
        return;
    FlowRecord flow;
    if (row.phase != 's')
        flow.phase = row.phase == 't' ? FlowPhase::Step : FlowPhase::Finish;
    flow.bindsEnclosing = row.phase != 'f' || (row.flags & EventBindsEnclosing) != 0;
    flow.timeNs = row.timeNs;
    flow.category = categoryOf(row.category, row.offset).id;
    flow.name = nameOf(row.name, row.offset);
    flow.id = (row.flags & EventIdIsNumber) != 0 ? FlowId::ofNumber(row.idNumber)
                                                 : FlowId::ofText(idOf(row), m_builder.pool());
    flow.eventOffset = row.offset;
    m_builder.addFlow(laneOf(row), flow);
}

void RowTaker::takeAsync(const EventRow& row)
{
    if (!hasTime(row))
        return;
    AsyncRecord record;
    if (row.phase != 'b' && row.phase != 'S')
        record.phase = row.phase == 'e' || row.phase == 'F' ? AsyncPhase::End : AsyncPhase::Point;
    record.timeNs = row.timeNs;
    record.name = nameOf(row.name, row.offset);
    record.category = categoryOf(row.category, row.offset).id;
    const NameId id = idOf(row);
    record.id = id.isValid() ? id : m_emptyName;
    record.pid = idOf(row.pid, row.offset);
    record.tid = idOf(row.tid, row.offset);
    record.eventOffset = row.offset;
    m_builder.addAsync(record);
}

void RowTaker::takeTrouble(const TroubleRow& row)
{
    const TroubleText text = textOf(row.trouble);
    if (row.trouble == Trouble::NotAnEvent || row.trouble == Trouble::UnknownPhase)
        ++m_otherCount;
    std::string shown = found(row.found);
    if (row.trouble == Trouble::UnknownPhase)
        shown = row.found != 0 ? "phase \"" + shown + "\"" : "no phase";
    m_builder.addNotice(text.code, text.text, row.offset, shown, NoticeSeverity::Warning, row.count);
}

void RowTaker::noteFlaws(uint8_t flaws, uint64_t offset, std::string_view text)
{
    const std::string shown = shortened(text);
    if ((flaws & TextBadEscape) != 0)
        m_builder.addNotice("bad-escape",
            "Texts with a backslash that starts no escape (invalid JSON), which was kept as it is: %n", offset, shown);
    if ((flaws & TextControl) != 0)
        m_builder.addNotice("control-characters",
            "Texts with raw control characters (invalid JSON), which were kept: %n", offset, shown);
    if ((flaws & TextBadUtf8) != 0)
        m_builder.addNotice(
            "invalid-utf8", "Texts with bytes that are no UTF-8, shown as replacement characters: %n", offset, shown);
    if ((flaws & TextLoneSurrogate) != 0)
        m_builder.addNotice("lone-surrogate",
            "Texts with half a character (a lone surrogate), shown as replacement characters: %n", offset, shown);
}

NameId RowTaker::nameOf(LocalText text, uint64_t offset)
{
    if (text == 0)
        return m_emptyName;
    NameId& name = m_ids->names[text];
    if (name.isValid())
        return name;
    const TextTable::Entry& entry = m_ids->texts.entry(text);
    if (entry.form == TextForm::Bare) {
        name = m_builder.pool().intern(shownValue(entry.text()));
        return name;
    }
    if (isPlainString(entry.text())) {
        name = m_builder.pool().intern(entry.text());
        return name;
    }
    const DecodedText decoded = decodeString(entry.text());
    // Every scanner meets the same texts; what is wrong with one is said once.
    if (decoded.flaws != 0 && m_flawedTexts.emplace(entry.text()).second)
        noteFlaws(decoded.flaws, offset, decoded.text);
    name = m_builder.pool().intern(decoded.text);
    return name;
}

NameId RowTaker::idOf(LocalText text, uint64_t offset)
{
    if (text == 0)
        return m_emptyName;
    NameId& id = m_ids->ids[text];
    if (id.isValid())
        return id;
    const TextTable::Entry& entry = m_ids->texts.entry(text);
    if (entry.form == TextForm::Quoted) {
        id = nameOf(text, offset);
        return id;
    }
    std::string canonical = shownValue(entry.text());
    if (const auto number = parseUnsigned(entry.text()))
        canonical = std::to_string(*number);
    else if (const auto negative = parseSigned(entry.text()))
        canonical = std::to_string(*negative);
    id = m_builder.pool().intern(canonical);
    return id;
}

NameId RowTaker::idOrNone(LocalText text, uint64_t offset)
{
    const NameId id = idOf(text, offset);
    return id == m_emptyName ? NameId() : id;
}

NameId RowTaker::idOf(const EventRow& row)
{
    if ((row.flags & EventIdIsNumber) == 0)
        return row.id != 0 ? idOf(row.id, row.offset) : NameId();
    std::array<char, 24> digits = {};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), row.idNumber).ptr;
    return m_builder.pool().intern({digits.data(), static_cast<size_t>(end - digits.data())});
}

CategoryOf RowTaker::categoryOf(LocalText text, uint64_t offset)
{
    CategoryOf& category = m_ids->categories[text];
    if (!category.id.isValid()) {
        category.id = m_builder.category(m_builder.pool().text(nameOf(text, offset)));
        category.kind = m_builder.kindOf(category.id);
        m_hasKnownKinds |= category.kind != SliceKind::Other;
    }
    return category;
}

uint32_t RowTaker::linkOf(const LinkArg& link, uint64_t offset)
{
    if (link.text == 0)
        return m_builder.linkId(link.number);
    return m_builder.linkId(m_builder.pool().text(idOf(link.text, offset)));
}

uint32_t RowTaker::laneOf(const EventRow& row)
{
    const uint64_t key = uint64_t{row.pid} << 32 | row.tid;
    TextIds::RecentLane& recent = m_ids->recentLanes[(row.pid * 31 + row.tid) % m_ids->recentLanes.size()];
    if (recent.key == key)
        return recent.lane;
    auto known = m_ids->lanes.find(key);
    if (known == m_ids->lanes.end())
        known = m_ids->lanes.emplace(key, m_builder.lane(idOf(row.pid, row.offset), idOf(row.tid, row.offset))).first;
    recent = {key, known->second};
    return recent.lane;
}

std::string RowTaker::found(LocalText text) const
{
    if (text == 0)
        return {};
    const TextTable::Entry& entry = m_ids->texts.entry(text);
    return shortened(entry.form == TextForm::Bare ? shownValue(entry.text()) : decodeString(entry.text()).text);
}

} // namespace torchline
