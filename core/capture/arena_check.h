#pragma once
// ArenaCheck: walks what a segment's arena says, entry after entry, and believes none of it. Used by the reader, which
// stops at the first entry that is wrong, and by whatever reads a spool.
// Thread: one.

#include "capture/wire/segment.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>

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

/// How many ids of each kind an arena has given out.
class ArenaCheck {
public:
    /// Null if the entry is as it should be, which is counted; else what is wrong.
    [[nodiscard]] const char* accept(const ArenaItem& item)
    {
        switch (item.head.kind()) {
        case wire::ArenaKind::Name:
            return acceptId(m_names, item.head.id, wire::kMaxStrings);
        case wire::ArenaKind::Shapes:
            if (const char* fault = acceptId(m_shapes, item.head.id, wire::kMaxShapes))
                return fault;
            return shapesFault(item.bytes);
        default:
            return nullptr;
        }
    }

    [[nodiscard]] uint32_t names() const { return m_names; }
    [[nodiscard]] uint32_t shapes() const { return m_shapes; }

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

    uint32_t m_names = 0;
    uint32_t m_shapes = 0;
};

} // namespace torchline
