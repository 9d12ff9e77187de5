#include "peers.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <simdjson.h>

namespace torchline::bench {

namespace {

using namespace simdjson;

constexpr size_t kWindow = size_t{4} << 20;

class Interner {
public:
    uint32_t id(std::string_view text)
    {
        if (text == m_last)
            return m_lastId;
        const auto [found, isNew] = m_ids.try_emplace(text, static_cast<uint32_t>(m_ids.size()));
        if (isNew) {
            auto node = m_ids.extract(found);
            node.key() = m_texts.emplace_back(text);
            m_last = node.key();
            m_lastId = node.mapped();
            m_ids.insert(std::move(node));
        } else {
            m_last = found->first;
            m_lastId = found->second;
        }
        return m_lastId;
    }
    [[nodiscard]] size_t size() const { return m_ids.size(); }

private:
    std::deque<std::string> m_texts;
    std::unordered_map<std::string_view, uint32_t> m_ids;
    std::string_view m_last = "\n"; ///< no text of a file is that
    uint32_t m_lastId = 0;
};

struct Columns {
    std::vector<int64_t> startNs;
    std::vector<int64_t> durationNs;
    std::vector<uint32_t> name;
    std::vector<uint16_t> category;
    std::vector<uint8_t> kind;
    std::vector<uint8_t> flags;
    std::vector<uint32_t> externalId;
    std::vector<uint32_t> correlation;
    std::vector<uint64_t> offset;
    std::vector<uint32_t> parent;
    std::vector<uint16_t> depth;
};

struct Flow {
    int64_t timeNs;
    uint64_t id;
    uint64_t offset;
    uint32_t lane;
    uint32_t name;
    uint16_t category;
    char phase;
    bool bindsEnclosing;
};

struct Memory {
    int64_t timeNs;
    int64_t bytes;
    uint64_t address;
    int64_t allocated;
    int64_t reserved;
    uint64_t offset;
    uint32_t name;
    uint32_t lane;
    int32_t deviceType;
    int32_t deviceId;
};

struct Work {
    uint64_t offset;
    int64_t bytes;
    uint32_t device;
    uint32_t stream;
    int32_t occupancy;
};

std::string_view trimmed(std::string_view token)
{
    while (
        !token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
        token.remove_suffix(1);
    return token;
}

/// Without the quotes of a text.
std::string_view bare(std::string_view token)
{
    token = trimmed(token);
    return token.size() >= 2 && token.front() == '"' ? token.substr(1, token.size() - 2) : token;
}

/// Exact, as long as there are no more than three decimals and no exponent: generated files have neither.
int64_t nanoseconds(std::string_view token)
{
    const char* p = token.data();
    const char* end = p + token.size();
    const bool isNegative = *p == '-';
    p += isNegative ? 1 : 0;
    int64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; ++p)
        value = value * 10 + (*p - '0');
    int decimals = 0;
    if (p < end && *p == '.') {
        for (++p; decimals < 3 && p < end && *p >= '0' && *p <= '9'; ++p, ++decimals)
            value = value * 10 + (*p - '0');
    }
    for (; decimals < 3; ++decimals)
        value *= 10;
    return isNegative ? -value : value;
}

int64_t integer(ondemand::value value)
{
    int64_t number = 0;
    return value.get_int64().get(number) == SUCCESS ? number : 0;
}

class Reader {
public:
    bool read(const char* path)
    {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            return false;
        m_buffer.resize(2 * kWindow + SIMDJSON_PADDING);
        const bool isRead = readWindows(file);
        close(file);
        for (Columns& lane : m_lanes)
            finish(lane);
        uint64_t slices = 0;
        for (const Columns& lane : m_lanes)
            slices += lane.startNs.size();
        std::printf("slices %llu\nevents %llu\nnames %zu\n", static_cast<unsigned long long>(slices),
            static_cast<unsigned long long>(m_events), m_texts.size());
        return isRead && slices > 0;
    }

private:
    /// Each window is cut behind its last whole event and read as a list of its own.
    bool readWindows(int file)
    {
        constexpr std::string_view kKey = "\"traceEvents\": [";
        constexpr std::string_view kJoint = "\n  },\n";
        constexpr std::string_view kLast = "\n  ],";
        size_t kept = 0;
        off_t at = 0;
        bool isInList = false;
        for (;;) {
            char* data = m_buffer.data() + 1;
            const ssize_t got = pread(file, data + kept, kWindow, at + static_cast<off_t>(kept));
            if (got < 0)
                return false;
            const size_t size = kept + static_cast<size_t>(got);
            size_t begin = 0;
            if (!isInList) {
                const size_t key = std::string_view(data, size).find(kKey);
                if (key == std::string_view::npos)
                    return false;
                begin = key + kKey.size();
                isInList = true;
            }
            const std::string_view window(data + begin, size - begin);
            size_t end = window.rfind(kJoint);
            bool isLast = false;
            if (got < static_cast<ssize_t>(kWindow)) {
                end = window.rfind(kLast);
                isLast = true;
            }
            if (end == std::string_view::npos)
                return false;
            const size_t stop = begin + end + (isLast ? 0 : kJoint.size() - 2); // place of the comma, or behind all
            if (!readList(begin, stop, static_cast<uint64_t>(at)))
                return false;
            if (isLast)
                return true;
            kept = size - stop - 1;
            std::memmove(data, data + stop + 1, kept);
            at += static_cast<off_t>(stop) + 1;
        }
    }

