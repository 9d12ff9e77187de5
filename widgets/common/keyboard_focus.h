#pragma once
// KeyboardFocus: whether a widget has the focus and got it by the keyboard: then it draws a ring or a line. What the
// focus comes back from (a menu, another window) changes nothing. Thread: GUI thread only.

#include <QWidget>

namespace torchline {

class KeyboardFocus : public QObject {
public:
    /// painted: what is drawn anew when it changes, the watched widget or one around it.
    explicit KeyboardFocus(QWidget* watched, QWidget* painted = nullptr);

    [[nodiscard]] bool isShown() const { return m_hasFocus && m_isByKeyboard; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_painted;
    bool m_hasFocus = false;
    bool m_isByKeyboard = false;
};

} // namespace torchline
