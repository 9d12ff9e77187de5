#pragma once
// StepField: "Step 12 · 11 of 24" between the buttons that go to its neighbours; hidden in traces without steps.
// Thread: GUI thread only.

#include "common/theme_host.h"
#include "common/view_state.h"

#include <QWidget>

namespace torchline {

class ElidedLabel;
class PaneButton;

class StepField : public QWidget {
    Q_OBJECT

public:
    /// Takes the buttons over.
    StepField(ViewState* state, ThemeHost* themes, PaneButton* previous, PaneButton* next, QWidget* parent = nullptr);

    [[nodiscard]] QString text() const;
    /// The buttons alone.
    void setBare(bool bare);
    /// What the text takes, with its gap: 0 without steps; whether it is shown or not.
    [[nodiscard]] int labelWidth() const;
    [[nodiscard]] int shownLabelWidth() const;

Q_SIGNALS:
    void widthChanged();

private:
    void showStep();
    void fitLabel(const QFont& font);

    ViewState* m_state;
    ElidedLabel* m_label;
    QString m_widest; ///< of the texts that walking through the steps shows
};

} // namespace torchline
