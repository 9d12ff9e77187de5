#pragma once
// EmptyPane: what a pane shows when it has nothing to show: what is missing, what would fill it, at most one link.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class LinkLabel;

struct EmptyText {
    QString title; ///< what is missing: "No device work in this trace"
    QString advice; ///< what would fill it: "Record with ProfilerActivity.CUDA"
    QString link; ///< empty: none
    QString icon; ///< of the resources; empty: info
};

class EmptyPane : public QWidget {
    Q_OBJECT

public:
    explicit EmptyPane(ThemeHost* themes, QWidget* parent = nullptr);

    void setText(const EmptyText& text);
    [[nodiscard]] const EmptyText& text() const { return m_text; }

Q_SIGNALS:
    void linkActivated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Places {
        QRect icon, title, advice;
        int linkTop;
    };
    [[nodiscard]] Places places() const;
    [[nodiscard]] QFont titleFont() const;
    void placeLink();

    ThemeHost* m_themes;
    EmptyText m_text;
    LinkLabel* m_link;
};

} // namespace torchline
