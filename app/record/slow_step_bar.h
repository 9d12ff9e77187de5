#pragma once
// SlowStepBar: under the charts of a recording: how many of the last steps were slow, how slow, and why if one thing
// was to blame in all of them; a link to the last one. Hidden while none is. Thread: GUI thread only.

#include "analysis/slow_steps.h"
#include "common/theme_host.h"

#include <QWidget>

class QLabel;

namespace torchline {

class ElidedLabel;
class LinkLabel;

class SlowStepBar : public QWidget {
    Q_OBJECT

public:
    explicit SlowStepBar(ThemeHost* themes, QWidget* parent = nullptr);

    void setSteps(const SlowSteps& steps);
    /// "4 slow steps in the last 30 s, the longest 118.0 ms; the loader was late in each."
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void stepRequested(torchline::SliceRef mark);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void applyTheme();

    ThemeHost* m_themes;
    QLabel* m_icon;
    ElidedLabel* m_text;
    LinkLabel* m_show;
    SliceRef m_last;
};

} // namespace torchline
