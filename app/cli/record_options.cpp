#include "cli/record_options.h"

#include "base/text.h"
#include "capture/spool.h"
#include "cli/option_values.h"
#include "query/units.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace torchline::cli {

namespace {

using namespace capture;

constexpr std::string_view kFooter
    = "The program keeps the terminal; Ctrl+C goes to it, a second one ends it. The recording is saved when the "
      "program\n"
      "ends, however it ends, or before, when --for or the schedule says so: then the program goes on.\n"
      "OUT ends in .json or .json.gz. Each of several processes that are recorded gets a file of its own:\n"
      "run.json.gz becomes run.rank0.json.gz or run.pid4711.json.gz.\n"
      "Exit status: 0 the recording is written, 1 it is not (one line says why), 2 wrong usage. How the program ended "
      "is\n"
      "said on standard error.\n"
      "Cost: about 0.2 us an operator, 0.4 us with shapes; stacks add 0.2 us.\n"
      "  torchline-cli record -o run.json.gz --shapes --memory -- python3 train.py --epochs 1\n"
      "  torchline-cli record -o run.json --skip-first 5 --warmup 1 --active 3 --repeat 1 -- ./train\n";

struct ScopeWord {
    std::string_view word;
    uint32_t bits;
};
constexpr std::array kScopes{
    ScopeWord{"function", ScopeFunction},
    ScopeWord{"backward", ScopeBackward},
    ScopeWord{"torchscript", ScopeTorchScript},
    ScopeWord{"user", ScopeUser},
    ScopeWord{"other", ScopeKernelDtype | ScopeCustomClass | ScopeBuildFeature | ScopeLite},
};

struct Typed {
    std::string out;
    bool shapes = false;
    bool memory = false;
    bool stacks = false;
    bool noChildren = false;
    std::string scopes;
    std::string after;
    std::string during;
    std::string step;
    std::array<std::string, 5> counts; ///< skip-first, wait, warmup, active, repeat
    std::string spoolLimit;
    std::string memoryLimit;
    std::string folder;
    std::vector<std::string> environment;
};

Error usage(const std::string& option, const std::string& text, const std::string& wanted)
{
    return Error(ErrorCode::Usage, option + ": '" + escapeControls(text) + "' is " + wanted);
}

Result<int64_t> readDuration(const std::string& option, const std::string& text)
{
    const bool isPlain = !text.empty() && text.back() >= '0' && text.back() <= '9';
    const auto ns = parseTime(isPlain ? text + 's' : text);
    if (!ns || *ns <= 0)
        return usage(option, text, "no time from now (10, 500ms, 2m; a plain number is seconds)");
    return *ns;
}

Result<uint64_t> readSize(const std::string& option, const std::string& text)
{
    const auto bytes = parseBytes(text);
    if (!bytes || *bytes <= 0)
        return usage(option, text, "no size (500MB, 2GB)");
    return static_cast<uint64_t>(*bytes);
}

Result<uint32_t> readScopes(const std::string& text)
{
    uint32_t bits = 0;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view word = std::string_view(text).substr(begin, end - begin);
        const auto scope = std::ranges::find(kScopes, word, &ScopeWord::word);
        if (scope == kScopes.end())
            return usage(
                "--scopes", std::string(word), "no scope (there are function, backward, torchscript, user, other)");
        bits |= scope->bits;
        begin = end + 1;
    }
    return bits;
}

Status checkStep(const std::string& text)
{
    const std::string wanted = "nothing that ends a step (scope:PATTERN, ops:N or ms:N)";
    if (text.starts_with("scope:") && text.size() > 6)
        return {};
    for (const std::string_view kind : {"ops:", "ms:"}) {
        if (text.starts_with(kind)) {
            const auto number = readCount(std::string_view(text).substr(kind.size()));
            if (number && *number > 0)
                return {};
        }
    }
    return usage("--step", text, wanted);
}

Status readSchedule(const Typed& typed, const CLI::App& app, RecordOptions& options)
{
    wire::Schedule& schedule = options.schedule;
    constexpr std::array kNames{"--skip-first", "--wait", "--warmup", "--active", "--repeat"};
    const std::array values{&schedule.skipFirst, &schedule.wait, &schedule.warmup, &schedule.active, &schedule.repeat};
    bool isAny = false;
    for (size_t i = 0; i < kNames.size(); ++i) {
        if (app.count(kNames[i]) == 0)
            continue;
        isAny = true;
        const auto count = readCount(typed.counts[i]);
        if (!count)
            return count.error().within(kNames[i]);
        *values[i] = *count;
    }
    if (isAny && schedule.active == 0)
        return Error(ErrorCode::Usage, "a schedule needs --active N, the steps that are recorded");
    if (app.count("--step") > 0) {
        if (Status step = checkStep(typed.step); !step)
            return step;
        options.step = typed.step;
    }
    return {};
}

