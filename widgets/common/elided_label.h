#pragma once
// ElidedLabel: one line of plain text of unknown origin, cut in the middle, whole in its tool tip.
// LinkLabel: the same as a link, reached by Tab, followed by a click or Enter.
// Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class ElidedLabel : public QWidget {
    Q_OBJECT

public:
    explicit ElidedLabel(ThemeHost* themes, QWidget* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    /// What stands where the text has no room, instead of a cut one; empty: it is cut.
    void setBrief(const QString& brief);
    /// A member of Theme: &Theme::text2.
    void setColor(QColor Theme::*color);
    void setElideMode(Qt::TextElideMode mode);
    void setAlignment(Qt::Alignment alignment);
    /// What the tool tip says instead of a text that was cut.
    void setHint(const QString& hint);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

    [[nodiscard]] const Theme& theme() const { return m_themes->theme(); }
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QRect textRect() const { return rect().adjusted(m_inset, 0, -m_inset, 0); }
    void setInset(int inset) { m_inset = inset; }

private:
    ThemeHost* m_themes;
    QString m_text;
    QString m_brief;
    QString m_hint;
    QColor Theme::*m_color = &Theme::text;
    int m_inset = 0;
    Qt::TextElideMode m_mode = Qt::ElideMiddle;
    Qt::Alignment m_alignment = Qt::AlignLeft;
};

class LinkLabel : public ElidedLabel {
    Q_OBJECT

public:
    /// Free room left and right of the text, for the focus ring.
    static constexpr int kInset = 4;

    explicit LinkLabel(ThemeHost* themes, QWidget* parent = nullptr);

Q_SIGNALS:
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    KeyboardFocus m_focus{this};
};

} // namespace torchline
