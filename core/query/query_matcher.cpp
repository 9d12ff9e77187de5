#include "query/query_matcher.h"

#include "model/steps.h"
#include "query/fold.h"
#include "query/query_fields.h"

#include <algorithm>
#include <charconv>

namespace torchline {

namespace {

constexpr uint32_t kFirstStandIn = 0xFF000000u; ///< link ids from here up stand for numbers and texts that do not fit

template <typename T> bool compare(QueryOp op, const T& a, const T& b)
{
    switch (op) {
    case QueryOp::Contains:
    case QueryOp::Equal:
        return a == b;
    case QueryOp::NotEqual:
        return a != b;
    case QueryOp::Less:
        return a < b;
    case QueryOp::LessEqual:
        return a <= b;
    case QueryOp::Greater:
        return a > b;
    case QueryOp::GreaterEqual:
        return a >= b;
    case QueryOp::Exists:
        return true;
    }
    return false;
}

bool matchesText(const QueryTest& test, std::string_view text)
{
    if (test.op == QueryOp::Contains)
        return containsFolded(text, test.folded);
    return (text == test.text) == (test.op == QueryOp::Equal);
}

bool matchesTextOfAnyCase(const QueryTest& test, std::string_view text)
{
    if (test.op == QueryOp::Contains)
        return containsFolded(text, test.folded);
    return equalsFolded(text, test.folded) == (test.op == QueryOp::Equal);
}

/// A number of the file that may be a text as well.
bool matchesId(const QueryTest& test, std::string_view id)
{
    if (test.number) {
        if (const auto number = parseInteger(id))
            return compare(test.op, *number, *test.number);
    }
    if (test.op == QueryOp::Contains || test.op == QueryOp::Equal || test.op == QueryOp::NotEqual)
        return matchesText(test, id);
    return false;
}

bool matchesArgText(const QueryTest& test, std::string_view text)
{
    if (test.op == QueryOp::Contains)
        return containsFolded(text, test.folded);
    if (text == test.text)
        return compare(test.op, 0, 0);
    if (test.number) {
        if (const auto number = parseInteger(text))
            return compare(test.op, *number, *test.number);
    }
    double real = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, real);
    if (test.real && error == std::errc{} && rest == end)
        return compare(test.op, real, *test.real);
    return test.op == QueryOp::NotEqual;
}

QueryAnswer answerOf(bool isMatch)
{
    return isMatch ? QueryAnswer::Yes : QueryAnswer::No;
}

bool isInAny(const std::vector<TimeRange>& ranges, int64_t ns)
{
    const auto after = std::ranges::upper_bound(ranges, ns, {}, &TimeRange::beginNs);
    return after != ranges.begin() && std::prev(after)->contains(ns);
}

} // namespace

struct QueryMatcher::Event {
    const ArgList* args = nullptr;
    uint32_t fileIndex = 0;
    const Lane* lane = nullptr; ///< null: a record
    SliceRef slice;
    const QueryRecord* record = nullptr;

    [[nodiscard]] NameId name() const { return lane ? lane->name(slice.index) : record->name; }
};

QueryMatcher::QueryMatcher(const Query& query, const TraceSnapshot& trace)
    : m_trace(trace)
    , m_root(query.root())
{
    if (m_root)
        collectTests(*m_root);
}

void QueryMatcher::collectTests(const QueryNode& node)
{
    for (const QueryNode& child : node.children)
        collectTests(child);
    if (node.kind != QueryNode::Kind::Test)
        return;
    if (m_caches.size() <= node.testIndex)
        m_caches.resize(node.testIndex + 1);
    TestCache& cache = m_caches[node.testIndex];
    if (node.test.field == QueryField::Name)
        cache.byName.assign(m_trace.strings().size(), -1);
    if (node.test.field == QueryField::Category) {
        for (const auto& file : m_trace.files())
            cache.byCategory.emplace_back(file->categories.size(), int8_t{-1});
    }
    if (node.test.field == QueryField::Step)
        cache.stepRanges = stepRangesOf(node.test);
}

std::vector<std::vector<TimeRange>> QueryMatcher::stepRangesOf(const QueryTest& test) const
{
    std::vector<std::vector<TimeRange>> byFile(m_trace.files().size());
    for (const StepMark& mark : profilerSteps(m_trace)) { // in order of start
        if (!mark.number || !compare(test.op, *mark.number, *test.number))
            continue;
        std::vector<TimeRange>& ranges = byFile[m_trace.lane(mark.slice.lane).fileIndex()];
        if (!ranges.empty() && mark.range.beginNs <= ranges.back().endNs)
            ranges.back().endNs = std::max(ranges.back().endNs, mark.range.endNs);
        else
            ranges.push_back(mark.range);
    }
    return byFile;
}

QueryAnswer QueryMatcher::matches(SliceRef slice, const ArgList* args)
{
    if (!m_root)
        return QueryAnswer::Yes;
    const Lane& lane = m_trace.lane(slice.lane);
    return answer(*m_root, {args, lane.fileIndex(), &lane, slice, nullptr});
}

