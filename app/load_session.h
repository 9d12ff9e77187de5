#pragma once
// LoadSession: opens files beside the window and hands over what views need of them, built on the same worker.
// Thread: GUI thread only; the work runs on a std::jthread of its own. Progress at most 20 times a second.
// A new start() or cancel() drops what runs; the destructor waits for the worker, which looks at its stop token.

#include "import/load.h"
#include "lod/overview.h"

#include "common/trace_facts.h"
#include "density_strip.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace torchline {

struct LoadedTrace {
    std::vector<std::string> paths; ///< as given
    std::shared_ptr<const TraceSnapshot> trace;
    std::shared_ptr<const TraceFacts> facts; ///< with classes and steps
    std::shared_ptr<const lod::TimelineIndex> index;
    std::shared_ptr<const lod::Overview> overview;
    DensityStrip density;
};

/// What views need of a trace: its classes, index, overview and density. Null when stopped. Thread: any but the GUI's.
[[nodiscard]] std::shared_ptr<const LoadedTrace> prepared(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, std::stop_token stop = {});
/// The same of a trace that grows, all but its density. before: null, or what was made of it last. Cost: what came since,
/// and some of what is there.
[[nodiscard]] std::shared_ptr<LoadedTrace> preparedGrowing(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, const LoadedTrace* before);
/// Of one that has grown to its end: with its density.
[[nodiscard]] std::shared_ptr<const LoadedTrace> preparedGrown(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, const LoadedTrace* before);

class LoadSession : public QObject {
    Q_OBJECT

public:
    explicit LoadSession(QObject* parent = nullptr);
    ~LoadSession() override;

    /// Of loads that start from now on; what they report is set here.
    [[nodiscard]] LoadOptions& options() { return m_options; }
    /// "-" is standard input.
    void start(std::vector<std::string> paths);
    /// Emits cancelled() if something runs.
    void cancel();

    [[nodiscard]] bool isLoading() const { return m_job != nullptr; }
    [[nodiscard]] const std::vector<std::string>& paths() const { return m_paths; }
    [[nodiscard]] const LoadProgress& progress() const { return m_progress; }
    /// All bytes are read; slices are being nested, linked and indexed.
    [[nodiscard]] bool isIndexing() const;
    [[nodiscard]] int64_t elapsedMs() const { return m_elapsed.elapsed(); }

    /// The same work on the calling thread, for pictures drawn without a window.
    [[nodiscard]] static Result<LoadedTrace> loadNow(
        const std::vector<std::string>& paths, const LoadOptions& options = {}, std::stop_token stop = {});

Q_SIGNALS:
    void started();
    void progressed();
    /// What was read so far; each of them replaces the one before, and loaded() all of them.
    void partLoaded(const std::shared_ptr<const torchline::LoadedTrace>& part);
    void loaded(const std::shared_ptr<const torchline::LoadedTrace>& result);
    void failed(const QString& message);
    void cancelled();

private:
    struct Job;
    void takeProgress(Job* job);
    void takePart(Job* job);
    void finish(Job* job);
    void retire();

    LoadOptions m_options;
    std::vector<std::string> m_paths;
    std::unique_ptr<Job> m_job; ///< null: nothing runs
    std::vector<std::unique_ptr<Job>> m_retired; ///< cancelled, not yet ended
    LoadProgress m_progress;
    QElapsedTimer m_elapsed;
    uint64_t m_generation = 0; ///< above those of all traces handed out
};

} // namespace torchline
