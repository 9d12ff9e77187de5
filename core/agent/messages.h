#pragma once
// What is said over the socket: JSON objects to the window, lines of words from it. Thread: any.

#include "agent/settings.h"

#include <cstddef>
#include <cstdint>

namespace torchline::agent {

constexpr size_t kMaxMessage = 64 * 1024;

/// Writes one JSON object into given memory. Bytes that are no UTF-8 become U+FFFD. What does not fit is missing: check
/// fits().
class JsonObject {
public:
    JsonObject(char* text, size_t room);

    JsonObject& text(const char* key, const char* value);
    JsonObject& text(const char* key, const char* value, size_t count);
    JsonObject& number(const char* key, int64_t value);
    JsonObject& boolean(const char* key, bool value);
    JsonObject& beginObject(const char* key);
    JsonObject& endObject();
    JsonObject& beginList(const char* key);
    JsonObject& element(const char* value, size_t count);
    JsonObject& endList();

    /// Closes the object. Its size; 0 if it did not fit.
    [[nodiscard]] size_t finish();
    [[nodiscard]] size_t room() const { return m_room - m_count; }

private:
    void put(char c);
    void put(const char* text);
    void key(const char* name);
    void quoted(const char* value, size_t count);

    char* m_text;
    size_t m_room;
    size_t m_count = 0;
    bool m_first = true;
    bool m_fits = true;
};

enum class Verb { Unknown, Start, Stop, Detach, Ping };

/// The verb of a line; `words` begins behind it.
struct Line {
    Verb verb;
    const char* words;
    size_t count;
};
[[nodiscard]] Line readLine(const char* text, size_t count);

} // namespace torchline::agent
