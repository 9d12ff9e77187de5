#pragma once
// Recording: a capture session as the window holds it: status, output and growing trace, delivered to the GUI thread,
// each only as fast as the window takes it: the next picture is made when the last one is drawn, at most 20 times a
// second, and after a rest of four times the processor time that it took. What the clock says would not do: beside a program
// that takes all cores pictures would come ever later, each with more in it.
// Thread: GUI thread only; signals too.

#include "record/launch_setup.h"
#include "record/live_view_data.h"

#include "capture/capture_session.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <mutex>

namespace torchline {

class Recording : public QObject {
    Q_OBJECT

public:
    explicit Recording(QObject* parent = nullptr);
    ~Recording() override; ///< a program that still runs goes on unrecorded

    /// The Error says what to do.
    [[nodiscard]] Status start(const LaunchSetup& setup);
    /// Asked after dataChanged() until it says that all views show what came. Empty: at once.
    void setSettledCheck(std::function<bool()> isSettled) { m_isSettled = std::move(isSettled); }

    [[nodiscard]] const LaunchSetup& setup() const { return m_setup; }
    [[nodiscard]] const capture::SessionStatus& status() const { return m_status; }
    /// The newest there is; null: nothing arrived yet.
    [[nodiscard]] const std::shared_ptr<const LiveViewData>& data() const { return m_data; }
    /// The session is done and data() is all of it.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    [[nodiscard]] bool isSaved() const { return m_isSaved; }
    /// The spool is not needed any more.
    void setSaved();
    void discard();

    void record() { m_session->record(); }
    void pause() { m_session->pause(); }
    void stop() { m_session->stop(); }
    void endProgram() { m_session->endProgram(); }
    void write(const QString& text) { m_session->writeInput(text.toStdString()); }
    void resizeTerminal(int columns, int rows) { m_session->resizeTerminal(columns, rows); }

Q_SIGNALS:
    void statusChanged();
    void dataChanged();
    void outputArrived(const QByteArray& bytes);
    void completed(); ///< done and data() is whole, or failed

private:
    struct Mailbox;
    void open();
    void restUntilNext();
    void complete(const std::shared_ptr<const LiveViewData>& data);

    LaunchSetup m_setup;
    capture::SessionStatus m_status;
    std::shared_ptr<const LiveViewData> m_data;
    bool m_isComplete = false;
    bool m_isSaved = false;
    std::function<bool()> m_isSettled;
    QElapsedTimer m_sinceData; ///< since data() came
    int64_t m_cpuAtData = 0; ///< of the GUI thread, when data() came
    QTimer m_rest; ///< until the next is asked for
    std::shared_ptr<Mailbox> m_mailbox;
    std::unique_ptr<capture::CaptureSession> m_session; ///< goes before the mailbox
    std::jthread m_last; ///< prepares the whole trace
};

} // namespace torchline