    bool readList(size_t begin, size_t stop, uint64_t at)
    {
        char* data = m_buffer.data() + 1;
        const char before = data[static_cast<ptrdiff_t>(begin) - 1];
        const char behind = data[stop];
        data[static_cast<ptrdiff_t>(begin) - 1] = '[';
        data[stop] = ']';
        m_origin = data;
        m_at = at;
        ondemand::document list;
        ondemand::array events;
        bool isGood
            = m_parser.iterate(data + begin - 1, stop - begin + 2, stop - begin + 2 + SIMDJSON_PADDING).get(list)
                == SUCCESS
            && list.get_array().get(events) == SUCCESS;
        if (isGood) {
            for (auto event : events) {
                ondemand::object object;
                isGood = event.get_object().get(object) == SUCCESS && readEvent(object);
                if (!isGood)
                    break;
            }
        }
        data[static_cast<ptrdiff_t>(begin) - 1] = before;
        data[stop] = behind;
        return isGood;
    }

    struct Event {
        std::string_view name;
        std::string_view category;
        std::string_view pid;
        std::string_view tid;
        uint64_t offset = 0;
        uint64_t id = 0;
        int64_t startNs = 0;
        int64_t durationNs = 0;
        char phase = 0;
        bool bindsEnclosing = false;
        bool hasWork = false;
        uint32_t externalId = 0;
        uint32_t correlation = 0;
        std::string_view device;
        std::string_view stream;
        int64_t occupancy = -1;
        int64_t bytes = 0;
        Memory memory{};
    };

    bool readEvent(ondemand::object object)
    {
        Event event;
        bool isFirst = true;
        for (auto field : object) {
            ondemand::raw_json_string rawKey;
            if (field.key().get(rawKey) != SUCCESS)
                return false;
            const char* key = rawKey.raw();
            if (isFirst)
                event.offset = m_at + static_cast<uint64_t>(key - m_origin);
            isFirst = false;
            ondemand::value value;
            if (field.value().get(value) != SUCCESS)
                return false;
            const auto is = [&](std::string_view expected) {
                return std::memcmp(key, expected.data(), expected.size()) == 0 && key[expected.size()] == '"';
            };
            if (is("ph"))
                event.phase = bare(value.raw_json_token()).front();
            else if (is("name"))
                event.name = bare(value.raw_json_token());
            else if (is("cat"))
                event.category = bare(value.raw_json_token());
            else if (is("pid"))
                event.pid = bare(value.raw_json_token());
            else if (is("tid"))
                event.tid = bare(value.raw_json_token());
            else if (is("ts"))
                event.startNs = nanoseconds(value.raw_json_token());
            else if (is("dur"))
                event.durationNs = nanoseconds(value.raw_json_token());
            else if (is("id"))
                event.id = static_cast<uint64_t>(integer(value));
            else if (is("bp"))
                event.bindsEnclosing = bare(value.raw_json_token()) == "e";
            else if (is("args") && !readArgs(value, event))
                return false;
        }
        ++m_events;
        store(event);
        return true;
    }

    static bool readArgs(ondemand::value args, Event& event)
    {
        ondemand::object object;
        if (args.get_object().get(object) != SUCCESS)
            return false;
        for (auto field : object) {
            ondemand::raw_json_string rawKey;
            if (field.key().get(rawKey) != SUCCESS)
                return false;
            const char* key = rawKey.raw();
            ondemand::value value;
            if (field.value().get(value) != SUCCESS)
                return false;
            const auto is = [&](std::string_view expected) {
                return std::memcmp(key, expected.data(), expected.size()) == 0 && key[expected.size()] == '"';
            };
            switch (*key) {
            case 'E':
                if (is("External id"))
                    event.externalId = static_cast<uint32_t>(integer(value));
                break;
            case 'c':
                if (is("correlation"))
                    event.correlation = static_cast<uint32_t>(integer(value));
                break;
            case 'd':
                if (is("device")) {
                    event.device = bare(value.raw_json_token());
                    event.hasWork = true;
                }
                break;
            case 's':
                if (is("stream"))
                    event.stream = bare(value.raw_json_token());
                break;
            case 'b':
                if (is("bytes"))
                    event.bytes = integer(value);
                break;
            case 'e':
                if (is("est. achieved occupancy %"))
                    event.occupancy = integer(value);
                break;
            case 'B':
                if (is("Bytes"))
                    event.memory.bytes = integer(value);
                break;
            case 'A':
                if (is("Addr"))
                    event.memory.address = static_cast<uint64_t>(integer(value));
                break;
            case 'D':
                if (is("Device Id"))
                    event.memory.deviceId = static_cast<int32_t>(integer(value));
                else if (is("Device Type"))
                    event.memory.deviceType = static_cast<int32_t>(integer(value));
                break;
            case 'T':
                if (is("Total Allocated"))
                    event.memory.allocated = integer(value);
                else if (is("Total Reserved"))
                    event.memory.reserved = integer(value);
                break;
            default:
                break;
            }
        }
        return true;
    }

