#include "base/memory_policy.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/options.h"
#include "cli/record_command.h"
#include "export/info_report.h"
#include "export/output_file.h"
#include "import/load.h"

#include <exception>
#include <iostream>
#include <new>

using namespace torchline;

namespace {

constexpr int kAnswered = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int report(const Error& error)
{
    std::cerr << "torchline-cli: " + error.message() + '\n';
    return error.code() == ErrorCode::Usage ? kWrongUsage : kFailed;
}

int printText(const std::string& text)
{
    OutputFile out = OutputFile::toStandardOutput();
    out.stream() << text;
    const Status status = out.commit();
    return status || out.isBrokenPipe() ? kAnswered : report(status.error());
}

void printNotices(const TraceSnapshot& trace)
{
    const std::vector<InfoNotice> notices = allNotices(trace);
    if (notices.empty())
        return;
    const std::string count = std::to_string(notices.size()) + (notices.size() == 1 ? " notice" : " notices");
    std::cerr << "torchline-cli: " + escapeControls(notices.front().file) + ": " + count
            + " (see info): " + escapeControls(notices.front().notice.text) + '\n';
}

Result<OutputFile> openOutput(const cli::Options& options)
{
    if (!options.out)
        return OutputFile::toStandardOutput();
    const cli::HeldInterrupts held;
    auto out = OutputFile::toPath(*options.out);
    if (out)
        cli::removeWhenInterrupted(out->temporaryPath());
    return out;
}

int run(const cli::Options& options)
{
    const auto trace = loadTraces(options.files);
    if (!trace)
        return report(trace.error());
    const auto scope = resolvePart(**trace, options.scope);
    if (!scope)
        return report(scope.error());
    const auto answer = cli::answerTo(**trace, *scope ? &**scope : nullptr, options);
    if (!answer)
        return report(answer.error());

    auto out = openOutput(options);
    if (!out)
        return report(out.error());
    const Status written = (*answer)(out->stream());
    if (!written && !out->isBrokenPipe())
        return report(written.error());
    const Status committed = out->commit();
    if (out->isBrokenPipe())
        return kAnswered;
    if (!committed)
        return report(committed.error());
    if (options.command != cli::Command::Info)
        printNotices(**trace);
    return kAnswered;
}

int record(int argc, char** argv)
{
    const cli::RecordCommandLine line = cli::readRecordCommandLine({argv + 2, argv + argc});
    if (line.command)
        return cli::runRecord(*line.command);
    if (line.status == kAnswered)
        return printText(line.text);
    std::cerr << line.text;
    return line.status;
}

} // namespace

int main(int argc, char** argv)
{
    giveBackLargeBlocks();
    cli::ignoreBrokenPipes();
    if (argc > 1 && std::string_view(argv[1]) == "record")
        return record(argc, argv);
    const cli::CommandLine commandLine = cli::readCommandLine(argc, argv);
    if (!commandLine.options) {
        if (commandLine.status == kAnswered)
            return printText(commandLine.text);
        std::cerr << commandLine.text;
        return commandLine.status;
    }
    const std::string first = escapeControls(commandLine.options->files.front());
    try {
        return run(*commandLine.options);
    } catch (const std::bad_alloc&) {
        return report(Error(ErrorCode::Limit, "there is not enough memory").within(first));
    } catch (const std::exception& fault) {
        return report(Error(ErrorCode::Limit, "internal error: " + escapeControls(fault.what())).within(first));
    }
}
