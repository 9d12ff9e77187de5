#pragma once
// ValueCapture: one JSON value of any size, taken piece by piece while the text is read through a window, of which only
// the beginning is kept.
// Thread: one. Cost: a step a byte; memory bounded.

#include <cstdint>
#include <string>
#include <string_view>

namespace torchline {

class ValueCapture {
public:
    enum class State : uint8_t { Running, Complete, Damaged };

    /// Takes from the piece what belongs to the value; `used`: how many bytes those are.
    State feed(std::string_view piece, size_t& used);
    /// As ArgList has it.
    [[nodiscard]] std::string shown() const;
    /// Where the fault was noticed, counted from the first byte of the value.
    [[nodiscard]] uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] bool isNull() const { return m_raw == "null"; }

private:
    enum class Kind : uint8_t { Unknown, String, Bare, Nested };

    State step(char c);

    Kind m_kind = Kind::Unknown;
    uint64_t m_depth = 0;
    bool m_inString = false;
    bool m_isEscaped = false;
    bool m_afterString = false; ///< inside of brackets: only , : ] } and blanks may come
    bool m_isCut = false;
    uint64_t m_bytes = 0;
    std::string m_raw;
};

} // namespace torchline
