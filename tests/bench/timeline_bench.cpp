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
    uint64_t slices = 10'000'000;
    bool isQuick = false;
};

using Runs = std::vector<Run>;

Spread spread(const Runs& runs, const std::string& key)
{
    std::vector<double> values;
    for (const Run& each : runs)
        values.push_back(reported(each, key));
    return spreadOf(std::move(values));
}

/// Of two figures of the same or of neighbouring runs.
Spread ratio(const Runs& runs, const std::string& key, const Runs& others, const std::string& other)
{
    std::vector<double> values;
    for (size_t i = 0; i < runs.size(); ++i)
        values.push_back(reported(runs[i], key) / std::max(reported(others[i], other), 1e-6));
    return spreadOf(std::move(values));
}

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

    [[nodiscard]] Runs children(Command command, const std::vector<std::string>& words) const
    {
        command.insert(command.end(), {m_self, "--child"});
        command.insert(command.end(), words.begin(), words.end());
        Runs runs;
        for (int i = 0; i < m_plan.rounds; ++i)
            runs.push_back(torchline::bench::run(command));
        return runs;
    }
    [[nodiscard]] Runs offscreen(const std::vector<std::string>& words) const
    {
        return children({"env", "QT_QPA_PLATFORM=offscreen"}, words);
    }

    void atMost(const std::string& metric, const Spread& value, const char* unit, double bar, const std::string& how)
    {
        m_report.add(metric, value, unit, Bar::AtMost, bar, how);
    }

    void frames()
    {
        constexpr double kFrameMs = 10;
        constexpr double kOutlierMs = 12;
        const Runs flat = offscreen({"frames", "flat", m_slices});
        const auto add = [this](const std::string& name, const Runs& runs, double bar) {
            for (const std::string rows : {"200x5", "54x20"}) {
                const std::string how = rows
                    + text(" px, p99 of the dearest zoom, %.1fx; a copy of the pixels alone %.2f ms",
                        spread(runs, rows + "-whole-zoom").median, spread(runs, "copy").median);
                atMost(name + rows + "-ms", spread(runs, rows + "-whole"), " ms", bar, how);
                atMost(name + rows + "-panned-ms", spread(runs, rows + "-panned"), " ms", bar, "16 pixels a frame");
            }
        };
        add("frame-", flat, kFrameMs);
        m_report.add("each-slice/frame", ratio(flat, "each-slice", flat, "all-in-view"), "x", Bar::AtLeast, 30,
            text("all in view: each slice with QPainter %.0f ms, a frame %.2f ms", spread(flat, "each-slice").median,
                spread(flat, "all-in-view").median));
        add("frame-outlier-", offscreen({"frames", "outlier", m_slices}), kOutlierMs);
        const Runs nested = offscreen({"frames", "nested", m_slices});
        atMost("frame-nested/flat", ratio(nested, "200x5-sum", flat, "200x5-sum"), "x", 1.5,
            text("all zooms: %.1f ms against %.1f", spread(nested, "200x5-sum").median,
                spread(flat, "200x5-sum").median));
    }

    void pyramids(const std::string& file)
    {
        const Runs built = offscreen({"index", file});
        atMost("build-pyramids/load-1-thread", ratio(built, "build", built, "load"), "x", 0.15,
            text("%.0f ms against %.0f ms", spread(built, "build").median, spread(built, "load").median));
        atMost("pyramid-bytes-a-slice", spread(built, "pyramid-bytes-a-slice"), " B", 4,
            text("whole index %.2f B", spread(built, "index-bytes-a-slice").median));
        const Runs weighed = offscreen({"weigh", m_slices});
        atMost("pyramid-bytes-a-slice-synthetic", spread(weighed, "pyramid-bytes-a-slice"), " B", 4,
            text("built in %.0f ms; whole index %.2f B", spread(weighed, "build").median,
                spread(weighed, "index-bytes-a-slice").median));
    }

    void search()
    {
        const Runs runs = offscreen({"search", m_slices});
        for (const std::string word : {"softmax", "rare", "nowhere"}) {
            const std::string how = text("%.0f hits, wall time, best of 5", spread(runs, "count-" + word).median);
            if (word != "nowhere")
                atMost("search-" + word + "-first-ms", spread(runs, "first-" + word), " ms", 50, how);
            atMost("search-" + word + "-all-ms", spread(runs, "all-" + word), " ms", 500, how);
        }
    }

    void widget(const std::string& file, const std::string& platform, const Command& command)
    {
        const Runs runs = children(command, {"widget", file});
        const std::string arrows
            = text("labels, %.0f arrows and chips; p99 of the dearest zoom", spread(runs, "arrows").median);
        atMost(platform + "-frame-ms", spread(runs, "whole"), " ms", 16, arrows);
        atMost(platform + "-frame-new-names-ms", spread(runs, "first"), " ms", 16, "names seen for the first time");
        atMost(platform + "-frame-panned-ms", spread(runs, "panned"), " ms", 16, "16 pixels a frame");
        atMost(platform + "-hover-ms", spread(runs, "hover"), " ms", 2, "p99 of 100 places");
        atMost(platform + "-select-ms", spread(runs, "select"), " ms", 2, "p99 of 100 places");
        const Runs rest = children(command, {"window", file, m_plan.isQuick ? "quick" : "long"});
        atMost(platform + "-rest-cpu", spread(rest, "rest-cpu-percent"), " %", 0.1, "of one core, the whole window");
        atMost(platform + "-rest-paints", spread(rest, "rest-paints"), "", 0, "");
        atMost(platform + "-rest-timers", spread(rest, "rest-timers"), "", 0, "");
        atMost(platform + "-roaming-growth", spread(rest, "growth-mib"), " MiB", 8,
            text("resident %.0f MiB", spread(rest, "resident-mib").median));
    }

    std::string m_self;
    std::string m_folder;
    Plan m_plan;
    std::string m_slices;
    Report m_report;
};

bool runChild(const std::string& work, const std::vector<std::string>& words)
{
    if (work == "index" && words.size() == 1)
        return buildIndex(words[0]);
    if (work == "weigh" && words.size() == 1)
        return weighPyramids(std::stoull(words[0]));
    if (work == "search" && words.size() == 1)
        return searchNames(std::stoull(words[0]));
    std::array<char, 1> name{};
    std::array<char*, 2> arguments{name.data(), nullptr};
    int count = 1;
    QApplication application(count, arguments.data());
    if (work == "frames" && words.size() == 2)
        return drawFrames(words[0], std::stoull(words[1]));
    if (work == "widget" && words.size() == 1)
        return drawWidget(words[0]);
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
    return TimelineBench(argv[0], folder, plan).run();
}
