#include "command_line.h"

#include "cli/option_values.h"
#include "picture_limits.h"

#include "base/text.h"
#include "export/analysis_tables.h"
#include "query/query.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace torchline {

namespace {

constexpr std::string_view kWindowFooter = R"(
  torchline -- PROGRAM ARGS...      starts a program and records it
  torchline render FILE... -o OUT   draws a view into a file, without a display
  torchline-cli --help              figures for scripts, without a display

A file whose name begins with a dash is written ./-name.)";

EarlyExit wrongUsage(std::string_view command, std::string_view what)
{
    return {2,
        "torchline: " + std::string(command) + (command.empty() ? "" : ": ") + std::string(what) + "\nSee torchline "
            + std::string(command) + (command.empty() ? "" : " ") + "--help\n"};
}

bool endsWithIgnoringCase(std::string_view text, std::string_view end)
{
    return text.size() > end.size()
        && std::ranges::equal(text.substr(text.size() - end.size()), end,
            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

/// "WxH"; none if it is not that.
std::optional<std::pair<int, int>> parseSize(std::string_view text)
{
    const size_t cross = text.find('x');
    if (cross == std::string_view::npos)
        return std::nullopt;
    const auto number = [](std::string_view digits) -> std::optional<int> {
        int value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::result_out_of_range && end == digits.data() + digits.size())
            return std::numeric_limits<int>::max();
        if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
            return std::nullopt;
        return value;
    };
    const auto width = number(text.substr(0, cross));
    const auto height = number(text.substr(cross + 1));
    if (!width || !height)
        return std::nullopt;
    return std::pair(*width, *height);
}

/// What CLI11 says, on one line.
EarlyExit exitOf(const CLI::App& app, const CLI::ParseError& error, std::string_view command)
{
    if (error.get_exit_code() == 0) {
        if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr)
            return {0, std::string("torchline ") + TORCHLINE_VERSION + "\n"};
        return {0, app.help()};
    }
    return wrongUsage(command, escapeControls(error.what()));
}

/// CLI11 takes arguments from the back of the vector.
std::vector<std::string> reversed(std::vector<std::string> arguments)
{
    std::ranges::reverse(arguments);
    return arguments;
}

tl::expected<CommandLine, EarlyExit> parseWindow(const std::vector<std::string>& arguments)
{
    if (!arguments.empty() && arguments.front() == "--") {
        if (arguments.size() == 1)
            return tl::make_unexpected(wrongUsage({}, "the program is missing: write it after --"));
        CommandLine recorded;
        recorded.program.assign(arguments.begin() + 1, arguments.end());
        return recorded;
    }
    CLI::App app("Torchline: where the time of a PyTorch program goes", "torchline");
    CommandLine line;
    app.set_version_flag("--version", TORCHLINE_VERSION);
    app.add_option("FILE", line.files, "traces to open together on one time axis, or one session; - is standard input");
    app.footer(std::string(kWindowFooter));
    try {
        app.parse(reversed(arguments));
    } catch (const CLI::ParseError& error) {
        return tl::make_unexpected(exitOf(app, error, {}));
    }
    return line;
}

/// The texts of `torchline render` before they are checked.
struct RenderTexts {
    std::string size = "1920x1080";
    std::string range;
    std::string step;
    std::string annotation;
    std::string sort;
    std::string limit;
    std::string select;
};

/// What the command of the view's name would sort; none for views without a table.
std::optional<Table> frameOf(RenderView view, bool severalFiles)
{
    switch (view) {
    case RenderView::Window:
    case RenderView::Operators:
        return operatorTableFrame({});
    case RenderView::Kernels:
        return kernelTableFrame({});
    case RenderView::Memory:
        return memoryTableFrame(severalFiles);
    case RenderView::Steps:
        return stepTableFrame(severalFiles);
    case RenderView::Timeline:
        break;
    }
    return std::nullopt;
}

Status checkPicture(RenderOptions& options, const RenderTexts& texts)
{
    const auto usage = [](std::string what) { return Error(ErrorCode::Usage, std::move(what)); };
    const auto format = pictureFormatOf(options.out);
    if (!format)
        return usage("-o: '" + escapeControls(options.out) + "' ends in none of .png, .svg, .pdf");
    options.format = *format;
    const auto size = parseSize(texts.size);
    if (!size)
        return usage("--size: '" + escapeControls(texts.size) + "' is not WIDTHxHEIGHT in pixels");
    std::tie(options.width, options.height) = *size;
    if (const auto fault = pictureSizeFault(options.width, options.height, options.scale))
        return usage("--size, --scale: " + *fault);
    return {};
}

Status checkScope(RenderOptions& options, const RenderTexts& texts, const CLI::App& app)
{
    if (app.count("--range") > 0) {
        const auto range = parseTimeRange(texts.range);
        if (!range)
            return range.error().within("--range");
        options.range = *range;
    }
    if (app.count("--step") > 0) {
        const auto step = cli::readWholeNumber(texts.step);
        if (!step)
            return step.error().within("--step");
        options.step = *step;
    }
    if (app.count("--annotation") > 0)
        options.annotation = texts.annotation;
    if (const Status filter = cli::checkFilter(options.filter); !filter)
        return filter.error().within("--filter");
    return {};
}

