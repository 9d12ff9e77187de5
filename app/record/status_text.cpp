#include "record/status_text.h"

#include <QCoreApplication>

namespace torchline {

using namespace Qt::StringLiterals;
using capture::Phase;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("StatusText", text);
}

bool isByHand(const capture::SessionStatus& status)
{
    return status.phase == Phase::Paused || status.phase == Phase::Waiting;
}

} // namespace

QString phaseText(const capture::SessionStatus& status)
{
    switch (status.phase) {
    case Phase::Idle:
    case Phase::Connecting:
        return tr("Starting");
    case Phase::Waiting:
        return tr("Waiting");
    case Phase::Warmup:
        return tr("Warming up");
    case Phase::Recording:
        return tr("Recording");
    case Phase::Paused:
        return tr("Paused");
    case Phase::Draining:
        return tr("Reading the rest");
    case Phase::Done:
        return tr("Recorded");
    case Phase::Failed:
        break;
    }
    return tr("Nothing recorded");
}

QString clockText(const capture::SessionStatus& status)
{
    const int64_t ns
        = capture::isOver(status.phase) ? status.phaseNs[static_cast<size_t>(Phase::Recording)] : status.elapsedNs;
    const int64_t ms = ns / 1'000'000;
    const auto padded = [](int64_t number, int width) { return u"%1"_s.arg(number, width, 10, QChar(u'0')); };
    return padded(ms / 60'000, 2) + u':' + padded(ms / 1000 % 60, 2) + u'.' + padded(ms % 1000, 3);
}

QString pauseText(const capture::SessionStatus& status)
{
    if (status.phase == Phase::Paused)
        return tr("Go On");
    return isByHand(status) ? tr("Record Now") : tr("Pause");
}

bool canPause(const capture::SessionStatus& status)
{
    return isByHand(status) || status.phase == Phase::Recording || status.phase == Phase::Warmup;
}

} // namespace torchline
