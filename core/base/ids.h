#pragma once
// Typed ids: 32-bit (or 16-bit) indexes that cannot be mixed up. A default-made id is invalid.
// Thread: values.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace torchline {

template <typename Tag, typename Rep> class TypedId {
public:
    static constexpr Rep kInvalid = std::numeric_limits<Rep>::max();

    constexpr TypedId() = default;
    constexpr explicit TypedId(Rep value)
        : m_value(value)
    {
    }

    [[nodiscard]] constexpr Rep value() const { return m_value; }
    [[nodiscard]] constexpr bool isValid() const { return m_value != kInvalid; }
    friend constexpr auto operator<=>(TypedId, TypedId) = default;

private:
    Rep m_value = kInvalid;
};

/// A text of the session's StringPool.
using NameId = TypedId<struct NameTag, uint32_t>;
/// A category text of one TraceSnapshot or FileStore (see FileStore::categories()).
using CategoryId = TypedId<struct CategoryTag, uint16_t>;
/// A lane of one TraceSnapshot (all files counted through).
using LaneId = TypedId<struct LaneTag, uint32_t>;

/// One slice of a TraceSnapshot: its lane and its place in the lane's order (start, then longer first, then file
/// order).
struct SliceRef {
    LaneId lane;
    uint32_t index = 0;

    [[nodiscard]] constexpr bool isValid() const { return lane.isValid(); }
    friend constexpr auto operator<=>(SliceRef, SliceRef) = default;
};

} // namespace torchline

template <typename Tag, typename Rep> struct std::hash<torchline::TypedId<Tag, Rep>> {
    size_t operator()(torchline::TypedId<Tag, Rep> id) const noexcept { return std::hash<Rep>()(id.value()); }
};
template <> struct std::hash<torchline::SliceRef> {
    size_t operator()(torchline::SliceRef ref) const noexcept
    {
        return std::hash<uint64_t>()(uint64_t{ref.lane.value()} << 32 | ref.index);
    }
};
