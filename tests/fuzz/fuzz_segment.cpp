// A recorded process that writes what it likes: SegmentReader reads nothing outside of the segment, comes to an end,
// and all that it passes on obeys the rules.

#include "require.h"
#include "strange_segment.h"

using namespace torchline::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static StrangeSegment segment;
    CheckedFrames sink;
    segment.feed({data, size}, sink);
    require(sink.count() > 0, "what was sound before is passed on");
    return 0;
}