namespace {

bool isOfNames(const QueryNode& node)
{
    if (node.kind == QueryNode::Kind::Test)
        return node.test.field == QueryField::Name;
    return std::ranges::all_of(node.children, isOfNames);
}

} // namespace

bool QueryMatcher::asksForNamesAlone() const
{
    return m_root && isOfNames(*m_root);
}

QueryAnswer QueryMatcher::askForName(NameId name)
{
    QueryRecord record;
    record.name = name;
    const QueryAnswer answer = matches(record);
    if (m_nameAnswers.empty())
        m_nameAnswers.assign(m_trace.strings().size(), -1);
    if (name.isValid() && name.value() < m_nameAnswers.size())
        m_nameAnswers[name.value()] = answer == QueryAnswer::Yes ? 1 : 0;
    return answer;
}

QueryAnswer QueryMatcher::matches(const QueryRecord& record, const ArgList* args)
{
    if (!m_root)
        return QueryAnswer::Yes;
    return answer(*m_root, {args, record.fileIndex, nullptr, {}, &record});
}

QueryAnswer QueryMatcher::answer(const QueryNode& node, const Event& event)
{
    switch (node.kind) {
    case QueryNode::Kind::Test:
        return answerTest(node, event);
    case QueryNode::Kind::Not: {
        const QueryAnswer inner = answer(node.children.front(), event);
        return inner == QueryAnswer::NeedsArgs ? inner : answerOf(inner == QueryAnswer::No);
    }
    case QueryNode::Kind::And:
    case QueryNode::Kind::Or:
        break;
    }
    const QueryAnswer decisive = node.kind == QueryNode::Kind::And ? QueryAnswer::No : QueryAnswer::Yes;
    QueryAnswer result = decisive == QueryAnswer::No ? QueryAnswer::Yes : QueryAnswer::No;
    for (const QueryNode& child : node.children) {
        const QueryAnswer one = answer(child, event);
        if (one == decisive)
            return one;
        if (one == QueryAnswer::NeedsArgs)
            result = one;
    }
    return result;
}

QueryAnswer QueryMatcher::answerTest(const QueryNode& node, const Event& event)
{
    const QueryTest& test = node.test;
    switch (test.field) {
    case QueryField::Name:
        return answerOf(matchesNameTest(node, event.name()));
    case QueryField::Category:
        return answerOf(matchesCategory(node, event));
    case QueryField::Kind:
        return answerOf(event.lane && matchesTextOfAnyCase(test, kindName(event.lane->kind(event.slice.index))));
    case QueryField::Device:
    case QueryField::Stream:
        return answerOf(matchesPlace(test, event));
    case QueryField::Process:
    case QueryField::Thread:
    case QueryField::File:
    case QueryField::Rank:
        return answerOf(matchesLane(node, event));
    case QueryField::Correlation:
    case QueryField::External:
        return matchesLinkId(test, event);
    case QueryField::Step: {
        const auto start = numberOf(QueryField::Start, event);
        return answerOf(start && isInAny(m_caches[node.testIndex].stepRanges[event.fileIndex], *start));
    }
    case QueryField::Arg: {
        if (!event.args)
            return QueryAnswer::NeedsArgs;
        const std::string* value = findArg(*event.args, test.argKey);
        return answerOf(value && (test.op == QueryOp::Exists || matchesArgText(test, *value)));
    }
    case QueryField::Duration:
    case QueryField::Start:
    case QueryField::End:
    case QueryField::SelfTime:
    case QueryField::Depth:
    case QueryField::Bytes:
    case QueryField::Unfinished:
        break;
    }
    const auto number = numberOf(test.field, event);
    return answerOf(number && compare(test.op, *number, *test.number));
}

bool QueryMatcher::matchesNameTest(const QueryNode& node, NameId name)
{
    if (!name.isValid())
        return matchesText(node.test, {});
    std::vector<int8_t>& known = m_caches[node.testIndex].byName;
    if (name.value() >= known.size()) // interned by another file since
        return matchesText(node.test, m_trace.text(name));
    int8_t& answer = known[name.value()];
    if (answer < 0)
        answer = matchesText(node.test, m_trace.text(name)) ? 1 : 0;
    return answer != 0;
}

bool QueryMatcher::matchesCategory(const QueryNode& node, const Event& event)
{
    if (!event.lane)
        return matchesTextOfAnyCase(node.test, event.record->category);
    const CategoryId category = event.lane->category(event.slice.index);
    if (!category.isValid())
        return matchesTextOfAnyCase(node.test, {});
    int8_t& answer = m_caches[node.testIndex].byCategory[event.fileIndex][category.value()];
    if (answer < 0)
        answer = matchesTextOfAnyCase(node.test, m_trace.categoryText(event.fileIndex, category)) ? 1 : 0;
    return answer != 0;
}

