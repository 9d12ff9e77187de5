#include "trace_files.h"

#include "generate_trace.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace torchline::bench {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path)
{
    std::fprintf(stderr, "%s cannot be written\n", path.c_str());
    std::exit(2);
}

fs::path notePath(const fs::path& path)
{
    return path.string() + ".events";
}

uint64_t writeEvents(const fs::path& path, const TraceFile& file)
{
    // Mode T: as it is, uncompressed.
    const gzFile out = gzopen(path.c_str(), file.name.ends_with(".gz") ? "wb6" : "wbT");
    if (out == nullptr)
        fail(path);
    gzbuffer(out, 1U << 20);
    test::TraceOptions options;
    options.events = file.events;
    options.numberedNames = file.numberedNames;
    bool isGood = true;
    const test::TraceTotals totals = generateTrace(options, [&](std::string_view text) {
        const auto size = static_cast<unsigned>(text.size());
        isGood = isGood && (size == 0 || gzwrite(out, text.data(), size) == static_cast<int>(size));
    });
    if (gzclose(out) != Z_OK || !isGood || !totals.isComplete)
        fail(path);
    return totals.events;
}

} // namespace

std::optional<WrittenFile> writtenFile(const std::string& folder, const std::string& name)
{
    const fs::path path = fs::path(folder) / name;
    WrittenFile file{path.string(), 0, 0};
    std::ifstream note(notePath(path));
    if (!(note >> file.events) || !fs::exists(path))
        return std::nullopt;
    file.bytes = fs::file_size(path);
    return file;
}

void writeFile(const std::string& folder, const TraceFile& file)
{
    fs::create_directories(folder);
    const fs::path path = fs::path(folder) / file.name;
    const fs::path unfinished = path.string() + ".part";
    const uint64_t events = writeEvents(unfinished, file);
    fs::rename(unfinished, path);
    std::ofstream(notePath(path)) << events << '\n';
}

} // namespace torchline::bench
