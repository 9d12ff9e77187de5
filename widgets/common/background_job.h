#pragma once
// BackgroundJob: runs core work on a worker thread and delivers its result to a QObject's thread, latest only.
// Thread: owned and called on the GUI thread; the work runs on a pool thread; `done` on the GUI thread.
// Starting anew, or destroying the job, cancels what runs (stop token) and drops its result.
// A job that reads a trace which grows is given the pace of its view, which outlives it.

#include "common/growth_pace.h"

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
    explicit BackgroundJob(QObject* context, GrowthPace* pace = nullptr)
        : m_context(context)
        , m_pace(pace)
    {
    }
    ~BackgroundJob() { cancel(); }
    BackgroundJob(const BackgroundJob&) = delete;
    BackgroundJob& operator=(const BackgroundJob&) = delete;

    template <typename Work, typename Done> void start(Work work, Done done)
    {
        run(renewed(), std::move(work), std::move(done));
    }

    /// The work gets a second argument: a call that hands over what there is so far, to `partial` on the GUI thread.
    template <typename Part, typename Work, typename Partial, typename Done>
    void startInParts(Work work, Partial partial, Done done)
    {
        const std::shared_ptr<bool> ticket = renewed();
        QPointer<QObject> context = m_context;
        const auto publish = [partial = std::move(partial), ticket, context](Part part) {
            deliver([part = std::make_shared<Part>(std::move(part)), partial, ticket, context]() mutable {
                if (*ticket && context)
                    partial(std::move(*part));
            });
        };
        run(
            ticket,
            [work = std::move(work), publish](const std::stop_token& stop) mutable { return work(stop, publish); },
            std::move(done));
    }

    void cancel()
    {
        m_stop.request_stop();
        if (m_ticket)
            *m_ticket = false;
        m_ticket.reset();
        m_running = false;
        m_work.reset();
    }

    [[nodiscard]] bool isRunning() const { return m_running; }

private:
    [[nodiscard]] std::shared_ptr<bool> renewed()
    {
        cancel();
        m_stop = std::stop_source();
        m_running = true;
        m_work = m_pace != nullptr ? m_pace->work() : nullptr;
        m_ticket = std::make_shared<bool>(true);
        return m_ticket;
    }

    template <typename Work, typename Done> void run(const std::shared_ptr<bool>& ticket, Work work, Done done)
    {
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
                const std::shared_ptr<void> held = std::exchange(self->m_work, nullptr); // showing it is work, too
                done(std::move(*result));
            });
        });
    }

    /// Roomier than the cores: a quick look-up never waits behind two long sums.
    static QThreadPool& pool();
    /// Queues a call onto the GUI thread.
    static void deliver(std::function<void()> call);

    QPointer<QObject> m_context;
    GrowthPace* m_pace;
    std::shared_ptr<void> m_work; ///< while it runs
    std::stop_source m_stop;
    std::shared_ptr<bool> m_ticket; ///< read and written on the GUI thread only
    bool m_running = false;
};

} // namespace torchline
