// The same strange process, and what the model makes of the frames that its reader passes on.

#include "capture/ingest.h"
#include "require.h"
#include "strange_segment.h"

using namespace torchline;
using namespace torchline::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static StrangeSegment segment;
    Ingest ingest(std::make_shared<StringPool>());
    CheckedFrames sink(&ingest);
    segment.feed({data, size}, sink);
    const auto live = ingest.snapshot(1);
    const auto trace = ingest.finish(2);
    require(trace->sliceCount() >= live->sliceCount(), "what is there stays there");
    return 0;
}
