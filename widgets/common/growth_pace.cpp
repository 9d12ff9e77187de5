#include "common/growth_pace.h"

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
    if (!m_work.isValid() && !m_rest.isActive())
        m_rest.start(0); // not before all have heard of it
}

void GrowthPace::goOn()
{
    if (std::exchange(m_isDue, false))
        m_refresh();
}

void GrowthPace::workBegan()
{
    m_rest.stop();
    m_work.start();
}

void GrowthPace::workEnded()
{
    if (!m_work.isValid())
        return;
    m_rest.start(static_cast<int>(std::max(kLeastRestMs, kRestForWork * m_work.elapsed())));
    m_work.invalidate();
}

void GrowthPace::reset()
{
    m_isDue = false;
    m_work.invalidate();
    m_rest.stop();
}

} // namespace torchline