Status checkRows(RenderOptions& options, const RenderTexts& texts, const CLI::App& app)
{
    if (app.count("--limit") > 0) {
        const auto limit = cli::readCount(texts.limit);
        if (!limit)
            return limit.error().within("--limit");
        options.limit = *limit;
    }
    if (app.count("--select") > 0) {
        const auto select = cli::readCount(texts.select);
        if (!select)
            return select.error().within("--select");
        options.select = *select;
    }
    if (app.count("--sort") == 0)
        return {};
    const auto frame = frameOf(options.view, options.files.size() > 1);
    if (!frame)
        return Error(ErrorCode::Usage, "--sort: the timeline is always in order of time");
    const auto order = parseSortOrder(*frame, texts.sort);
    if (!order)
        return order.error().within("--sort");
    options.sort = RenderSort{frame->columns[order->column].key, order->descending};
    return {};
}

tl::expected<CommandLine, EarlyExit> parseRender(const std::vector<std::string>& arguments)
{
    constexpr std::string_view kCommand = "render";
    CLI::App app("Draws a view of a trace into a file. Needs no display.", "torchline render");
    RenderOptions options;
    RenderTexts texts;
    static const std::map<std::string, RenderView> kViews{{"timeline", RenderView::Timeline},
        {"window", RenderView::Window}, {"operators", RenderView::Operators}, {"kernels", RenderView::Kernels},
        {"memory", RenderView::Memory}, {"steps", RenderView::Steps}};
    static const std::map<std::string, ThemeMode> kThemes{{"light", ThemeMode::Light}, {"dark", ThemeMode::Dark}};
    static const std::map<std::string, RenderArrows> kArrows{
        {"selection", RenderArrows::Selection}, {"none", RenderArrows::None}, {"all", RenderArrows::All}};
    std::string view = "timeline";
    std::string theme = "light";
    std::string arrows = "selection";
    const auto keysOf = [](const auto& map) {
        std::vector<std::string> keys;
        for (const auto& entry : map)
            keys.push_back(entry.first);
        return CLI::IsMember(keys);
    };
    app.add_option(
           "FILE", options.files, "traces to open together on one time axis, or one session; - is standard input")
        ->required();
    app.add_option("-o,--out", options.out, "the picture: its end decides: .png, .svg, .pdf")->required();
    app.add_option("--view", view, "what is drawn")->check(keysOf(kViews))->capture_default_str();
    app.add_option("--size", texts.size, "pixels of the picture")->capture_default_str();
    app.add_option("--scale", options.scale, "pixels for each logical pixel")->capture_default_str();
    app.add_option("--theme", theme, "colours")->check(keysOf(kThemes))->capture_default_str();
    app.add_option("--range", texts.range, "A..B: us from the first slice, or with unit (1.5ms..2ms)");
    app.add_option("--step", texts.step, "the step with that number");
    app.add_option("--annotation", texts.annotation, "tables: what starts inside a user annotation of that name");
    app.add_option("--filter", options.filter, "condition: dur > 50us and cat:kernel; plain text matches names");
    app.add_option("--sort", texts.sort, "tables: KEY, KEY:asc or KEY:desc");
    app.add_option("--limit", texts.limit, "tables: at most that many rows, 0 = all");
    app.add_option("--select", texts.select, "a slice id of torchline-cli dump");
    app.add_option("--arrows", arrows, "arrows of the timeline")->check(keysOf(kArrows))->capture_default_str();
    app.add_option("--lanes", options.lanes, "GLOB: only lanes whose label matches; can be repeated")
        ->allow_extra_args(false);
    try {
        app.parse(reversed(arguments));
    } catch (const CLI::ParseError& error) {
        return tl::make_unexpected(exitOf(app, error, kCommand));
    }
    options.view = kViews.at(view);
    options.theme = kThemes.at(theme);
    options.arrows = kArrows.at(arrows);
    for (const Status& status :
        {checkPicture(options, texts), checkScope(options, texts, app), checkRows(options, texts, app)}) {
        if (!status)
            return tl::make_unexpected(wrongUsage(kCommand, status.error().message()));
    }
    CommandLine line;
    line.render = std::move(options);
    return line;
}

} // namespace

std::optional<PictureFormat> pictureFormatOf(std::string_view path)
{
    constexpr std::array<std::pair<std::string_view, PictureFormat>, 3> kEnds{
        {{".png", PictureFormat::Png}, {".svg", PictureFormat::Svg}, {".pdf", PictureFormat::Pdf}}};
    for (const auto& [end, format] : kEnds) {
        if (endsWithIgnoringCase(path, end))
            return format;
    }
    return std::nullopt;
}

tl::expected<CommandLine, EarlyExit> parseCommandLine(const std::vector<std::string>& arguments)
{
    if (!arguments.empty() && arguments.front() == "render")
        return parseRender({arguments.begin() + 1, arguments.end()});
    return parseWindow(arguments);
}

} // namespace torchline
