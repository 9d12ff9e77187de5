#pragma once
// ProgressStrip: the 3 px bar under the toolbar while a file loads. It lies over the page, so nothing moves.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class ProgressStrip : public QWidget {
    Q_OBJECT

public:
    static constexpr int kHeight = 3;

    explicit ProgressStrip(ThemeHost* themes, QWidget* parent = nullptr);

    /// Share done, 0 to 1; never runs backwards until reset().
    void setShare(double share);
    void reset();
    [[nodiscard]] double share() const { return m_share; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    double m_share = 0;
};

} // namespace torchline
