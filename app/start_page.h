#pragma once
// StartPage: what the window shows with nothing open: ways to open a trace, a sample, recent files.
// Thread: GUI thread only. Whether recent files still exist is asked on a worker: a network folder may be slow.

#include "common/background_job.h"
#include "common/theme_host.h"

#include "recent_files.h"

#include <QScrollArea>

#include <string>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace torchline {

class LinkLabel;
class RecentRow;
class StartAction;
struct WindowActions;

/// The sample that comes with the program, beside an installed or a built executable; empty if it is not there.
[[nodiscard]] QString samplePath();

class StartPage : public QScrollArea {
    Q_OBJECT

public:
    StartPage(ThemeHost* themes, RecentFiles* recent, const WindowActions& actions, QWidget* parent = nullptr);
    ~StartPage() override;

Q_SIGNALS:
    void recentRequested(const std::vector<std::string>& paths);
    void locateRequested(const std::vector<std::string>& paths);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildKeys(const WindowActions& actions);
    void rebuildRecent();
    void checkExistence();
    void applyTheme();
    void fitColumn();

    ThemeHost* m_themes;
    RecentFiles* m_recent;
    BackgroundJob m_existence;
    QWidget* m_column;
    QVBoxLayout* m_recentLayout;
    QLabel* m_product;
    QLabel* m_tagline;
    QLabel* m_startTitle;
    QLabel* m_recentTitle;
    QLabel* m_stripHint;
    LinkLabel* m_clear;
    QWidget* m_keys;
    std::vector<StartAction*> m_actions;
    std::vector<RecentRow*> m_rows;
};

} // namespace torchline
