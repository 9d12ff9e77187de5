#pragma once
// What went wrong with a recording so far, as notices; the first says how complete it is, the others what
// is wrong. Thread: GUI thread only.

#include "capture/session_status.h"
#include "details/notice_list.h"

namespace torchline {

[[nodiscard]] std::vector<NoticeList::Entry> recordNotices(const capture::SessionStatus& status);

} // namespace torchline
