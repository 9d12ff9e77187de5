#include "agent/messages.h"

#include <cstdio>
#include <cstring>

namespace torchline::agent {
namespace {

/// Bytes of the UTF-8 character at `text`; 0 if there is none.
size_t characterBytes(const unsigned char* text, size_t count)
{
    const unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    const size_t length = lead >= 0xC2 && lead < 0xE0 ? 2
        : lead >= 0xE0 && lead < 0xF0                 ? 3
        : lead >= 0xF0 && lead < 0xF5                 ? 4
                                                      : 0;
    if (length == 0 || length > count)
        return 0;
    for (size_t i = 1; i < length; ++i) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    }
    const bool overlong = (lead == 0xE0 && text[1] < 0xA0) || (lead == 0xF0 && text[1] < 0x90);
    const bool surrogate = lead == 0xED && text[1] >= 0xA0;
    const bool beyond = lead == 0xF4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

} // namespace

JsonObject::JsonObject(char* text, size_t room)
    : m_text(text)
    , m_room(room)
{
    put('{');
}

void JsonObject::put(char c)
{
    if (m_count < m_room)
        m_text[m_count++] = c;
    else
        m_fits = false;
}

void JsonObject::put(const char* text)
{
    for (; *text != '\0'; ++text)
        put(*text);
}

void JsonObject::key(const char* name)
{
    if (!m_first)
        put(',');
    m_first = false;
    put('"');
    put(name);
    put("\":");
}

void JsonObject::quoted(const char* value, size_t count)
{
    put('"');
    for (size_t i = 0; i < count;) {
        const auto c = static_cast<unsigned char>(value[i]);
        const size_t bytes = characterBytes(reinterpret_cast<const unsigned char*>(value) + i, count - i);
        if (bytes == 0) {
            put("\\ufffd");
            ++i;
            continue;
        }
        if (c == '"' || c == '\\') {
            put('\\');
            put(value[i]);
        } else if (c < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
            put(escaped);
        } else {
            for (size_t b = 0; b < bytes; ++b)
                put(value[i + b]);
        }
        i += bytes;
    }
    put('"');
}

JsonObject& JsonObject::text(const char* name, const char* value)
{
    return text(name, value, std::strlen(value));
}

JsonObject& JsonObject::text(const char* name, const char* value, size_t count)
{
    key(name);
    quoted(value, count);
    return *this;
}

JsonObject& JsonObject::number(const char* name, int64_t value)
{
    key(name);
    char digits[24];
    std::snprintf(digits, sizeof(digits), "%lld", static_cast<long long>(value));
    put(digits);
    return *this;
}

JsonObject& JsonObject::boolean(const char* name, bool value)
{
    key(name);
    put(value ? "true" : "false");
    return *this;
}

JsonObject& JsonObject::beginObject(const char* name)
{
    key(name);
    put('{');
    m_first = true;
    return *this;
}

JsonObject& JsonObject::endObject()
{
    put('}');
    m_first = false;
    return *this;
}

JsonObject& JsonObject::beginList(const char* name)
{
    key(name);
    put('[');
    m_first = true;
    return *this;
}

JsonObject& JsonObject::element(const char* value, size_t count)
{
    if (!m_first)
        put(',');
    m_first = false;
    quoted(value, count);
    return *this;
}

JsonObject& JsonObject::endList()
{
    put(']');
    m_first = false;
    return *this;
}

size_t JsonObject::finish()
{
    put('}');
    return m_fits ? m_count : 0;
}

Line readLine(const char* text, size_t count)
{
    size_t end = 0;
    while (end < count && text[end] != ' ' && text[end] != '\n' && text[end] != '\0')
        ++end;
    const auto is = [&](const char* verb) { return std::strlen(verb) == end && std::memcmp(verb, text, end) == 0; };
    const Verb verb = is("start") ? Verb::Start
        : is("stop")              ? Verb::Stop
        : is("detach")            ? Verb::Detach
        : is("ping")              ? Verb::Ping
                                  : Verb::Unknown;
    return {verb, text + end, count - end};
}

} // namespace torchline::agent
