#pragma once
// GoToDialog: one line that goes to a time or a step: "1.5ms", "step 12". Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include <QDialog>

class QLabel;
class QLineEdit;

namespace torchline {

class GoToDialog : public QDialog {
    Q_OBJECT

public:
    GoToDialog(ThemeHost* themes, ViewState* state, QWidget* parent);

    /// What is wrong with the line; empty: nothing.
    [[nodiscard]] QString problem() const;

private:
    void go();

    ThemeHost* m_themes;
    ViewState* m_state;
    QLineEdit* m_line;
    QLabel* m_problem;
};

/// Goes there; what is wrong with the text, or nothing. A time keeps the width of the view and stands in its middle.
[[nodiscard]] QString goToText(ViewState& state, const QString& text);

} // namespace torchline
