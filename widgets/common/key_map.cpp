#include "common/key_map.h"

#include <QKeyEvent>

namespace torchline {

KeyMap::KeyMap(QObject* parent)
    : QObject(parent)
{
    for (size_t i = 0; i < m_keys.size(); ++i)
        m_keys[i] = usualKeys(static_cast<ViewCommand>(i));
}

const KeyMap& KeyMap::usual()
{
    static const KeyMap map;
    return map;
}

KeyMap::Keys KeyMap::usualKeys(ViewCommand command)
{
    const auto key = [](Qt::Key code, Qt::KeyboardModifiers modifiers = {}) {
        return QKeySequence(QKeyCombination(modifiers, code));
    };
    switch (command) {
    case ViewCommand::ZoomIn:
        return {key(Qt::Key_W)};
    case ViewCommand::ZoomOut:
        return {key(Qt::Key_S)};
    case ViewCommand::PanLeft:
        return {key(Qt::Key_A), key(Qt::Key_Left)};
    case ViewCommand::PanRight:
        return {key(Qt::Key_D), key(Qt::Key_Right)};
    case ViewCommand::Fit:
        return {key(Qt::Key_F)};
    case ViewCommand::NextOfLane:
        return {key(Qt::Key_Period)};
    case ViewCommand::PreviousOfLane:
        return {key(Qt::Key_Comma)};
    case ViewCommand::NextOfName:
        return {key(Qt::Key_Period, Qt::AltModifier)};
    case ViewCommand::PreviousOfName:
        return {key(Qt::Key_Comma, Qt::AltModifier)};
    case ViewCommand::FollowForth:
        return {key(Qt::Key_BracketRight)};
    case ViewCommand::FollowBack:
        return {key(Qt::Key_BracketLeft)};
    case ViewCommand::Parent:
        return {key(Qt::Key_Up)};
    case ViewCommand::Child:
        return {key(Qt::Key_Down)};
    case ViewCommand::AnnotationAsScope:
        return {key(Qt::Key_I)};
    case ViewCommand::RangeOrScope:
        return {key(Qt::Key_R)};
    case ViewCommand::Mark:
        return {key(Qt::Key_M)};
    case ViewCommand::MarkAndKeep:
        return {key(Qt::Key_M, Qt::ShiftModifier)};
    case ViewCommand::AllArrows:
        return {key(Qt::Key_L)};
    case ViewCommand::NextLane:
        return {key(Qt::Key_Down, Qt::AltModifier)};
    case ViewCommand::PreviousLane:
        return {key(Qt::Key_Up, Qt::AltModifier)};
    case ViewCommand::PinLane:
        return {key(Qt::Key_P)};
    case ViewCommand::FoldLane:
        return {key(Qt::Key_E)};
    case ViewCommand::FoldFrames:
        return {key(Qt::Key_E, Qt::ShiftModifier)};
    case ViewCommand::MoveLaneUp:
        return {key(Qt::Key_Up, Qt::AltModifier | Qt::ShiftModifier)};
    case ViewCommand::MoveLaneDown:
        return {key(Qt::Key_Down, Qt::AltModifier | Qt::ShiftModifier)};
    case ViewCommand::TallerLane:
        return {key(Qt::Key_Plus, Qt::AltModifier), key(Qt::Key_Equal, Qt::AltModifier)};
    case ViewCommand::LowerLane:
        return {key(Qt::Key_Minus, Qt::AltModifier)};
    case ViewCommand::UsualLaneHeight:
        return {key(Qt::Key_0, Qt::AltModifier)};
    case ViewCommand::LaneAsScope:
        return {key(Qt::Key_R, Qt::ShiftModifier)};
    case ViewCommand::HideLane:
        return {key(Qt::Key_H)};
    case ViewCommand::ShowAllLanes:
        return {key(Qt::Key_H, Qt::ShiftModifier)};
    case ViewCommand::FilterLanes:
        return {key(Qt::Key_L, Qt::ControlModifier)};
    case ViewCommand::Count:
        break;
    }
    return {};
}

void KeyMap::setKeys(ViewCommand command, const Keys& keys)
{
    Keys& mine = m_keys[static_cast<size_t>(command)];
    if (mine == keys)
        return;
    mine = keys;
    Q_EMIT changed();
}

QString KeyMap::text(ViewCommand command) const
{
    return keys(command).isEmpty() ? QString() : keys(command).front().toString(QKeySequence::NativeText);
}

QKeySequence KeyMap::keyOf(const QKeyEvent& event)
{
    Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const int key = event.key();
    const bool isSign = key > Qt::Key_Space && key < Qt::Key_Escape && !QChar::isLetter(static_cast<char32_t>(key));
    if (isSign)
        modifiers &= ~Qt::ShiftModifier;
    return QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(key)));
}

std::optional<ViewCommand> KeyMap::find(const QKeyEvent& event) const
{
    const auto commandOf = [this](const QKeySequence& pressed, bool movesOnly) -> std::optional<ViewCommand> {
        for (size_t i = 0; i < m_keys.size(); ++i) {
            const auto command = static_cast<ViewCommand>(i);
            if ((!movesOnly || isMove(command)) && m_keys[i].contains(pressed))
                return command;
        }
        return std::nullopt;
    };
    const QKeySequence pressed = keyOf(event);
    if (const auto command = commandOf(pressed, false))
        return command;
    if (!event.modifiers().testFlag(Qt::ShiftModifier))
        return std::nullopt;
    return commandOf(
        QKeySequence(QKeyCombination(pressed[0].keyboardModifiers() & ~Qt::ShiftModifier, pressed[0].key())), true);
}

} // namespace torchline
