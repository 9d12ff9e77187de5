#pragma once
// Result<T>: a value or an Error; the only way in which core reports failures.
// Thread: values. No exception crosses a module border; foreign throws are caught where they are called.

#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace torchline {

enum class ErrorCode {
    Io, ///< the operating system refused: missing, unreadable, disk full
    Format, ///< the bytes are not what they should be
    Unsupported, ///< recognised, but nothing here reads it
    Usage, ///< the caller asked for something that makes no sense (command line, filter text)
    Limit, ///< too large for this machine or for a documented limit
    Cancelled,
};

/// What failed, as one sentence for the user without a final stop; context is added on the way up: "outer: inner".
class [[nodiscard]] Error {
public:
    Error(ErrorCode code, std::string message)
        : m_code(code)
        , m_message(std::move(message))
    {
    }

    [[nodiscard]] ErrorCode code() const { return m_code; }
    [[nodiscard]] const std::string& message() const { return m_message; }
    /// The same error, told from further out: "context: message".
    [[nodiscard]] Error within(std::string_view context) const
    {
        return Error(m_code, std::string(context) + ": " + m_message);
    }

private:
    ErrorCode m_code;
    std::string m_message;
};

/// Unlike tl::expected itself, ignoring one is a warning.
template <typename T> class [[nodiscard]] Result : public tl::expected<T, Error> {
public:
    using tl::expected<T, Error>::expected;
    Result(Error error)
        : tl::expected<T, Error>(tl::make_unexpected(std::move(error)))
    {
    }
};

using Status = Result<void>;

} // namespace torchline
