#include "key_field.h"

#include "common/key_map.h"

#include <QKeyEvent>

namespace torchline {

namespace {

bool isModifier(int key)
{
    return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta
        || key == Qt::Key_AltGr || key == Qt::Key_unknown || key == 0;
}

} // namespace

KeyField::KeyField(QWidget* parent)
    : QLineEdit(parent)
{
    setReadOnly(true);
    setPlaceholderText(tr("Press the new key"));
    setAccessibleName(tr("New key"));
}

bool KeyField::event(QEvent* event)
{
    // Before any shortcut of the window gets it, and before Tab and Esc mean something else.
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::KeyPress) {
        const auto& press = *static_cast<QKeyEvent*>(event);
        const bool isPlain = (press.modifiers() & ~Qt::ShiftModifier) == Qt::NoModifier;
        if (press.key() == Qt::Key_Escape && isPlain) {
            Q_EMIT left();
            return true;
        }
        if (isPlain && (press.key() == Qt::Key_Tab || press.key() == Qt::Key_Backtab))
            return QLineEdit::event(event);
        if (!isModifier(press.key()) && !press.isAutoRepeat())
            Q_EMIT pressed(KeyMap::keyOf(press));
        return true;
    }
    return QLineEdit::event(event);
}

void KeyField::contextMenuEvent(QContextMenuEvent*)
{
}

} // namespace torchline
