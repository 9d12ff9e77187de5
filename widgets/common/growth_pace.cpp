#include "common/growth_pace.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

constexpr qint64 kRestForWork = 15; ///< two of them together take an eighth of a core
constexpr qint64 kLeastRestMs = 50;

} // namespace

GrowthPace::GrowthPace(std::function<void()> refresh)
    : m_refresh(std::move(refresh))
{
    m_rest.setSingleShot(true);
    QObject::connect(&m_rest, &QTimer::timeout, &m_rest, [this] { goOn(); });
}

void GrowthPace::wait()
{
    m_isDue = true;
    if (m_work.expired() && !m_rest.isActive())
        m_rest.start(0); // not before all have heard of it
}

void GrowthPace::goOn()
{
    if (std::exchange(m_isDue, false))
        m_refresh();
}

std::shared_ptr<void> GrowthPace::work()
{
    if (std::shared_ptr<void> running = m_work.lock())
        return running;
    m_rest.stop();
    m_sinceWorkBegan.start();
    // The last of a view's jobs may be over because the view is.
    std::shared_ptr<void> work(this, [this, alive = QPointer<QTimer>(&m_rest)](void*) {
        if (alive)
            rest();
    });
    m_work = work;
    return work;
}

void GrowthPace::rest()
{
    m_rest.start(static_cast<int>(std::max(kLeastRestMs, kRestForWork * m_sinceWorkBegan.elapsed())));
}

void GrowthPace::reset()
{
    m_isDue = false;
    m_rest.stop();
}

} // namespace torchline
