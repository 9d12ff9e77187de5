#pragma once
// ArenaCheck: walks what a segment's arena says, entry after entry, and believes none of it. Used by the reader, which
// stops at the first entry that is wrong, and by whatever reads a spool.
// Thread: one.

#include "capture/record_check.h"
#include "capture/wire/segment.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace torchline {

struct ArenaItem {
    wire::ArenaEntry head{};
    std::span<const std::byte> bytes;
};

/// Takes the entry at the beginning of `rest` off it; nothing if it is not whole.
[[nodiscard]] inline std::optional<ArenaItem> takeArenaItem(std::span<const std::byte>& rest)
{
    ArenaItem item;
    if (rest.size() < sizeof(item.head))
        return std::nullopt;
    std::memcpy(&item.head, rest.data(), sizeof(item.head));
    const size_t padded = sizeof(item.head) + (size_t{item.head.bytes()} + 7) / 8 * 8;
    if (padded > rest.size())
        return std::nullopt;
    item.bytes = rest.subspan(sizeof(item.head), item.head.bytes());
    rest = rest.subspan(padded);
    return item;
}

/// One input of an operator; sizes are copied out, since they may lie at any address.
struct ShapeItem {
    wire::InputShape head{};
    std::array<int64_t, wire::kMaxRank> sizes{};
};

/// Takes the first input off the bytes of a Shapes entry; nothing if it is not whole or its rank is too large.
[[nodiscard]] inline std::optional<ShapeItem> takeShapeItem(std::span<const std::byte>& rest)
{
    ShapeItem item;
    if (rest.size() < sizeof(item.head))
        return std::nullopt;
    std::memcpy(&item.head, rest.data(), sizeof(item.head));
    const size_t sizeBytes = size_t{item.head.rank} * sizeof(int64_t);
    if (item.head.rank > wire::kMaxRank || rest.size() - sizeof(item.head) < sizeBytes)
        return std::nullopt;
    if (sizeBytes > 0)
        std::memcpy(item.sizes.data(), rest.data() + sizeof(item.head), sizeBytes);
    rest = rest.subspan(sizeof(item.head) + sizeBytes);
    return item;
}

/// A file that lies in the process.
struct ModuleItem {
    wire::Module place{};
    std::string_view path; ///< of the bytes that it was read from
};

/// The bytes of a Module entry; nothing if they make no sense.
[[nodiscard]] inline std::optional<ModuleItem> readModuleItem(std::span<const std::byte> bytes)
{
    ModuleItem item;
    if (bytes.size() <= sizeof(item.place) || bytes.size() > sizeof(item.place) + wire::kMaxPathBytes)
        return std::nullopt;
    std::memcpy(&item.place, bytes.data(), sizeof(item.place));
    const std::span<const std::byte> path = bytes.subspan(sizeof(item.place));
    item.path = {reinterpret_cast<const char*>(path.data()), path.size()};
    if (item.place.begin >= item.place.end || item.path.find('\0') != std::string_view::npos)
        return std::nullopt;
    return item;
}

/// How many ids of each kind an arena has given out.
class ArenaCheck {
public:
    /// Null if the entry is as it should be, which is counted; else what is wrong.
    [[nodiscard]] const char* accept(const ArenaItem& item)
    {
        switch (item.head.kind()) {
        case wire::ArenaKind::Name:
            return acceptId(m_ids.names, item.head.id, wire::kMaxStrings);
        case wire::ArenaKind::Shapes:
            if (const char* fault = acceptId(m_ids.shapes, item.head.id, wire::kMaxShapes))
                return fault;
            return shapesFault(item.bytes);
        case wire::ArenaKind::Stack:
            if (item.bytes.empty() || item.bytes.size() % sizeof(uint64_t) != 0
                || item.bytes.size() > wire::kMaxStackFrames * sizeof(uint64_t))
                return "a stack in the arena has an impossible length";
            return acceptId(m_ids.stacks, item.head.id, wire::kMaxStacks);
        case wire::ArenaKind::Module:
            if (!readModuleItem(item.bytes))
                return "a module in the arena makes no sense";
            return acceptId(m_modules, item.head.id, wire::kMaxModules);
        default:
            return nullptr;
        }
    }

    [[nodiscard]] const ArenaIds& ids() const { return m_ids; }

private:
    static const char* acceptId(uint32_t& count, uint32_t id, uint32_t most)
    {
        if (id != count + 1 || id > most)
            return "ids of the arena do not follow each other";
        count = id;
        return nullptr;
    }

    static const char* shapesFault(std::span<const std::byte> rest)
    {
        for (uint32_t inputs = 0; !rest.empty(); ++inputs) {
            if (inputs == wire::kMaxInputs || !takeShapeItem(rest))
                return "shapes in the arena make no sense";
        }
        return nullptr;
    }

    ArenaIds m_ids;
    uint32_t m_modules = 0;
};

} // namespace torchline
