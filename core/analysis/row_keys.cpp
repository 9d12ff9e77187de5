#include "analysis/row_keys.h"

#include <algorithm>

namespace torchline {

namespace {

uint64_t hashOf(uint64_t pair)
{
    pair = (pair ^ (pair >> 32)) * 0x9e3779b97f4a7c15u;
    return pair ^ (pair >> 29);
}

} // namespace

uint32_t PairNumbers::of(uint32_t a, uint32_t b)
{
    if (size_t{m_size} * 2 >= m_slots.size())
        grow();
    const uint64_t pair = uint64_t{a} << 32 | b;
    const size_t mask = m_slots.size() - 1;
    for (size_t at = hashOf(pair) & mask;; at = (at + 1) & mask) {
        Slot& slot = m_slots[at];
        if (slot.number == 0) {
            slot = {pair, ++m_size};
            return m_size - 1;
        }
        if (slot.pair == pair)
            return slot.number - 1;
    }
}

void PairNumbers::grow()
{
    const std::vector<Slot> old = std::move(m_slots);
    m_slots.assign(std::max<size_t>(64, old.size() * 2), {});
    const size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old) {
        if (slot.number == 0)
            continue;
        size_t at = hashOf(slot.pair) & mask;
        while (m_slots[at].number != 0)
            at = (at + 1) & mask;
        m_slots[at] = slot;
    }
}

RowKeys::RowKeys(const TraceSnapshot& trace, const std::vector<GroupKey>& groupBy)
    : m_trace(trace)
    , m_groupBy(groupBy)
    , m_texts(std::make_shared<StringPool>())
    , m_values(groupBy.size(), m_texts->intern({}))
    , m_chain(groupBy.size())
{
}

RowKeys::RowKeys(const RowKeys& before, const TraceSnapshot& trace)
    : m_trace(trace)
    , m_groupBy(before.m_groupBy)
    , m_texts(before.m_texts)
    , m_values(before.m_values)
    , m_names(before.m_names)
    , m_chain(before.m_chain)
{
}

bool RowKeys::has(GroupKey key) const
{
    return std::find(m_groupBy.begin(), m_groupBy.end(), key) != m_groupBy.end();
}

void RowKeys::set(GroupKey key, NameId text)
{
    for (size_t i = 0; i < m_groupBy.size(); ++i) {
        if (m_groupBy[i] == key)
            m_values[i] = text;
    }
}

void RowKeys::set(GroupKey key, std::string_view text)
{
    if (has(key))
        set(key, textId(text));
}

/// The path as given; archives with several traces need the member too.
std::string RowKeys::fileText(uint32_t fileIndex) const
{
    const FileInfo& info = m_trace.file(fileIndex).info;
    const auto isSame = [&](const auto& file) { return file->info.path == info.path; };
    if (info.member && std::count_if(m_trace.files().begin(), m_trace.files().end(), isSame) > 1)
        return info.path + "/" + *info.member;
    return info.path;
}

void RowKeys::enterFile(uint32_t fileIndex)
{
    set(GroupKey::Thread, std::string_view());
    set(GroupKey::Process, std::string_view());
    if (has(GroupKey::File))
        set(GroupKey::File, fileText(fileIndex));
    const auto& rank = m_trace.file(fileIndex).info.rank;
    set(GroupKey::Rank, rank ? std::to_string(*rank) : std::string());
}

void RowKeys::enterLane(LaneId lane)
{
    if (m_groupBy.empty())
        return;
    enterFile(m_trace.lane(lane).fileIndex());
    set(GroupKey::Thread, m_trace.tid(lane));
    set(GroupKey::Process, m_trace.pid(lane));
}

uint32_t RowKeys::rowOf(NameId name, uint32_t kind)
{
    uint32_t number = m_names.of(name.value(), kind);
    for (size_t i = 0; i < m_values.size(); ++i)
        number = m_chain[i].of(number, m_values[i].value());
    return number;
}

std::vector<std::string> RowKeys::texts() const
{
    std::vector<std::string> texts;
    texts.reserve(m_values.size());
    for (const NameId value : m_values)
        texts.emplace_back(m_texts->text(value));
    return texts;
}

} // namespace torchline
