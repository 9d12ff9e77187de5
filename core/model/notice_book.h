#pragma once
// NoticeBook: collects notices by code while a file is read.
// Thread: one.

#include "model/notice.h"

#include <string_view>
#include <vector>

namespace torchline {

class NoticeBook {
public:
    /// Adds to the notice of this code. Text and severity are those of its first call; %n in the text is the count.
    void add(std::string_view code, std::string_view text, std::optional<uint64_t> offset, std::string_view found = {},
        NoticeSeverity severity = NoticeSeverity::Warning, uint64_t count = 1);
    /// In the order of first mention, with the counts put into the texts. The book is empty afterwards.
    [[nodiscard]] std::vector<Notice> take();
    [[nodiscard]] size_t memoryUsage() const;

private:
    std::vector<Notice> m_notices;
};

} // namespace torchline