    void store(Event& event)
    {
        const uint32_t name = m_texts.id(event.name);
        const auto category = static_cast<uint16_t>(m_categories.id(event.category));
        const uint32_t lane = laneOf(event);
        switch (event.phase) {
        case 'X': {
            Columns& columns = m_lanes[lane];
            columns.startNs.push_back(event.startNs);
            columns.durationNs.push_back(event.durationNs);
            columns.name.push_back(name);
            columns.category.push_back(category);
            columns.kind.push_back(static_cast<uint8_t>(category));
            columns.flags.push_back(0);
            columns.externalId.push_back(event.externalId);
            columns.correlation.push_back(event.correlation);
            columns.offset.push_back(event.offset);
            if (event.hasWork)
                m_work.push_back({event.offset, event.bytes, m_ids.id(event.device), m_ids.id(event.stream),
                    static_cast<int32_t>(event.occupancy)});
            break;
        }
        case 's':
        case 'f':
            m_flows.push_back(
                {event.startNs, event.id, event.offset, lane, name, category, event.phase, event.bindsEnclosing});
            break;
        case 'i':
            event.memory.timeNs = event.startNs;
            event.memory.offset = event.offset;
            event.memory.name = name;
            event.memory.lane = lane;
            m_memory.push_back(event.memory);
            break;
        default:
            break;
        }
    }

    uint32_t laneOf(const Event& event)
    {
        const uint64_t key = uint64_t{m_pids.id(event.pid)} << 32 | m_tids.id(event.tid);
        if (key != m_lastKey) {
            const auto [found, isNew] = m_laneOf.try_emplace(key, static_cast<uint32_t>(m_lanes.size()));
            if (isNew)
                m_lanes.emplace_back();
            m_lastKey = key;
            m_lastLane = found->second;
        }
        return m_lastLane;
    }

    template <typename T> static void permute(std::vector<T>& column, const std::vector<uint32_t>& order)
    {
        std::vector<T> ordered;
        ordered.reserve(column.size());
        for (const uint32_t i : order)
            ordered.push_back(column[i]);
        column = std::move(ordered);
    }

    static void finish(Columns& lane)
    {
        const auto size = static_cast<uint32_t>(lane.startNs.size());
        std::vector<uint32_t> order(size);
        std::iota(order.begin(), order.end(), 0U);
        const auto isBefore = [&](uint32_t a, uint32_t b) {
            if (lane.startNs[a] != lane.startNs[b])
                return lane.startNs[a] < lane.startNs[b];
            if (lane.durationNs[a] != lane.durationNs[b])
                return lane.durationNs[a] > lane.durationNs[b];
            return lane.offset[a] < lane.offset[b];
        };
        if (!std::is_sorted(order.begin(), order.end(), isBefore)) {
            std::sort(order.begin(), order.end(), isBefore);
            permute(lane.startNs, order);
            permute(lane.durationNs, order);
            permute(lane.name, order);
            permute(lane.category, order);
            permute(lane.kind, order);
            permute(lane.flags, order);
            permute(lane.externalId, order);
            permute(lane.correlation, order);
            permute(lane.offset, order);
        }
        lane.parent.resize(size);
        lane.depth.resize(size);
        std::vector<uint32_t> open;
        for (uint32_t i = 0; i < size; ++i) {
            const int64_t end = lane.startNs[i] + lane.durationNs[i];
            while (!open.empty()) {
                const int64_t openEnd = lane.startNs[open.back()] + lane.durationNs[open.back()];
                if (openEnd > lane.startNs[i] && openEnd >= end)
                    break;
                open.pop_back();
            }
            lane.parent[i] = open.empty() ? ~uint32_t{0} : open.back();
            open.push_back(i);
            lane.depth[i] = static_cast<uint16_t>(open.size());
        }
    }

    ondemand::parser m_parser;
    std::vector<char> m_buffer;
    const char* m_origin = nullptr;
    uint64_t m_at = 0;
    uint64_t m_events = 0;
    Interner m_texts;
    Interner m_categories;
    Interner m_pids;
    Interner m_tids;
    Interner m_ids;
    std::map<uint64_t, uint32_t> m_laneOf;
    uint64_t m_lastKey = ~uint64_t{0};
    uint32_t m_lastLane = 0;
    std::deque<Columns> m_lanes;
    std::vector<Flow> m_flows;
    std::vector<Memory> m_memory;
    std::vector<Work> m_work;
};

} // namespace

bool readSimdjson(const std::string& path)
{
    auto* reader = new Reader; // never taken apart: the process ends without
    return reader->read(path.c_str());
}

} // namespace torchline::bench
