#include "common/background_job.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QThread>

#include <algorithm>

namespace torchline {

QThreadPool& BackgroundJob::pool()
{
    struct Pool : QThreadPool {
        Pool() { setMaxThreadCount(std::max(4, QThread::idealThreadCount() + 2)); }
    };
    static Pool pool;
    return pool;
}

void BackgroundJob::deliver(std::function<void()> call)
{
    if (QCoreApplication* application = QCoreApplication::instance())
        QMetaObject::invokeMethod(application, std::move(call), Qt::QueuedConnection);
}

} // namespace torchline
