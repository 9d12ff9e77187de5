#include "record/recording.h"

#include <QMetaObject>

#include <algorithm>
#include <atomic>
#include <utility>

namespace torchline {

namespace {

constexpr qsizetype kMostOutput = qsizetype{4} << 20; ///< that the window has not yet shown; the oldest goes
constexpr qint64 kShowEveryMs = 50;
constexpr int kLookAgainMs = 5; ///< whether what is drawn has settled
constexpr qint64 kSettleWithinMs = 2000;
constexpr qint64 kRestForWork = 4; ///< a fifth of the time is work

} // namespace

/// Filled by the session's threads, emptied by the GUI's: one queued call for however much came.
struct Recording::Mailbox {
    std::mutex mutex;
    Recording* owner = nullptr; ///< guarded, as the rest
    bool isAnnounced = false;
    std::optional<capture::SessionStatus> status;
    std::shared_ptr<const LiveViewData> data;
    QByteArray output;
    std::atomic<bool> isDataWanted{true};

    template <typename Fill> void put(Fill fill)
    {
        const std::scoped_lock lock(mutex);
        fill();
        if (owner != nullptr && !std::exchange(isAnnounced, true))
            QMetaObject::invokeMethod(owner, &Recording::open, Qt::QueuedConnection);
    }
};

Recording::Recording(QObject* parent)
    : QObject(parent)
    , m_mailbox(std::make_shared<Mailbox>())
{
    m_mailbox->owner = this;
    m_rest.setSingleShot(true);
    connect(&m_rest, &QTimer::timeout, this, &Recording::restUntilNext);
}

Recording::~Recording()
{
    const std::scoped_lock lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

Status Recording::start(const LaunchSetup& setup)
{
    m_setup = setup;
    capture::SessionCallbacks callbacks;
    const std::shared_ptr<Mailbox> box = m_mailbox;
    callbacks.statusChanged = [box](const capture::SessionStatus& status) { box->put([&] { box->status = status; }); };
    callbacks.output = [box](std::string_view text) {
        box->put([&] {
            box->output.append(text.data(), static_cast<qsizetype>(text.size()));
            if (box->output.size() > kMostOutput)
                box->output.remove(0, box->output.size() - kMostOutput);
        });
    };
    capture::SessionOptions options = setup.options();
    if (options.supervisor.empty())
        return Error(ErrorCode::Io,
            "torchline-supervise, which holds the program's terminal, is missing; install Torchline again");
    const auto begunNs = std::make_shared<int64_t>(0);
    callbacks.wantsSnapshot = [box, begunNs] {
        *begunNs = threadCpuNs();
        return box->isDataWanted.load(std::memory_order_relaxed);
    };
    // Of the session's thread. Who shows the last picture holds it until the next is there.
    const auto last = std::make_shared<std::weak_ptr<const LiveViewData>>();
    callbacks.snapshotTaken = [box, begunNs, last, label = options.label](std::shared_ptr<const TraceSnapshot> trace) {
        if (trace->sliceCount() == 0)
            return;
        box->isDataWanted.store(false, std::memory_order_relaxed);
        auto data = liveViewData(std::move(trace), label, last->lock().get());
        data->costNs = threadCpuNs() - *begunNs;
        *last = data;
        box->put([&] { box->data = std::move(data); });
    };
    auto session = capture::CaptureSession::start(std::move(options), std::move(callbacks));
    if (!session)
        return session.error();
    m_session = std::move(*session);
    m_status = m_session->status();
    return {};
}

void Recording::open()
{
    std::optional<capture::SessionStatus> status;
    std::shared_ptr<const LiveViewData> data;
    QByteArray output;
    {
        const std::scoped_lock lock(m_mailbox->mutex);
        m_mailbox->isAnnounced = false;
        status = std::exchange(m_mailbox->status, std::nullopt);
        data = std::exchange(m_mailbox->data, nullptr);
        output = std::exchange(m_mailbox->output, {});
    }
    if (!output.isEmpty())
        Q_EMIT outputArrived(output);
    if (data && !m_isComplete) {
        m_data = std::move(data);
        m_sinceData.start();
        m_cpuAtData = threadCpuNs();
        Q_EMIT dataChanged();
        m_rest.start(kLookAgainMs);
    }
    if (!status)
        return;
    const bool wasOver = isOver(m_status.phase);
    m_status = std::move(*status);
    Q_EMIT statusChanged();
    if (wasOver || !isOver(m_status.phase))
        return;
    if (m_status.phase == capture::Phase::Failed) {
        Q_EMIT completed();
        return;
    }
    m_last = std::jthread([this, trace = m_session->trace(), label = m_setup.options().label, before = m_data] {
        auto whole = lastViewData(trace, label, before.get());
        QMetaObject::invokeMethod(
            this, [this, whole = std::move(whole)] { complete(whole); }, Qt::QueuedConnection);
    });
}

void Recording::restUntilNext()
{
    if (m_isComplete || !m_data)
        return;
    const qint64 shownMs = m_sinceData.elapsed();
    if (m_isSettled && !m_isSettled() && shownMs < kSettleWithinMs) {
        m_rest.start(kLookAgainMs);
        return;
    }
    const int64_t workNs = m_data->costNs + threadCpuNs() - m_cpuAtData;
    QTimer::singleShot(std::max(kShowEveryMs - shownMs, kRestForWork * (workNs / 1'000'000)), this,
        [this] { m_mailbox->isDataWanted.store(true, std::memory_order_relaxed); });
}

void Recording::complete(const std::shared_ptr<const LiveViewData>& data)
{
    m_data = data;
    m_isComplete = true;
    Q_EMIT dataChanged();
    Q_EMIT completed();
}

void Recording::setSaved()
{
    m_isSaved = true;
    m_session->discardSpool();
}

void Recording::discard()
{
    if (m_session)
        m_session->discardSpool();
}

} // namespace torchline
