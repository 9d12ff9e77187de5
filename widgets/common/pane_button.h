#pragma once
// PaneButton: the buttons in the head of a pane: an icon, a text, an angle when it opens a menu; a ring on keyboard
// focus. Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"

#include <QAbstractButton>

class QMenu;

namespace torchline {

class PaneButton : public QAbstractButton {
    Q_OBJECT

public:
    enum class Look : uint8_t { Plain, Framed, Chip };

    /// An empty icon name: text alone. The name is what a screen reader says; it is the tool tip too.
    PaneButton(ThemeHost* themes, Look look, const QString& iconName, const QString& name, QWidget* parent = nullptr);

    void setLabel(const QString& label); ///< the text on the button; empty: none
    void setMenu(QMenu* menu); ///< opens below on a click; the button becomes its owner
    [[nodiscard]] QMenu* menu() const { return m_menu; }
    void setCompact(bool compact); ///< the icon alone
    /// The width of one icon or text, without that of the rest: what the button shrinks to.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QString shownLabel() const { return m_compact && !m_iconName.isEmpty() ? QString() : m_label; }
    [[nodiscard]] int labelWidth() const;
    void openMenu();

    ThemeHost* m_themes;
    Look m_look;
    QString m_iconName;
    QString m_label;
    QMenu* m_menu = nullptr;
    bool m_compact = false;
    KeyboardFocus m_focus{this};
};

} // namespace torchline
