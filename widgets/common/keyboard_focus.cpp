#include "common/keyboard_focus.h"

#include <QFocusEvent>

namespace torchline {

KeyboardFocus::KeyboardFocus(QWidget* watched, QWidget* painted)
    : m_painted(painted != nullptr ? painted : watched)
{
    watched->installEventFilter(this);
}

bool KeyboardFocus::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusIn) {
        switch (static_cast<QFocusEvent*>(event)->reason()) {
        case Qt::MouseFocusReason:
            m_isByKeyboard = false;
            break;
        case Qt::PopupFocusReason:
        case Qt::ActiveWindowFocusReason:
        case Qt::MenuBarFocusReason:
            break;
        default:
            m_isByKeyboard = true;
        }
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        m_hasFocus = event->type() == QEvent::FocusIn;
        m_painted->update();
    }
    return QObject::eventFilter(watched, event);
}

} // namespace torchline
