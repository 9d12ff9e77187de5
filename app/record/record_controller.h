#pragma once
// RecordController: what the window does with recordings: starts one, shows it as it grows and follows it, saves it,
// asks before it is lost, offers what an earlier run left behind. Thread: GUI thread only.

#include "record/recording.h"

#include "common/background_job.h"
#include "common/theme_host.h"
#include "common/view_state.h"
#include "message_bar.h"

#include <QObject>

#include <functional>
#include <memory>

class QWidget;

namespace torchline {

class RecordPage;
class Settings;

class RecordController : public QObject {
    Q_OBJECT

public:
    /// The page: where a recording is set up and watched.
    RecordController(RecordPage* page, ThemeHost* themes, Settings& settings, ViewState* state, MessageBar* messages,
        QWidget* window);
    ~RecordController() override;

    [[nodiscard]] RecordPage* page() { return m_page; }
    /// Null: there is none.
    [[nodiscard]] Recording* recording() { return m_recording.get(); }
    [[nodiscard]] bool isRunning() const; ///< not yet done
    [[nodiscard]] bool hasUnsaved() const;
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }

    /// An unsaved one is asked about first.
    void start(const LaunchSetup& setup);
    void stop();
    void pauseOrGoOn();
    void endProgram(); ///< asks
    void save();
    void newRecording(); ///< the form; an unsaved one is asked about first
    /// The trace as it is now, and from now on as it grows.
    void showView();
    void leaveView() { m_isInView = false; }
    [[nodiscard]] bool isInView() const { return m_isInView; }
    void setFollowing(bool follows);
    /// The view at a slice of the newest trace.
    void showSlice(SliceRef slice);
    /// True: the window may close. Else it is asked, and closed again when that is answered.
    [[nodiscard]] bool mayClose();
    void offerRecovery();
    /// Whether the window shows all of what it was given last.
    void setSettledCheck(std::function<bool()> isSettled) { m_isSettled = std::move(isSettled); }

Q_SIGNALS:
    void changed(); ///< what can be done
    void pageRequested();
    void traceReady(const std::shared_ptr<const torchline::LoadedTrace>& loaded, const QString& name, bool keepView);
    void closeRequested();

private:
    void takeData();
    void follow();
    void onCompleted();
    void askAboutUnsaved(std::function<void()> then);
    void saveTo(const QString& path, std::function<void()> then);
    void chooseAndSave(std::function<void()> then);
    void drop();
    void recover(const std::string& path);
    [[nodiscard]] QString name() const;
    [[nodiscard]] std::shared_ptr<const LoadedTrace> trace() const;

    ThemeHost* m_themes;
    Settings& m_settings;
    ViewState* m_state;
    MessageBar* m_messages;
    QWidget* m_window;
    RecordPage* m_page;
    std::unique_ptr<Recording> m_recording;
    std::shared_ptr<const LoadedTrace> m_recovered; ///< of an earlier run
    std::string m_recoveredSpool;
    BackgroundJob m_saving;
    BackgroundJob m_recovering;
    std::function<bool()> m_isSettled;
    std::function<void()> m_afterEnd; ///< what waits for the recording to be complete
    bool m_isSavedRecovery = false;
    bool m_isInView = false;
    bool m_isFollowing = true;
    bool m_isMoving = false; ///< the view is moved by us
    bool m_letsRun = false; ///< the program may outlive the window
};

} // namespace torchline
