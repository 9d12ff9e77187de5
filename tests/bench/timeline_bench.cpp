// bench-timeline: what frames, pyramids, search and rest of the timeline cost; see run.sh.
//   bench-timeline --files FOLDER [--quick]
//   bench-timeline --child WORK ARGUMENT...    one measured process

#include "report.h"
#include "timeline_subjects.h"
#include "trace_files.h"

#include <QApplication>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <unistd.h>

using namespace torchline::bench;

namespace {

const TraceFile kLargeFile{"trace-1gb.json", 2'810'000, 0};
const TraceFile kQuickFile{"trace-100mb.json", 281'000, 0};

struct Plan {
    double slack = 1;
    int rounds = 3;
    int moreTries = 0; ///< for rows over their bar: the machine may be busy with other things
    uint64_t slices = 10'000'000;
    bool isQuick = false;
};

using Runs = std::vector<Run>;

/// A measured process and what it said last.
class Subject {
public:
    Subject(Command command, int rounds)
        : m_command(std::move(command))
        , m_rounds(rounds)
    {
        again();
    }
    void again()
    {
        m_runs.clear();
        for (int i = 0; i < m_rounds; ++i)
            m_runs.push_back(torchline::bench::run(m_command));
    }

    [[nodiscard]] Spread spread(const std::string& key) const
    {
        std::vector<double> values;
        for (const Run& each : m_runs)
            values.push_back(reported(each, key));
        return spreadOf(std::move(values));
    }
    [[nodiscard]] double median(const std::string& key) const { return spread(key).median; }
    /// Of two figures of the same or of neighbouring runs.
    [[nodiscard]] Spread ratio(const std::string& key, const Subject& others, const std::string& other) const
    {
        std::vector<double> values;
        for (size_t i = 0; i < m_runs.size(); ++i)
            values.push_back(reported(m_runs[i], key) / std::max(reported(others.m_runs[i], other), 1e-6));
        return spreadOf(std::move(values));
    }

private:
    Command m_command;
    int m_rounds;
    Runs m_runs;
};

struct Row {
    std::string metric;
    const char* unit;
    Bar kind;
    double bar;
    std::function<Spread()> value;
    std::function<std::string()> how;
};

std::string text(const char* format, double a, double b = 0)
{
    std::array<char, 160> line;
    std::snprintf(line.data(), line.size(), format, a, b); // NOLINT: formats are all in this file
    return line.data();
}

bool isOnPath(const std::string& program)
{
    std::string_view left = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
    while (!left.empty()) {
        const size_t end = left.find(':');
        if (access((std::string(left.substr(0, end)) + '/' + program).c_str(), X_OK) == 0)
            return true;
        left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    }
    return false;
}

class TimelineBench {
public:
    TimelineBench(std::string self, std::string folder, const Plan& plan)
        : m_self(std::move(self))
        , m_folder(std::move(folder))
        , m_plan(plan)
        , m_slices(std::to_string(plan.slices))
        , m_report(plan.slack)
    {
    }

    int run()
    {
        const WrittenFile file = ensure(m_plan.isQuick ? kQuickFile : kLargeFile);
        std::array<double, 3> load{};
        if (getloadavg(load.data(), 3) < 1)
            load[0] = 0;
        std::printf("# %s slices of 200 rows; %s: %.0f MB, %llu events; load average %.1f; times are CPU time of one "
                    "thread, frames the best of several times over\n",
            m_slices.c_str(), file.path.substr(file.path.rfind('/') + 1).c_str(), static_cast<double>(file.bytes) / 1e6,
            static_cast<unsigned long long>(file.events), load[0]);
        frames();
        pyramids(file.path);
        search();
        widget(file.path, "offscreen", {"env", "QT_QPA_PLATFORM=offscreen"});
        if (isOnPath("xvfb-run"))
            widget(file.path, "xvfb", {"xvfb-run", "-a", "-s", "-screen 0 1920x1080x24", "env", "QT_QPA_PLATFORM=xcb"});
        else
            m_report.skip("xvfb-*", "there is no xvfb-run");
        return m_report.finish();
    }

private:
    [[nodiscard]] WrittenFile ensure(const TraceFile& file) const
    {
        if (!writtenFile(m_folder, file.name))
            writeFile(m_folder, file);
        return *writtenFile(m_folder, file.name);
    }

    [[nodiscard]] Subject child(Command command, const std::vector<std::string>& words) const
    {
        command.insert(command.end(), {m_self, "--child"});
        command.insert(command.end(), words.begin(), words.end());
        return {std::move(command), m_plan.rounds};
    }
    [[nodiscard]] Subject offscreen(const std::vector<std::string>& words) const
    {
        return child({"env", "QT_QPA_PLATFORM=offscreen"}, words);
    }

    /// `of`: what is to be measured again for another try.
    void add(const Row& row, std::initializer_list<Subject*> of)
    {
        Spread best = row.value();
        std::string how = row.how();
        int tries = 1;
        for (; tries <= m_plan.moreTries && !m_report.passes(best.median, row.kind, row.bar); ++tries) {
            for (Subject* subject : of)
                subject->again();
            const Spread now = row.value();
            if (row.kind == Bar::AtMost ? now.median < best.median : now.median > best.median) {
                best = now;
                how = row.how();
            }
        }
        if (tries > 1)
            how += (how.empty() ? "best of " : "; best of ") + std::to_string(tries) + " tries";
        m_report.add(row.metric, best, row.unit, row.kind, row.bar, how);
    }
    /// A figure that a subject reports.
    void atMost(const std::string& metric, Subject& subject, const std::string& key, const char* unit, double bar,
        const std::function<std::string()>& how)
    {
        add({metric, unit, Bar::AtMost, bar, [&] { return subject.spread(key); }, how}, {&subject});
    }

    void frames()
    {
        constexpr double kFrameMs = 10;
        constexpr double kOutlierMs = 12;
        const auto sizes = [this](const std::string& name, Subject& subject, double bar) {
            for (const std::string rows : {"200x5", "54x20"}) {
                const auto how = [&] {
                    return rows
                        + text(" px, p99 of the dearest zoom, %.1fx; a copy of the pixels alone %.2f ms",
                            subject.median(rows + "-whole-zoom"), subject.median("copy"));
                };
                atMost(name + rows + "-ms", subject, rows + "-whole", " ms", bar, how);
                atMost(name + rows + "-panned-ms", subject, rows + "-panned", " ms", bar,
                    [] { return std::string("16 pixels a frame"); });
            }
        };
        Subject flat = offscreen({"frames", "flat", m_slices});
        sizes("frame-", flat, kFrameMs);
        add({"each-slice/frame", "x", Bar::AtLeast, 30, [&] { return flat.ratio("each-slice", flat, "all-in-view"); },
                [&] {
                    return text("all in view: each slice with QPainter %.0f ms, a frame %.2f ms",
                        flat.median("each-slice"), flat.median("all-in-view"));
                }},
            {&flat});
        Subject outlier = offscreen({"frames", "outlier", m_slices});
        sizes("frame-outlier-", outlier, kOutlierMs);
        Subject nested = offscreen({"frames", "nested", m_slices});
        add({"frame-nested/flat", "x", Bar::AtMost, 1.5, [&] { return nested.ratio("200x5-sum", flat, "200x5-sum"); },
                [&] {
                    return text(
                        "all zooms: %.1f ms against %.1f", nested.median("200x5-sum"), flat.median("200x5-sum"));
                }},
            {&nested, &flat});
    }

    void pyramids(const std::string& file)
    {
        Subject built = offscreen({"index", file});
        add({"build-pyramids/load-1-thread", "x", Bar::AtMost, 0.15,
                [&] { return built.ratio("build", built, "load"); },
                [&] { return text("%.0f ms against %.0f ms", built.median("build"), built.median("load")); }},
            {&built});
        atMost("pyramid-bytes-a-slice", built, "pyramid-bytes-a-slice", " B", 4,
            [&] { return text("whole index %.2f B", built.median("index-bytes-a-slice")); });
        Subject weighed = offscreen({"weigh", m_slices});
        atMost("pyramid-bytes-a-slice-synthetic", weighed, "pyramid-bytes-a-slice", " B", 4, [&] {
            return text(
                "built in %.0f ms; whole index %.2f B", weighed.median("build"), weighed.median("index-bytes-a-slice"));
        });
    }

    void search()
    {
        Subject found = offscreen({"search", m_slices});
        for (const std::string word : {"softmax", "rare", "nowhere"}) {
            const auto how = [&] { return text("%.0f hits, wall time, best of 5", found.median("count-" + word)); };
            if (word != "nowhere")
                atMost("search-" + word + "-first-ms", found, "first-" + word, " ms", 50, how);
            atMost("search-" + word + "-all-ms", found, "all-" + word, " ms", 500, how);
        }
    }

    void widget(const std::string& file, const std::string& platform, const Command& command)
    {
        const auto say = [](const char* words) { return [words] { return std::string(words); }; };
        Subject view = child(command, {"widget", file});
        atMost(platform + "-frame-ms", view, "whole", " ms", 16,
            [&] { return text("labels, %.0f arrows and chips; p99 of the dearest zoom", view.median("arrows")); });
        Subject names = child(command, {"names", file});
        atMost(platform + "-frame-opened-ms", names, "opened", " ms", 33, say("the very first: buffers and fonts too"));
        atMost(platform + "-frame-new-names-ms", names, "first", " ms", 16,
            say("first frames of a process at four further zooms, the dearest"));
        atMost(platform + "-frame-panned-ms", view, "panned", " ms", 16, say("16 pixels a frame"));
        atMost(platform + "-hover-ms", view, "hover", " ms", 2, say("p99 of 100 places"));
        atMost(platform + "-select-ms", view, "select", " ms", 2, say("p99 of 100 places"));
        Subject rest = child(command, {"window", file, m_plan.isQuick ? "quick" : "long"});
        atMost(platform + "-rest-cpu", rest, "rest-cpu-percent", " %", 0.1, say("of one core, the whole window"));
        atMost(platform + "-rest-paints", rest, "rest-paints", "", 0, say(""));
        atMost(platform + "-rest-timers", rest, "rest-timers", "", 0, say(""));
        atMost(platform + "-roaming-growth", rest, "growth-mib", " MiB", 8,
            [&] { return text("resident %.0f MiB", rest.median("resident-mib")); });
    }

    std::string m_self;
    std::string m_folder;
    Plan m_plan;
    std::string m_slices;
    Report m_report;
};

/// For the runs: without it Qt complains in each, and makes one of its own in a place that others share.
class RuntimeFolder {
public:
    RuntimeFolder()
        : m_path((std::filesystem::temp_directory_path() / "torchline-bench-XXXXXX").string())
    {
        if (std::getenv(kVariable) == nullptr && mkdtemp(m_path.data()) != nullptr)
            m_isMade = setenv(kVariable, m_path.c_str(), 1) == 0;
    }
    RuntimeFolder(const RuntimeFolder&) = delete;
    RuntimeFolder& operator=(const RuntimeFolder&) = delete;
    ~RuntimeFolder()
    {
        std::error_code error;
        if (m_isMade)
            std::filesystem::remove_all(m_path, error);
    }

private:
    static constexpr const char* kVariable = "XDG_RUNTIME_DIR";
    std::string m_path;
    bool m_isMade = false;
};

/// What the offscreen platform says of each window is no fault.
void leaveOutSizeHints(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (!message.startsWith(QLatin1String("This plugin does not support propagateSizeHints")))
        std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
}

bool runChild(const std::string& work, const std::vector<std::string>& words)
{
    if (work == "index" && words.size() == 1)
        return buildIndex(words[0]);
    if (work == "weigh" && words.size() == 1)
        return weighPyramids(std::stoull(words[0]));
    if (work == "search" && words.size() == 1)
        return searchNames(std::stoull(words[0]));
    qInstallMessageHandler(leaveOutSizeHints);
    std::array<char, 1> name{};
    std::array<char*, 2> arguments{name.data(), nullptr};
    int count = 1;
    QApplication application(count, arguments.data());
    if (work == "frames" && words.size() == 2)
        return drawFrames(words[0], std::stoull(words[1]));
    if (work == "widget" && words.size() == 1)
        return drawWidget(words[0]);
    if (work == "names" && words.size() == 1)
        return drawFirstFrames(words[0]);
    return work == "window" && words.size() == 2 && restAndRoam(words[0], words[1] == "quick");
}

} // namespace

int main(int argc, char** argv)
{
    std::string folder;
    Plan plan;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--child" && i + 1 < argc) {
            const bool isDone = runChild(argv[i + 1], {argv + i + 2, argv + argc});
            std::fflush(stdout);
            // Without taking anything apart.
            std::_Exit(isDone ? 0 : 1);
        } else if (word == "--files" && i + 1 < argc) {
            folder = argv[++i];
        } else if (word == "--quick") {
            plan.isQuick = true;
            plan.slack = 2;
            plan.rounds = 1;
            plan.moreTries = 5;
            plan.slices = 2'000'000;
        } else {
            folder.clear();
            break;
        }
    }
    if (folder.empty()) {
        std::fprintf(stderr, "usage: bench-timeline --files FOLDER [--quick]\n");
        return 2;
    }
    static const RuntimeFolder runtime; // also after std::exit
    return TimelineBench(argv[0], folder, plan).run();
}
