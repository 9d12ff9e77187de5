#pragma once
// BackgroundJob: runs core work on a worker thread and delivers its result to a QObject's thread, latest only.
// Thread: owned and called on the GUI thread; the work runs on a pool thread; `done` on the GUI thread.
// Starting anew, or destroying the job, cancels what runs (stop token) and drops its result.

#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace torchline {

class BackgroundJob {
public:
    /// done is called only while context lives.
    explicit BackgroundJob(QObject* context)
        : m_context(context)
    {
    }
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    template <typename Work, typename Done> void start(Work work, Done done)
    {
        cancel();
        m_stop = std::stop_source();
        m_running = true;
        const auto ticket = std::make_shared<bool>(true);
        m_ticket = ticket;
        // The context may die while the work runs; a queued call to a QPointer is made through the application object.
        QPointer<QObject> context = m_context;
        BackgroundJob* self = this;
        pool().start([work = std::move(work), done = std::move(done), stop = m_stop.get_token(), ticket, context,
                         self]() mutable {
            if (stop.stop_requested())
                return;
            auto result = std::make_shared<decltype(work(stop))>(work(stop));
            deliver([result = std::move(result), done = std::move(done), ticket, context, self]() mutable {
                if (!*ticket || !context)
                    return;
                *ticket = false;
                self->m_running = false;
                done(std::move(*result));
            });
        });
    }

    void cancel()
    {
        m_stop.request_stop();
        if (m_ticket)
            *m_ticket = false;
        m_ticket.reset();
        m_running = false;
    }

    [[nodiscard]] bool isRunning() const { return m_running; }

private:
    /// Roomier than the cores: a quick look-up never waits behind two long sums.
    static QThreadPool& pool();
    /// Queues a call onto the GUI thread.
    static void deliver(std::function<void()> call);

    QPointer<QObject> m_context;
    std::stop_source m_stop;
    std::shared_ptr<bool> m_ticket; ///< read and written on the GUI thread only
    bool m_running = false;
};

} // namespace torchline
