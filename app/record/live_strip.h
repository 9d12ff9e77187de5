#pragma once
// LiveStrip: over the live view: what the recording does, for how long, how fast, what was lost; to follow it, pause,
// stop and save it. Hidden where no recording is in view, and once it is saved. Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

class QAction;
class QLabel;

namespace torchline {

class ElidedLabel;
class PaneButton;
class RecordController;

class LiveStrip : public QWidget {
    Q_OBJECT

public:
    struct Actions {
        const QAction* follow;
        const QAction* pause;
        const QAction* stop;
        const QAction* save;
    };
    /// The actions: those whose keys do the same, to be told.
    LiveStrip(ThemeHost* themes, RecordController* recorder, const Actions& actions, QWidget* parent = nullptr);

    /// Whether the page that it belongs to is shown.
    void setInFront(bool inFront);
    [[nodiscard]] QString text() const; ///< "Recording 00:39.214 · 198 213 records/s"

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    PaneButton* button(const QString& name, const QAction* action, const QString& hint);
    void refresh();

    ThemeHost* m_themes;
    RecordController* m_recorder;
    bool m_isInFront = false;
    QLabel* m_dot;
    QLabel* m_state; ///< with the time
    ElidedLabel* m_figures;
    ElidedLabel* m_lost;
    PaneButton* m_follow;
    PaneButton* m_pause;
    PaneButton* m_stop;
    PaneButton* m_save;
};

} // namespace torchline
