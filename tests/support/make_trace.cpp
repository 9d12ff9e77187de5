// torchline-make-trace: writes a generated trace. See generate_trace.h.

#include "generate_trace.h"

#include <CLI/CLI.hpp>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

using namespace torchline::test;

namespace {

/// A file, or a gzip member without name and time stamp, so that equal text gives equal bytes.
class OutputFile {
public:
    OutputFile(const std::string& path, bool isCompressed)
    {
        if (isCompressed)
            m_gzip = gzopen(path.c_str(), "wb9");
        else
            m_plain = std::fopen(path.c_str(), "wb");
        m_isGood = m_gzip || m_plain;
    }
    ~OutputFile() { close(); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text)
    {
        if (text.empty() || !m_isGood)
            return;
        if (m_gzip)
            m_isGood
                = gzwrite(m_gzip, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size());
        else
            m_isGood = std::fwrite(text.data(), 1, text.size(), m_plain) == text.size();
    }
    bool close()
    {
        if (m_gzip)
            m_isGood &= gzclose(m_gzip) == Z_OK;
        if (m_plain)
            m_isGood &= std::fclose(m_plain) == 0;
        m_gzip = nullptr;
        m_plain = nullptr;
        return m_isGood;
    }

private:
    gzFile m_gzip = nullptr;
    std::FILE* m_plain = nullptr;
    bool m_isGood = false;
};

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Writes a generated Kineto trace; without options the bundled sample's text.", "torchline-make-trace");
    TraceOptions options = sampleOptions();
    std::string path;
    bool isCompressed = false;
    app.add_option("OUT", path, "file to write; compressed if it ends in .gz")->required();
    app.add_option("--steps", options.steps, "training steps, at least")->capture_default_str();
    app.add_option("--events", options.events, "events, at least (whole steps are added)")->capture_default_str();
    app.add_option("--seed", options.seed, "the same seed gives the same bytes")->capture_default_str();
    app.add_option("--layers", options.layers, "layers of the model")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag("--stacks,!--no-stacks", options.withStacks, "Python frames and call stacks (default on)");
    app.add_flag("--shapes,!--no-shapes", options.withShapes, "input shapes (default on)");
    app.add_flag("--memory,!--no-memory", options.withMemory, "[memory] records (default on)");
    app.add_option("--numbered-names", options.numberedNames, "so many slices get a name that no other has");
    app.add_flag("--gz", isCompressed, "compress whatever the name");
    CLI11_PARSE(app, argc, argv);

    OutputFile out(path, isCompressed || (path.size() > 3 && path.ends_with(".gz")));
    const TraceTotals totals = generateTrace(options, [&out](std::string_view text) { out.write(text); });
    if (!out.close() || !totals.isComplete) {
        std::fprintf(stderr, "torchline-make-trace: %s: could not be written\n", path.c_str());
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored)) // a device stays
            std::filesystem::remove(path, ignored);
        return 1;
    }
    std::printf("%s: %llu steps, %llu events, %llu slices\n", path.c_str(),
        static_cast<unsigned long long>(totals.steps), static_cast<unsigned long long>(totals.events),
        static_cast<unsigned long long>(totals.slices));
    return 0;
}