bool QueryMatcher::matchesLane(const QueryNode& node, const Event& event)
{
    const QueryTest& test = node.test;
    const FileInfo& info = m_trace.file(event.fileIndex).info;
    TestCache& cache = m_caches[node.testIndex];
    if (event.lane && cache.lane == event.slice.lane)
        return cache.laneAnswer;

    const auto matchesEither = [&](std::string_view id, std::string_view label) {
        if (test.op == QueryOp::NotEqual)
            return matchesId(test, id) && matchesId(test, label);
        return matchesId(test, id) || matchesId(test, label);
    };
    bool isMatch = false;
    switch (test.field) {
    case QueryField::Process:
        if (event.lane)
            isMatch = matchesEither(m_trace.pid(event.slice.lane), m_trace.groupOf(event.slice.lane).label);
        else
            isMatch = event.record->pid.isValid() && matchesId(test, m_trace.text(event.record->pid));
        break;
    case QueryField::Thread:
        if (event.lane)
            isMatch = matchesEither(m_trace.tid(event.slice.lane), m_trace.laneLabel(event.slice.lane));
        else
            isMatch = event.record->tid.isValid() && matchesId(test, m_trace.text(event.record->tid));
        break;
    case QueryField::File:
        if (test.number && test.op != QueryOp::Contains)
            isMatch = compare(test.op, int64_t{event.fileIndex}, *test.number);
        else
            isMatch = matchesText(test, info.path);
        break;
    default:
        isMatch = info.rank && compare(test.op, *info.rank, *test.number);
    }
    if (event.lane) {
        cache.lane = event.slice.lane;
        cache.laneAnswer = isMatch;
    }
    return isMatch;
}

bool QueryMatcher::matchesPlace(const QueryTest& test, const Event& event) const
{
    if (!event.lane)
        return test.field == QueryField::Device && !event.record->device.empty()
            && matchesId(test, event.record->device);
    if (!event.lane->isDevice())
        return false;
    if (test.field == QueryField::Device)
        return matchesId(test, m_trace.deviceOf(event.slice));
    return matchesId(test, m_trace.streamOf(event.slice));
}

std::optional<int64_t> QueryMatcher::numberOf(QueryField field, const Event& event)
{
    const bool isSlice = event.lane != nullptr;
    const uint32_t i = event.slice.index;
    switch (field) {
    case QueryField::Duration:
        return isSlice ? event.lane->durationNs(i) : event.record->durationNs;
    case QueryField::Start:
        return isSlice ? event.lane->startNs(i) : event.record->startNs;
    case QueryField::End:
        if (isSlice)
            return event.lane->endNs(i);
        if (!event.record->startNs)
            return std::nullopt;
        return addSaturated(*event.record->startNs, event.record->durationNs.value_or(0));
    case QueryField::SelfTime:
        return isSlice ? std::optional(selfTime(event)) : std::nullopt;
    case QueryField::Depth:
        return isSlice ? std::optional(int64_t{event.lane->depth(i)}) : std::nullopt;
    case QueryField::Bytes: {
        if (!isSlice)
            return event.record->bytes;
        const DeviceWork* work = event.lane->isDevice() ? m_trace.deviceWork(event.slice) : nullptr;
        return work && work->bytes != kNoValue ? std::optional(work->bytes) : std::nullopt;
    }
    case QueryField::Unfinished:
        if (!isSlice)
            return event.record->isUnfinished ? 1 : 0;
        return (event.lane->flags(i) & SliceUnfinished) != 0 ? 1 : 0;
    default:
        return std::nullopt;
    }
}

QueryAnswer QueryMatcher::matchesLinkId(const QueryTest& test, const Event& event) const
{
    if (!event.lane)
        return QueryAnswer::No;
    const bool isCorrelation = test.field == QueryField::Correlation;
    const uint32_t id
        = isCorrelation ? event.lane->correlation(event.slice.index) : event.lane->externalId(event.slice.index);
    if (id == 0)
        return QueryAnswer::No;
    if (id < kFirstStandIn)
        return answerOf(compare(test.op, int64_t{id}, *test.number));
    if (!event.args)
        return QueryAnswer::NeedsArgs;
    const std::string* value = findArg(*event.args, isCorrelation ? "correlation" : "External id");
    if (!value && !isCorrelation)
        value = findArg(*event.args, "external id");
    const auto number = value ? parseInteger(*value) : std::nullopt;
    return answerOf(number && compare(test.op, *number, *test.number));
}

int64_t QueryMatcher::selfTime(const Event& event)
{
    if (m_selfLane != event.slice.lane) {
        const Lane& lane = *event.lane;
        m_selfLane = event.slice.lane;
        m_selfNs.resize(lane.size());
        for (uint32_t i = 0; i < lane.size(); ++i)
            m_selfNs[i] = lane.durationNs(i);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            if (lane.parent(i) != kNoSlice)
                m_selfNs[lane.parent(i)] = subSaturated(m_selfNs[lane.parent(i)], lane.durationNs(i));
        }
    }
    return std::max<int64_t>(m_selfNs[event.slice.index], 0);
}

} // namespace torchline
