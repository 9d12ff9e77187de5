// The proof of joints: a list of events scanned ahead in chunks by several threads gives the same store, notices and
// all, as one thread with all of it in hand, whatever in it looks like the beginning of an event.
// Input: one byte for the size of the chunks, one that says how often the rest is repeated, the inside of a list.

#include "bytes_source.h"
#include "import/trace_reader.h"
#include "require.h"
#include "store_text.h"

#include <cstdint>
#include <memory>
#include <string>

using namespace torchline;
using torchline::test::require;

namespace {

std::string storeOf(const std::string& text, size_t chunkBytes, size_t threads)
{
    const auto pool = std::make_shared<StringPool>();
    TraceBuilder builder(pool);
    const test::BytesSource source(text);
    TraceReader reader(source, builder, chunkBytes, threads);
    if (const Status status = reader.read([] { return true; }); !status)
        return status.error().message();
    FileInfo info;
    info.header = reader.header();
    return storeText(*TraceSnapshot::combine(pool, {builder.finish(std::move(info), nullptr)}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 3)
        return 0;
    const size_t chunkBytes = 16 + data[0] * size_t{3};
    std::string text = "{\"traceEvents\": [";
    for (int i = 0; i <= data[1] % 6; ++i)
        text.append(reinterpret_cast<const char*>(data) + 2, size - 2) += ',';
    text += "{}], \"traceName\": \"end\"}";
    const std::string serial = storeOf(text, text.size() + 1, 1);
    require(storeOf(text, chunkBytes, 1) == serial, "what is found does not depend on the size of the chunks");
    require(storeOf(text, chunkBytes, 2) == serial, "what is found does not depend on the number of threads");
    return 0;
}
