#include "model/notice_book.h"

#include <algorithm>
#include <utility>

namespace torchline {

void NoticeBook::add(std::string_view code, std::string_view text, std::optional<uint64_t> offset,
    std::string_view found, NoticeSeverity severity, uint64_t count)
{
    auto notice = std::find_if(m_notices.begin(), m_notices.end(), [&](const Notice& n) { return n.code == code; });
    if (notice == m_notices.end()) {
        notice = m_notices.insert(notice, Notice());
        notice->code = code;
        notice->text = text;
        notice->severity = severity;
    }
    notice->count += count;
    if (notice->places.size() < Notice::kMostPlaces && (offset || !found.empty()))
        notice->places.push_back({offset, std::string(found)});
}

std::vector<Notice> NoticeBook::take()
{
    for (Notice& notice : m_notices) {
        if (const size_t at = notice.text.find("%n"); at != std::string::npos)
            notice.text.replace(at, 2, std::to_string(notice.count));
    }
    return std::exchange(m_notices, {});
}

size_t NoticeBook::memoryUsage() const
{
    size_t bytes = m_notices.capacity() * sizeof(Notice);
    for (const Notice& notice : m_notices) {
        bytes += notice.code.capacity() + notice.text.capacity() + notice.places.capacity() * sizeof(NoticePlace);
        for (const NoticePlace& place : notice.places)
            bytes += place.text.capacity();
    }
    return bytes;
}

} // namespace torchline
