#pragma once
// JsonWriter: strict JSON to a stream, member after member, nothing kept but the nesting. Numbers are written as the
// exact texts they are given as. Thread: one owner. Whoever owns the stream checks it for errors.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace torchline {

/// Appends the text in quotes. Bytes that are no UTF-8 become U+FFFD.
void appendJsonText(std::string& out, std::string_view text);

class JsonWriter {
public:
    /// Members and elements down to lineLevels levels begin a line of their own; 0: everything on one line.
    explicit JsonWriter(std::ostream& out, size_t lineLevels = 0);
    ~JsonWriter();
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void beginObject() { open('{'); }
    void endObject() { close('}'); }
    void beginArray() { open('['); }
    void endArray() { close(']'); }

    void key(std::string_view name);
    void text(std::string_view value);
    void integer(int64_t value) { number(std::to_string(value)); }
    void unsignedInteger(uint64_t value) { number(std::to_string(value)); }
    void boolean(bool value) { number(value ? "true" : "false"); }
    void null() { number("null"); }
    /// Microseconds with three decimals.
    void time(int64_t ns);
    /// A token that is JSON already.
    void number(std::string_view token);

    /// Ends the line between documents.
    void newLine();
    void flush();

private:
    void open(char bracket);
    void close(char bracket);
    void separate();
    void breakLine();

    std::ostream& m_out;
    size_t m_lineLevels;
    std::string m_buffer;
    std::string m_hasMembers; ///< one flag a level
    bool m_afterKey = false;
};

} // namespace torchline
