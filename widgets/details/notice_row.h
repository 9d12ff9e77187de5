#pragma once
// NoticeRow: one line of the Health pane: shape, title, evidence, how many, and a button that goes there.
// Thread: GUI thread only.

#include "common/pane_button.h"
#include "details/health_report.h"

namespace torchline {

class NoticeRow : public QWidget {
    Q_OBJECT

public:
    /// icon: of the resources, in this colour of the theme.
    NoticeRow(ThemeHost* themes, QString icon, QColor Theme::*color, QWidget* parent);

    void setTexts(const QString& title, const QStringList& evidence, const QString& count);
    /// Where the button goes; invalid: no button.
    void setTarget(SliceRef target);
    [[nodiscard]] int heightFor(int width) const;

Q_SIGNALS:
    void targetRequested(torchline::SliceRef target);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] int textLeft() const;
    [[nodiscard]] int textWidth(int width) const;
    [[nodiscard]] int countWidth() const;
    [[nodiscard]] QFont titleFont() const;
    [[nodiscard]] QFont textFont() const;

    ThemeHost* m_themes;
    QString m_icon;
    QColor Theme::*m_color;
    QString m_title;
    QStringList m_evidence;
    QString m_count;
    PaneButton* m_go = nullptr;
};

} // namespace torchline