Result<RecordCommand> readCommand(const Typed& typed, const CLI::App& app, std::vector<std::string> program)
{
    RecordCommand command;
    command.out = typed.out;
    SessionOptions& session = command.session;
    session.program.program = program.front();
    session.program.arguments.assign(program.begin() + 1, program.end());
    session.program.folder = typed.folder;
    session.label = typed.out;
    session.spoolFolder = defaultSpoolFolder();
    session.record.shapes = typed.shapes;
    session.record.memory = typed.memory;
    session.record.stackFrames = typed.stacks ? kDefaultStackFrames : 0;
    session.record.children = !typed.noChildren;
    for (const std::string& entry : typed.environment) {
        const size_t equals = entry.find('=');
        if (equals == std::string::npos || equals == 0)
            return usage("--env", entry, "not NAME=VALUE");
        session.program.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    if (app.count("--scopes") > 0) {
        const auto scopes = readScopes(typed.scopes);
        if (!scopes)
            return scopes.error();
        session.record.scopes = *scopes;
    }
    if (app.count("--after") > 0) {
        const auto after = readDuration("--after", typed.after);
        if (!after)
            return after.error();
        session.begin = BeginWhen::AfterTime;
        session.afterNs = *after;
    }
    if (app.count("--for") > 0) {
        const auto during = readDuration("--for", typed.during);
        if (!during)
            return during.error();
        session.forNs = *during;
    }
    if (app.count("--spool-limit") > 0) {
        const auto limit = readSize("--spool-limit", typed.spoolLimit);
        if (!limit)
            return limit.error();
        session.spoolLimitBytes = *limit;
    }
    if (app.count("--memory-limit") > 0) {
        const auto limit = readSize("--memory-limit", typed.memoryLimit);
        if (!limit)
            return limit.error();
        session.memoryBytes = *limit;
    }
    if (Status schedule = readSchedule(typed, app, session.record); !schedule)
        return schedule.error();
    return command;
}

void addOptions(CLI::App& app, Typed& typed)
{
    app.add_option("-o,--out", typed.out, "The recording as Kineto JSON, as torch.profiler writes it")
        ->required()
        ->type_name("OUT");
    app.add_flag("--shapes", typed.shapes, "Sizes and types of the operators' inputs");
    app.add_flag("--memory", typed.memory, "Each allocation and release");
    app.add_flag("--stacks", typed.stacks, "The C++ functions that called each operator, with source lines");
    app.add_option("--scopes", typed.scopes,
           "Only these kinds of operators, joined by commas: function, backward, torchscript, user (record_function), "
           "other (default: all)")
        ->type_name("LIST");
    app.add_flag("--no-children", typed.noChildren, "Not the processes that the program starts");
    app.add_option("--after", typed.after, "Begin so long after the start (10, 500ms, 2m)")->type_name("TIME");
    app.add_option("--for", typed.during, "Record so long, then save; the program goes on")->type_name("TIME");
    constexpr std::array<std::pair<const char*, const char*>, 5> kCounts{
        std::pair{"--skip-first", "Schedule: leave out the first N steps"},
        std::pair{"--wait", "Schedule: then wait for N steps"},
        std::pair{"--warmup", "Schedule: then warm up for N steps"},
        std::pair{"--active", "Schedule: then record N steps"},
        std::pair{"--repeat", "Schedule: N rounds of wait, warmup and active (default: again and again)"},
    };
    for (size_t i = 0; i < kCounts.size(); ++i)
        app.add_option(kCounts[i].first, typed.counts[i], kCounts[i].second)->type_name("N");
    app.add_option("--step", typed.step,
           "What ends a step: scope:PATTERN (an operator or scope of that name, with * and ?), ops:N (every Nth "
           "outermost "
           "operator) or ms:N (default: scope:ProfilerStep*)")
        ->type_name("WHAT");
    app.add_option("--folder", typed.folder, "Start the program in this folder")->type_name("DIR");
    app.add_option("--env", typed.environment, "Set a variable for the program; can be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app.add_option("--spool-limit", typed.spoolLimit, "Stop recording when so much is written on the way (2GB)")
        ->type_name("SIZE");
    app.add_option("--memory-limit", typed.memoryLimit,
           "Memory of the recording here; beyond it the oldest records go first (default: 2GB)")
        ->type_name("SIZE");
}

RecordCommandLine wrongUsage(const std::string& message)
{
    return {std::nullopt, "torchline-cli: record: " + message + "\nSee torchline-cli record --help\n", 2};
}

} // namespace

RecordCommandLine readRecordCommandLine(std::vector<std::string> arguments)
{
    CLI::App app("Records a program: runs it and writes what its LibTorch did.\n"
                 "  torchline-cli record -o OUT [OPTIONS] -- PROGRAM [ARGUMENTS...]",
        "torchline-cli record");
    app.set_help_flag("-h,--help", "Print this help and end");
    app.footer(std::string(kFooter));
    Typed typed;
    addOptions(app, typed);
    const auto dashes = std::ranges::find(arguments, "--");
    std::vector<std::string> program(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    std::ranges::reverse(arguments); // CLI11 wants them backwards
    try {
        app.parse(arguments);
    } catch (const CLI::Success& request) {
        std::ostringstream out;
        app.exit(request, out, out);
        return {std::nullopt, out.str(), 0};
    } catch (const CLI::ParseError& error) {
        return wrongUsage(escapeControls(error.what()));
    }
    if (program.empty())
        return wrongUsage("the program is missing: write it after --");
    auto command = readCommand(typed, app, std::move(program));
    if (!command)
        return wrongUsage(command.error().message());
    return {std::move(*command), {}, 0};
}

} // namespace torchline::cli
