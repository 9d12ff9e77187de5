#include "import/scan/value_capture.h"

#include "import/scan/json_bytes.h"
#include "import/scan/json_text.h"

namespace torchline {

namespace {

constexpr size_t kMostRaw = kMostValueBytes * 6; ///< as long as a text can be that decodes to kMostValueBytes

bool isStructure(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ':';
}

} // namespace

/// Complete here means: c does not belong to the value any more, or was its last byte (a bracket or quote).
ValueCapture::State ValueCapture::step(char c)
{
    if (m_kind == Kind::Unknown) {
        if (c == '"') {
            m_kind = Kind::String;
            m_inString = true;
        } else if (c == '[' || c == '{') {
            m_kind = Kind::Nested;
            m_depth = 1;
        } else {
            m_kind = Kind::Bare;
        }
        return State::Running;
    }
    if (m_inString) {
        if (m_isEscaped) {
            m_isEscaped = false;
        } else if (c == '\\') {
            m_isEscaped = true;
        } else if (c == '"') {
            m_inString = false;
            m_afterString = true;
            return m_kind == Kind::String ? State::Complete : State::Running;
        }
        return State::Running;
    }
    if (isBlank(c))
        return State::Running;
    if (m_afterString && !isStructure(c))
        return State::Damaged;
    m_afterString = false;
    if (c == '"')
        m_inString = true;
    else if (c == '[' || c == '{')
        ++m_depth;
    else if ((c == ']' || c == '}') && --m_depth == 0)
        return State::Complete;
    return State::Running;
}

ValueCapture::State ValueCapture::feed(std::string_view piece, size_t& used)
{
    used = 0;
    for (const char c : piece) {
        if (m_kind == Kind::Bare || (m_kind == Kind::Unknown && c != '"' && c != '[' && c != '{')) {
            // Ends before what follows it.
            m_kind = Kind::Bare;
            if (isStructure(c) || isBlank(c) || c == '"')
                return State::Complete;
        }
        const State state = step(c);
        if (state == State::Damaged)
            return state;
        ++used;
        ++m_bytes;
        if (m_raw.size() < kMostRaw)
            m_raw += c;
        else
            m_isCut = true;
        if (state == State::Complete)
            return state;
    }
    return State::Running;
}

std::string ValueCapture::shown() const
{
    if (m_kind != Kind::String)
        return shownValue(m_raw, m_isCut);
    std::string_view raw = m_raw;
    raw.remove_prefix(1);
    if (!m_isCut && !m_inString)
        raw.remove_suffix(1);
    return shownString(raw, m_isCut);
}

} // namespace torchline
