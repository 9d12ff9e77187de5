#include "common/background_job.h"

#include <QCoreApplication>
#include <QMetaObject>

namespace torchline {

void BackgroundJob::deliver(std::function<void()> call)
{
    if (QCoreApplication* application = QCoreApplication::instance())
        QMetaObject::invokeMethod(application, std::move(call), Qt::QueuedConnection);
}

} // namespace torchline
