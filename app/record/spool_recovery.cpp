#include "record/spool_recovery.h"

#include "base/text.h"
#include "capture/ingest.h"
#include "capture/spool.h"

namespace torchline {

Result<std::shared_ptr<const TraceSnapshot>> recoverSpool(const std::string& path, const std::stop_token& stop)
{
    const auto file = SpoolFile::open(path);
    if (!file)
        return file.error();
    Ingest ingest(std::make_shared<StringPool>(), {kDefaultRecordingBytes, path});
    ingest.setSpool(file->spool());
    const auto replayed = file->replay(ingest, [&stop] { return !stop.stop_requested(); });
    if (!replayed)
        return replayed.error();
    auto trace = ingest.finish(1);
    if (!trace || trace->sliceCount() == 0)
        return Error(ErrorCode::Format, escapeControls(path) + ": no operator is in it");
    return trace;
}

} // namespace torchline
