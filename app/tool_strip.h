#pragma once
// ToolStrip: the bar under the menus: open, back and forth, search, the scope of the tables, the current step, how much
// of the trace is in view.
// Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include <QWidget>

class QAction;
class QMenu;

namespace torchline {

class ElidedLabel;
class PaneButton;
class StepField;

class ToolStrip : public QWidget {
    Q_OBJECT

public:
    struct Actions {
        QAction* open;
        QAction* back;
        QAction* forward;
        QAction* fit;
        QAction* previousStep;
        QAction* nextStep;
    };

    ToolStrip(ThemeHost* themes, ViewState* state, const Actions& actions, QWidget* search, QWidget* parent = nullptr);

    /// Icons alone, lower.
    void setCompact(bool compact);
    [[nodiscard]] QString scopeText() const; ///< "whole trace", "range 1.417 ms", "step 12 · rank0.json"
    [[nodiscard]] QString spanText() const;

    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] PaneButton* actionButton(const QString& icon, QAction* action, bool isFramed);
    void fillScopeMenu(QMenu* menu);
    void showScope();
    void showSpan();
    void fit();

    ThemeHost* m_themes;
    ViewState* m_state;
    std::vector<PaneButton*> m_buttons;
    bool m_isCompact = false;
    PaneButton* m_open;
    ElidedLabel* m_scopeLabel;
    PaneButton* m_scope;
    PaneButton* m_wholeAgain;
    StepField* m_step;
    ElidedLabel* m_span;
};

} // namespace torchline
