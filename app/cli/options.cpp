#include "cli/options.h"

#include "base/text.h"
#include "cli/option_values.h"
#include "export/analysis_tables.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <sstream>

namespace torchline::cli {

namespace {

constexpr uint64_t kReadableLimit = 100; ///< rows that people get unless they ask for more

const std::vector<GroupKey>& operatorGroups()
{
    static const std::vector<GroupKey> keys{GroupKey::Shape, GroupKey::Stack, GroupKey::Thread, GroupKey::Process,
        GroupKey::File, GroupKey::Rank, GroupKey::Overload, GroupKey::Node};
    return keys;
}

const std::vector<GroupKey>& kernelGroups()
{
    static const std::vector<GroupKey> keys{
        GroupKey::Device, GroupKey::Stream, GroupKey::Op, GroupKey::Shape, GroupKey::File, GroupKey::Rank};
    return keys;
}

struct CommandText {
    Command command;
    std::string_view name;
    std::string_view description;
    std::string_view formats;
};

constexpr CommandText kCommands[] = {
    {Command::Info, "info", "What is in the input, what was repaired, skipped or guessed", "table, json"},
    {Command::Ops, "ops", "Operators: calls, host and device time, memory", "table, csv, tsv, json, markdown"},
    {Command::Kernels, "kernels", "Device work by name", "table, csv, tsv, json, markdown"},
    {Command::Memory, "memory", "Allocated totals by device", "table, csv, tsv, json, markdown"},
    {Command::Steps, "steps", "Profiler steps and where their time goes", "table, csv, tsv, json, markdown"},
    {Command::Dump, "dump", "Every slice, arrow, marker and counter, for scripts and tests", "json, jsonl"},
};

constexpr std::string_view kFilterHelp
    = "Filters: plain text matches names; FIELD OP VALUE narrows, with the operators : (contains) = != < <= > >=\n"
      "and the fields name cat kind dur start end self stream device pid tid depth bytes corr external step file\n"
      "rank unfinished arg:\"KEY\", joined by and, or, not and parentheses. Times take ns us ms s m, bytes B KB MB "
      "GB:\n"
      "  dur > 50us and (cat:kernel or arg:\"Process Group Name\"=0)\n";

/// Values as typed; one command is read, so all share them.
struct Typed {
    std::vector<std::string> files;
    std::string format;
    std::string out;
    std::vector<std::string> fileIndexes;
    std::vector<std::string> ranks;
    std::string range;
    std::string step;
    std::string annotation;
    std::string filter;
    std::string sort;
    std::string limit;
    std::string totals;
    std::string stackDepth;
    std::string groupBy;
    bool withPoints = false;
};

constexpr char kShield = '\x01';

/// CLI11 takes "[a,b]" and "{}" for lists: such arguments get a character before them while it reads.
std::vector<std::string> shielded(int argc, const char* const* argv)
{
    std::vector<std::string> arguments;
    for (int i = argc - 1; i > 0; --i) { // CLI11 wants them backwards
        std::string argument(argv[i]);
        if (!argument.empty() && (argument[0] == '[' || argument[0] == '{' || argument[0] == kShield))
            argument.insert(argument.begin(), kShield);
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

void unshield(std::string& value)
{
    if (!value.empty() && value[0] == kShield)
        value.erase(value.begin());
}

void unshield(Typed& typed)
{
    for (std::vector<std::string>* values : {&typed.files, &typed.fileIndexes, &typed.ranks})
        std::ranges::for_each(*values, [](std::string& value) { unshield(value); });
    for (std::string* value : {&typed.format, &typed.out, &typed.range, &typed.step, &typed.annotation, &typed.filter,
             &typed.sort, &typed.limit, &typed.totals, &typed.stackDepth, &typed.groupBy})
        unshield(*value);
}

bool isTableCommand(Command command)
{
    return command != Command::Info && command != Command::Dump;
}

void addCommonOptions(CLI::App& app, const CommandText& text, Typed& typed)
{
    app.add_option("FILE", typed.files, "Traces to read, opened together on one time axis; - is standard input")
        ->required()
        ->type_name("");
    const bool isDump = text.command == Command::Dump;
    app.add_option("--format", typed.format,
           "Form of the answer: " + std::string(text.formats) + " (default: " + (isDump ? "json" : "table") + ")")
        ->type_name("F");
    app.add_option("--out", typed.out, "Write there instead of standard output")->type_name("PATH");
    // Without allow_extra_args(false) a repeatable option would take the FILEs behind its value.
    app.add_option("--file", typed.fileIndexes, "Only the Nth input, counted from 0; can be repeated")
        ->type_name("N")
        ->allow_extra_args(false);
    app.add_option("--rank", typed.ranks, "Only that rank; can be repeated")->type_name("R")->allow_extra_args(false);
    app.add_option("--range", typed.range,
           "Only what starts in [A, B): us from the first slice or with a unit (1.5ms..2ms), either end may be missing")
        ->type_name("A..B");
    app.add_option("--step", typed.step, "Only what starts inside the host mark of the step with that number")
        ->type_name("N");
    app.add_option("--annotation", typed.annotation, "Only what starts inside a user annotation of that name")
        ->type_name("NAME");
    app.add_option("--filter", typed.filter, "Only what meets the condition, see below")->type_name("COND");
    app.footer(std::string(kFilterHelp));
}

void addTableOptions(CLI::App& app, const CommandText& text, Typed& typed)
{
    if (isTableCommand(text.command)) {
        app.add_option("--sort", typed.sort,
               "Key of a column, as in json; numbers fall, text rises, ties by name; KEY:asc or KEY:desc")
            ->type_name("KEY");
        app.add_option("--limit", typed.limit, "At most N rows, 0: all (default: 100 for table and markdown, else 0)")
            ->type_name("N");
    }
    if (text.command == Command::Ops) {
        app.add_option("--totals", typed.totals,
               "torch: rows and figures of key_averages (default); once: each instant and each piece of device work "
               "counted once, operators only")
            ->type_name("torch|once");
        app.add_option("--stack-depth", typed.stackDepth, "Frames that count in '+ stack' (default: 5)")
            ->type_name("N");
    }
    if (text.command == Command::Ops || text.command == Command::Kernels) {
        const auto& groups = text.command == Command::Ops ? operatorGroups() : kernelGroups();
        app.add_option("--group-by", typed.groupBy,
               "name (default), or name and more joined by +, as name+" + std::string(groupKeyText(groups.front()))
                   + ": " + groupList(groups))
            ->type_name("KEYS");
    }
    if (text.command == Command::Dump)
        app.add_flag("--points", typed.withPoints, "Add every sample of the counters");
}

Status readScope(const Typed& typed, const CLI::App& app, Scope& scope)
{
    for (const std::string& text : typed.fileIndexes) {
        const auto index = readCount(text);
        if (!index)
            return index.error().within("--file");
        scope.files.push_back(static_cast<uint32_t>(std::min<uint64_t>(*index, std::numeric_limits<uint32_t>::max())));
    }
    for (const std::string& text : typed.ranks) {
        const auto rank = readWholeNumber(text);
        if (!rank)
            return rank.error().within("--rank");
        scope.ranks.push_back(*rank);
    }
    if (app.count("--range") > 0) {
        const auto range = parseTimeRange(typed.range);
        if (!range)
            return range.error().within("--range");
        scope.range = *range;
    }
    if (app.count("--step") > 0) {
        const auto step = readWholeNumber(typed.step);
        if (!step)
            return step.error().within("--step");
        scope.step = *step;
    }
    if (app.count("--annotation") > 0)
        scope.annotation = typed.annotation;
    if (Status status = checkFilter(typed.filter); !status)
        return status.error().within("--filter");
    scope.filter = typed.filter;
    return {};
}

Status readFormat(const Typed& typed, const CLI::App& app, const CommandText& text, Options& options)
{
    const bool isGiven = app.count("--format") > 0;
    const Error unknown(ErrorCode::Usage,
        "--format: '" + escapeControls(typed.format) + "' is no format of " + std::string(text.name) + " (there are "
            + std::string(text.formats) + ")");
    if (text.command == Command::Dump) {
        options.format = TableFormat::Json;
        options.isLines = typed.format == "jsonl";
        return isGiven && typed.format != "json" && typed.format != "jsonl" ? Status(unknown) : Status();
    }
    const auto format = isGiven ? tableFormatOf(typed.format) : TableFormat::Text;
    const bool isForInfo = format == TableFormat::Text || format == TableFormat::Json;
    if (!format || (text.command == Command::Info && !isForInfo))
        return unknown;
    options.format = *format;
    const bool isReadable = *format == TableFormat::Text || *format == TableFormat::Markdown;
    options.limit = isReadable ? kReadableLimit : 0;
    return {};
}

Table frameOf(const Options& options)
{
    switch (options.command) {
    case Command::Ops:
        return operatorTableFrame(options.operators);
    case Command::Kernels:
        return kernelTableFrame(options.kernelGroups);
    case Command::Memory:
        return memoryTableFrame(options.files.size() > 1);
    case Command::Steps:
        return stepTableFrame(options.files.size() > 1);
    case Command::Info:
    case Command::Dump:
        break;
    }
    return {};
}

Status readTableOptions(const Typed& typed, const CLI::App& app, Options& options)
{
    if (options.command == Command::Ops) {
        if (app.count("--totals") > 0 && typed.totals != "torch" && typed.totals != "once") {
            return Error(
                ErrorCode::Usage, "--totals: '" + escapeControls(typed.totals) + "' is neither torch nor once");
        }
        options.operators.totals = typed.totals == "once" ? OperatorTotals::Once : OperatorTotals::Torch;
        if (app.count("--stack-depth") > 0) {
            const auto depth = readCount(typed.stackDepth);
            if (!depth)
                return depth.error().within("--stack-depth");
            options.operators.stackDepth
                = static_cast<uint32_t>(std::min<uint64_t>(*depth, std::numeric_limits<uint32_t>::max()));
        }
    }
    if (options.command == Command::Ops || options.command == Command::Kernels) {
        const bool isOps = options.command == Command::Ops;
        if (app.count("--group-by") > 0) {
            auto groups = readGroups(typed.groupBy, isOps ? operatorGroups() : kernelGroups());
            if (!groups)
                return groups.error().within("--group-by");
            (isOps ? options.operators.groupBy : options.kernelGroups) = std::move(*groups);
        }
    }
    if (app.count("--limit") > 0) {
        const auto limit = readCount(typed.limit);
        if (!limit)
            return limit.error().within("--limit");
        options.limit = *limit;
    }
    if (app.count("--sort") > 0) {
        if (const auto order = parseSortOrder(frameOf(options), typed.sort); !order)
            return order.error().within("--sort");
        options.sort = typed.sort;
    }
    return {};
}

Result<Options> readOptions(const Typed& typed, const CLI::App& app, const CommandText& text)
{
    Options options;
    options.command = text.command;
    options.files = typed.files;
    options.withPoints = typed.withPoints;
    if (app.count("--out") > 0)
        options.out = typed.out;
    if (Status status = readFormat(typed, app, text, options); !status)
        return status.error();
    if (Status status = readScope(typed, app, options.scope); !status)
        return status.error();
    if (isTableCommand(text.command)) {
        if (Status status = readTableOptions(typed, app, options); !status)
            return status.error();
    }
    return options;
}

std::string commandFault(int argc, const char* const* argv)
{
    std::string list;
    for (const CommandText& text : kCommands)
        list += std::string(text.name) + ", ";
    list += "record";
    if (argc < 2)
        return "a command is missing (there are " + list + ")";
    const std::string_view first = argv[1];
    return "'" + escapeControls(first)
        + (first.starts_with('-') ? "' is no option, and a command is missing" : "' is no command") + " (there are "
        + list + ")";
}

CommandLine wrongUsage(std::string_view command, std::string_view message)
{
    std::string text = "torchline-cli: ";
    if (!command.empty())
        text += std::string(command) + ": ";
    text += message;
    text += "\nSee torchline-cli " + (command.empty() ? std::string() : std::string(command) + ' ') + "--help\n";
    return {std::nullopt, std::move(text), 2};
}

} // namespace

CommandLine readCommandLine(int argc, const char* const* argv)
{
    CLI::App app("Views of PyTorch profiler traces without a window.", "torchline-cli");
    app.set_version_flag("--version", "torchline-cli " TORCHLINE_VERSION, "Print the version and end");
    app.set_help_flag("-h,--help", "Print this help and end");
    app.require_subcommand(1);
    app.footer("torchline-cli COMMAND --help tells the options of a command.\n"
               "Exit status: 0 answered, 1 the input or the run failed, 2 wrong usage.\n");
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    Typed typed;
    std::vector<const CLI::App*> commands;
    for (const CommandText& text : kCommands) {
        CLI::App* command = app.add_subcommand(std::string(text.name), std::string(text.description));
        command->group("Commands");
        command->set_help_flag("-h,--help", "Print this help and end");
        addCommonOptions(*command, text, typed);
        addTableOptions(*command, text, typed);
        commands.push_back(command);
    }
    // For the list of commands: its own command line is read elsewhere (record_options.h).
    app.add_subcommand("record", "Runs a program and records what its LibTorch does")->group("Commands");
    const auto parsedCommand
        = [&] { return std::ranges::find_if(commands, [](const CLI::App* command) { return command->parsed(); }); };
    try {
        app.parse(shielded(argc, argv));
        unshield(typed);
    } catch (const CLI::Success& request) { // help and version
        std::ostringstream out;
        app.exit(request, out, out);
        return {std::nullopt, out.str(), 0};
    } catch (const CLI::ParseError& error) {
        const auto command = parsedCommand();
        if (command == commands.end())
            return wrongUsage({}, commandFault(argc, argv));
        std::string message = error.what();
        std::erase(message, kShield);
        return wrongUsage(kCommands[command - commands.begin()].name, escapeControls(message));
    }
    const auto command = parsedCommand();
    const CommandText& text = kCommands[command - commands.begin()];
    const auto options = readOptions(typed, **command, text);
    if (!options)
        return wrongUsage(text.name, options.error().message());
    return {*options, {}, 0};
}

} // namespace torchline::cli
