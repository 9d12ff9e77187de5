#include "load_session.h"

#include "common/format.h"

#include <QMetaObject>

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

constexpr size_t kDensityColumns = 84;

} // namespace

std::shared_ptr<const LoadedTrace> prepared(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, std::stop_token stop)
{
    auto loaded = std::make_shared<LoadedTrace>();
    loaded->paths = std::move(paths);
    loaded->trace = std::move(trace);
    loaded->facts = std::make_shared<const TraceFacts>(loaded->trace);
    loaded->index = lod::TimelineIndex::build(loaded->trace, loaded->facts->workClasses(), stop);
    if (loaded->index)
        loaded->overview = lod::Overview::build(*loaded->index, loaded->facts->steps(), stop);
    if (!loaded->overview)
        return nullptr;
    loaded->density = densityStrip(*loaded->trace, kDensityColumns, stop);
    return loaded;
}

std::shared_ptr<LoadedTrace> preparedGrowing(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, const LoadedTrace* before)
{
    auto loaded = std::make_shared<LoadedTrace>();
    loaded->paths = std::move(paths);
    loaded->trace = std::move(trace);
    const TraceSnapshot& now = *loaded->trace;
    const SnapshotDelta delta(before != nullptr ? *before->trace : now, now);
    const lod::TimelineIndex* index = nullptr;
    if (before != nullptr) {
        index = before->index.get();
        loaded->facts = std::make_shared<const TraceFacts>(loaded->trace,
            WorkClasses(now, before->facts->workClasses(), delta), profilerSteps(now, before->facts->steps(), delta));
    } else {
        loaded->facts = std::make_shared<const TraceFacts>(loaded->trace);
    }
    loaded->index = lod::TimelineIndex::grown(loaded->trace, loaded->facts->workClasses(), index, delta);
    loaded->overview = lod::Overview::grown(
        *loaded->index, loaded->facts->steps(), before != nullptr ? before->overview.get() : nullptr, delta);
    return loaded;
}

std::shared_ptr<const LoadedTrace> preparedGrown(
    std::shared_ptr<const TraceSnapshot> trace, std::vector<std::string> paths, const LoadedTrace* before)
{
    std::shared_ptr<LoadedTrace> loaded = preparedGrowing(std::move(trace), std::move(paths), before);
    loaded->density = densityStrip(*loaded->trace, kDensityColumns);
    return loaded;
}

/// Shared with the worker; whoever holds it is in m_job or m_retired until the worker has reported its end.
struct LoadSession::Job {
    std::mutex mutex;
    LoadProgress latest; ///< guarded
    bool isAnnounced = false; ///< guarded: a queued call will fetch `latest`
    std::shared_ptr<const LoadedTrace> part; ///< guarded: not null: a queued call will fetch it
    std::optional<Result<LoadedTrace>> result; ///< written by the worker before its end is queued
    std::jthread thread; ///< last: joins before the rest goes
};

LoadSession::LoadSession(QObject* parent)
    : QObject(parent)
{
}

LoadSession::~LoadSession()
{
    retire();
    m_retired.clear();
}

bool LoadSession::isIndexing() const
{
    return m_progress.bytesTotal > 0 && m_progress.bytesRead >= m_progress.bytesTotal;
}

Result<LoadedTrace> LoadSession::loadNow(
    const std::vector<std::string>& paths, const LoadOptions& options, std::stop_token stop)
{
    auto trace = loadTraces(paths, options, stop);
    if (!trace)
        return trace.error();
    const auto loaded = prepared(*trace, paths, stop);
    if (!loaded)
        return Error(ErrorCode::Cancelled, "cancelled");
    return *loaded;
}

void LoadSession::start(std::vector<std::string> paths)
{
    retire();
    m_paths = std::move(paths);
    m_progress = {};
    m_elapsed.start();
    m_job = std::make_unique<Job>();
    Job* job = m_job.get();
    LoadOptions options = m_options;
    options.generation = m_generation;
    options.progress = [this, job](const LoadProgress& progress) {
        {
            const std::lock_guard lock(job->mutex);
            job->latest = progress;
            if (std::exchange(job->isAnnounced, true))
                return;
        }
        QMetaObject::invokeMethod(
            this, [this, job] { takeProgress(job); }, Qt::QueuedConnection);
    };
    job->thread = std::jthread([this, job, options, files = m_paths](const std::stop_token& stop) mutable {
        options.partial = [&](std::shared_ptr<const TraceSnapshot> trace) {
            auto part = prepared(std::move(trace), files, stop);
            if (!part)
                return;
            {
                const std::lock_guard lock(job->mutex);
                if (std::exchange(job->part, std::move(part)))
                    return;
            }
            QMetaObject::invokeMethod(
                this, [this, job] { takePart(job); }, Qt::QueuedConnection);
        };
        job->result = loadNow(files, options, stop);
        QMetaObject::invokeMethod(
            this, [this, job] { finish(job); }, Qt::QueuedConnection);
    });
    Q_EMIT started();
}

void LoadSession::cancel()
{
    if (!m_job)
        return;
    retire();
    Q_EMIT cancelled();
}

void LoadSession::retire()
{
    if (!m_job)
        return;
    m_job->thread.request_stop();
    m_retired.push_back(std::move(m_job));
}

void LoadSession::takeProgress(Job* job)
{
    if (job != m_job.get())
        return;
    {
        const std::lock_guard lock(job->mutex);
        m_progress = job->latest;
        job->isAnnounced = false;
    }
    Q_EMIT progressed();
}

void LoadSession::takePart(Job* job)
{
    if (job != m_job.get())
        return;
    std::shared_ptr<const LoadedTrace> part;
    {
        const std::lock_guard lock(job->mutex);
        part = std::exchange(job->part, nullptr);
    }
    m_generation = part->trace->generation() + 1;
    Q_EMIT partLoaded(part);
}

void LoadSession::finish(Job* job)
{
    if (job != m_job.get()) {
        std::erase_if(m_retired, [job](const std::unique_ptr<Job>& other) { return other.get() == job; });
        return;
    }
    const std::unique_ptr<Job> done = std::move(m_job);
    Result<LoadedTrace>& result = *done->result;
    if (result)
        m_generation = result->trace->generation() + 1;
    if (result)
        Q_EMIT loaded(std::make_shared<const LoadedTrace>(std::move(*result)));
    else if (result.error().code() == ErrorCode::Cancelled)
        Q_EMIT cancelled();
    else
        Q_EMIT failed(displayText(result.error().message()));
}

} // namespace torchline
