#include "export/json_writer.h"

#include "base/text.h"
#include "base/time.h"

#include <algorithm>
#include <ostream>

namespace torchline {

namespace {

constexpr size_t kFlushAt = size_t{1} << 16;

bool isPlain(char c)
{
    const auto byte = static_cast<uint8_t>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void appendEscape(std::string& out, char c)
{
    static constexpr std::string_view kHex = "0123456789abcdef";
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        out += "\\u00";
        out += kHex[static_cast<uint8_t>(c) >> 4];
        out += kHex[static_cast<uint8_t>(c) & 0xFu];
    }
}

} // namespace

void appendJsonText(std::string& out, std::string_view text)
{
    const bool isAscii = std::ranges::all_of(text, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
    if (!isAscii && !isValidUtf8(text)) {
        appendJsonText(out, toValidUtf8(text));
        return;
    }
    out += '"';
    while (!text.empty()) {
        const auto end
            = std::ranges::find_if_not(text, [](char c) { return isPlain(c) || static_cast<uint8_t>(c) >= 0x80; });
        const auto plain = static_cast<size_t>(end - text.begin());
        out += text.substr(0, plain);
        if (end == text.end())
            break;
        appendEscape(out, *end);
        text.remove_prefix(plain + 1);
    }
    out += '"';
}

JsonWriter::JsonWriter(std::ostream& out, size_t lineLevels)
    : m_out(out)
    , m_lineLevels(lineLevels)
{
}

JsonWriter::~JsonWriter()
{
    flush();
}

void JsonWriter::key(std::string_view name)
{
    separate();
    appendJsonText(m_buffer, name);
    m_buffer += m_lineLevels > 0 ? ": " : ":";
    m_afterKey = true;
}

void JsonWriter::text(std::string_view value)
{
    separate();
    appendJsonText(m_buffer, value);
}

void JsonWriter::time(int64_t ns)
{
    number(microsecondsText(ns));
}

void JsonWriter::number(std::string_view token)
{
    separate();
    m_buffer += token;
}

void JsonWriter::newLine()
{
    m_buffer += '\n';
    if (m_buffer.size() >= kFlushAt)
        flush();
}

void JsonWriter::flush()
{
    m_out.write(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
    m_buffer.clear();
}

void JsonWriter::open(char bracket)
{
    separate();
    m_buffer += bracket;
    m_hasMembers += '\0';
}

void JsonWriter::close(char bracket)
{
    const bool hadMembers = m_hasMembers.back() != '\0';
    m_hasMembers.pop_back();
    if (hadMembers && m_hasMembers.size() < m_lineLevels)
        breakLine();
    m_buffer += bracket;
}

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_hasMembers.empty())
        return;
    const bool isFirst = m_hasMembers.back() == '\0';
    m_hasMembers.back() = '\1';
    if (!isFirst)
        m_buffer += ',';
    if (m_hasMembers.size() <= m_lineLevels)
        breakLine();
    else if (!isFirst && m_lineLevels > 0)
        m_buffer += ' ';
    if (m_buffer.size() >= kFlushAt)
        flush();
}

void JsonWriter::breakLine()
{
    m_buffer += '\n';
    m_buffer.append(m_hasMembers.size(), ' ');
}

} // namespace torchline
