#pragma once
// FlowId: the id of a flow event as the file has it. Nearly all ids of a trace are different numbers, so a number is
// kept as one and makes no text of the pool; any other id is a text. Thread: values.

#include "base/ids.h"

#include <compare>
#include <cstdint>
#include <string>

namespace torchline {

class StringPool;

class FlowId {
public:
    static constexpr uint64_t kNumbers = uint64_t{1} << 63; ///< larger numbers are texts

    constexpr FlowId() = default; ///< none
    /// Below kNumbers.
    [[nodiscard]] static constexpr FlowId ofNumber(uint64_t number) { return FlowId(number); }
    /// The text of a number, written without anything else, is that number: "5" and 5 are one id.
    [[nodiscard]] static FlowId ofText(NameId text, const StringPool& pool);

    [[nodiscard]] constexpr bool isValid() const { return m_bits != kNone; }
    [[nodiscard]] constexpr bool isNumber() const { return m_bits < kNumbers; }
    [[nodiscard]] constexpr uint64_t number() const { return m_bits; } ///< if it is one
    [[nodiscard]] std::string text(const StringPool& pool) const; ///< empty for none
    [[nodiscard]] constexpr uint64_t sortKey() const { return m_bits; }
    friend constexpr auto operator<=>(FlowId, FlowId) = default;

private:
    static constexpr uint64_t kNone = ~uint64_t{0};

    constexpr explicit FlowId(uint64_t bits)
        : m_bits(bits)
    {
    }

    uint64_t m_bits = kNone; ///< a number, kNumbers | NameId of a text, kNone
};

} // namespace torchline
