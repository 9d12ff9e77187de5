#pragma once
// letGo: gives up a share in something large. Whoever has the last one frees it, which takes longer the larger it is:
// a worker does that. Thread: any.

#include <QThreadPool>

#include <memory>
#include <utility>

namespace torchline {

template <typename T> void letGo(std::shared_ptr<T> share)
{
    if (share)
        QThreadPool::globalInstance()->start([share = std::move(share)]() mutable { share.reset(); });
}

} // namespace torchline
