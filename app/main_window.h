#pragma once
// MainWindow: one window: menus, tool strip, start page or workspace, status line; opens files, reloads, remembers.
// Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include "kept_views.h"
#include "key_bindings.h"
#include "load_session.h"
#include "recent_files.h"
#include "settings.h"
#include "text_size.h"

#include <QMainWindow>
#include <QTimer>

#include <memory>
#include <string>
#include <vector>

class QAction;
class QLabel;
class QMenu;
class QStackedWidget;

namespace torchline {

class ExportDialog;
class FileWatch;
class MessageBar;
class ProgressStrip;
class LiveStrip;
class RecordController;
class SearchBox;
class StartPage;
class StatusLine;
class ThemeController;
class ToolStrip;
class Workspace;
struct ExportSubject;
struct SessionFile;
struct WindowActions;
enum class Pane : uint8_t;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// Keeps references to both. controller: null when the theme is fixed (pictures).
    MainWindow(ThemeHost* themes, Settings& settings, ThemeController* controller, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Replaces what is open once they are read; "-" is standard input. One may be a session, alone.
    void openFiles(const std::vector<std::string>& paths);
    /// Shows what is loaded already.
    void showTrace(const LoadedTrace& loaded, bool keepView = false);
    void closeTrace();
    /// Starts and records it.
    void recordProgram(const std::vector<std::string>& command);
    /// Asks about recordings that an earlier run left unsaved.
    void offerRecovery();
    void reload();
    /// To the file of the open session, or one that is asked for.
    void saveSession();
    void saveSessionAs();
    void openExport();
    /// The table of a pane; a pane without one: the timeline.
    void openExportOf(Pane pane);
    void chooseFiles();
    /// The window as it is now, the timeline sharp at any scale of the painter.
    void drawPicture(QPainter& painter);

    [[nodiscard]] ViewState& state() { return *m_state; }
    [[nodiscard]] LoadSession& session() { return *m_session; }
    [[nodiscard]] Workspace& workspace() { return *m_workspace; }
    [[nodiscard]] StartPage& startPage() { return *m_startPage; }
    [[nodiscard]] MessageBar& messageBar() { return *m_messages; }
    [[nodiscard]] StatusLine& statusLine() { return *m_status; }
    [[nodiscard]] ProgressStrip& progressStrip() { return *m_progress; }
    [[nodiscard]] ToolStrip& toolStrip() { return *m_tools; }
    [[nodiscard]] RecordController& recorder() { return *m_recorder; }
    [[nodiscard]] SearchBox& searchBox() { return *m_search; }
    [[nodiscard]] KeyBindings& keys() { return *m_keys; }
    [[nodiscard]] TextSize& textSize() { return m_textSize; }
    [[nodiscard]] bool isTraceOpen() const { return m_state->trace() != nullptr; }
    /// Nothing loads and every pane in view has its figures.
    [[nodiscard]] bool isSettled() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildActions();
    void buildMenus();
    void buildPage();
    void connectParts();
    void updateActions();
    void fillRecentMenu();

    void start(std::vector<std::string> paths, bool isReload);
    void onStarted();
    void onProgress();
    void onLoaded(const std::shared_ptr<const LoadedTrace>& loaded);
    void onFailed(const QString& message);
    void endLoading();
    void nameOpened();

    // What is read while the rest is not (main_window_parts.cpp)
    void onPart(const std::shared_ptr<const LoadedTrace>& part);
    void showRest(const LoadedTrace& loaded);
    void onCancelled();
    bool endParts();
    [[nodiscard]] bool isAllInView() const;
    [[nodiscard]] bool isViewUntouched() const;

    void offerReload(const std::string& path);
    void rememberOpened(const LoadedTrace& loaded);
    void locate(const std::vector<std::string>& missing);
    void connectRecording();
    void showRecordPage();
    void showRecordedTrace(const LoadedTrace& loaded, const QString& name, bool keepView);
    void showPage();
    void placeOverlays();

    // Views kept with their trace, and sessions (main_window_session.cpp)
    [[nodiscard]] nlohmann::json viewNow() const;
    void keepView();
    [[nodiscard]] Status applyView(const nlohmann::json& json, bool places);
    void restoreView();
    void resetLanes();
    void openSession(const std::string& path);
    void startSession(const std::string& path, SessionFile session);
    void locateForSession(const std::string& path, const SessionFile& session, size_t trace);
    [[nodiscard]] bool canSaveSession() const;
    void writeSession(const std::string& path);

    [[nodiscard]] std::vector<ExportSubject> exportSubjects();
    void showExport(size_t chosen);
    void copy();
    void copyPicture();
    void copySlice();
    void showKeys();
    void showPalette();
    void changeKeys();
    void showAbout();

    ThemeHost* m_themes;
    Settings& m_settings;
    ThemeController* m_controller;
    TextSize m_textSize; ///< before anything that has a font
    KeyMap m_viewKeys;
    ViewState* m_state;
    LoadSession* m_session;
    RecentFiles* m_recent;
    FileWatch* m_watch;
    std::unique_ptr<WindowActions> m_actions;
    KeyBindings* m_keys = nullptr;
    ToolStrip* m_tools = nullptr;
    SearchBox* m_search = nullptr;
    MessageBar* m_messages = nullptr;
    ProgressStrip* m_progress = nullptr;
    QWidget* m_dropRing = nullptr;
    QStackedWidget* m_pages = nullptr;
    StartPage* m_startPage = nullptr;
    Workspace* m_workspace = nullptr;
    StatusLine* m_status = nullptr;
    RecordController* m_recorder = nullptr;
    LiveStrip* m_live = nullptr;
    QMenu* m_recentMenu = nullptr;
    QTimer m_slow; ///< runs out when loading takes long enough to show progress
    std::vector<std::string> m_openPaths; ///< as given, of the open trace
    QString m_exportFolder;
    bool m_isReload = false;
    bool m_isPart = false; ///< in view is a part of what loads
    KeptViews m_keptViews;
    QTimer m_keepSoon; ///< a moment after the last change of what is kept
    std::shared_ptr<const SessionFile> m_openingSession; ///< of what loads; null: no session
    std::string m_openingPath; ///< of that session
    std::string m_sessionPath; ///< of the session that is open; empty: none
    bool m_isShowing = false; ///< what is kept comes and goes with the trace, not by hand
    bool m_isRecordPage = false; ///< in front of whatever is open
};

} // namespace torchline
