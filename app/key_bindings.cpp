#include "key_bindings.h"

#include <QAction>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr QStringView kGroup = u"keys";
constexpr QStringView kNone = u"none";

QByteArray toBytes(const KeyMap::Keys& keys)
{
    return keys.isEmpty() ? kNone.toUtf8() : QKeySequence::listToString(keys, QKeySequence::PortableText).toUtf8();
}

KeyMap::Keys fromBytes(const QByteArray& bytes)
{
    const QString text = QString::fromUtf8(bytes);
    return text == kNone ? KeyMap::Keys() : QKeySequence::listFromString(text, QKeySequence::PortableText);
}

} // namespace

KeyBindings::KeyBindings(std::vector<MenuAction> entries, std::span<const ViewAction> viewActions, KeyMap* views,
    Settings& settings, QObject* parent)
    : QObject(parent)
    , m_views(views)
    , m_settings(settings)
{
    for (MenuAction& entry : entries) {
        if (!entry.fixedKey.isEmpty())
            continue;
        const auto view = std::ranges::find(viewActions, entry.action, &ViewAction::first);
        Binding binding{std::move(entry), std::nullopt, {}};
        if (view != viewActions.end())
            binding.command = view->second;
        binding.usual = binding.command ? KeyMap::usualKeys(*binding.command) : binding.entry.action->shortcuts();
        m_bindings.push_back(std::move(binding));
    }
    for (size_t i = 0; i < m_bindings.size(); ++i) {
        const QByteArray kept = m_settings.bytes(settingOf(i));
        apply(i, kept.isEmpty() ? m_bindings[i].usual : fromBytes(kept));
    }
}

QString KeyBindings::settingOf(size_t binding) const
{
    QString name = m_bindings[binding].entry.title.toLower();
    name.remove(u'…');
    return kGroup + u'/' + name.replace(u' ', u'-');
}

KeyMap::Keys KeyBindings::keys(size_t binding) const
{
    const Binding& of = m_bindings[binding];
    return of.command ? m_views->keys(*of.command) : of.entry.action->shortcuts();
}

QString KeyBindings::text(size_t binding) const
{
    QStringList texts;
    for (const QKeySequence& key : keys(binding))
        texts.append(key.toString(QKeySequence::NativeText));
    return texts.join(tr(" or "));
}

QString KeyBindings::problemWith(const QKeySequence& key)
{
    if (key.count() != 1)
        return tr("One key, with or without Ctrl, Alt and Shift");
    const QKeyCombination pressed = key[0];
    switch (pressed.key()) {
    case Qt::Key_Escape:
        return tr("Esc clears and closes everywhere");
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return tr("Enter does what has the focus, everywhere");
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return tr("Tab moves the focus");
    default:
        break;
    }
    if (key == QKeySequence(QKeySequence::Copy))
        return tr("%1 copies what has the focus").arg(key.toString(QKeySequence::NativeText));
    return {};
}

std::optional<size_t> KeyBindings::holderOf(const QKeySequence& key, size_t except) const
{
    for (size_t i = 0; i < m_bindings.size(); ++i) {
        if (i != except && keys(i).contains(key))
            return i;
    }
    return std::nullopt;
}

void KeyBindings::apply(size_t binding, const KeyMap::Keys& keys)
{
    const Binding& of = m_bindings[binding];
    if (of.command)
        m_views->setKeys(*of.command, keys);
    of.entry.action->setShortcuts(keys);
}

void KeyBindings::keep(size_t binding)
{
    if (isUsual(binding))
        m_settings.removeGroup(settingOf(binding));
    else
        m_settings.setBytes(settingOf(binding), toBytes(keys(binding)));
}

void KeyBindings::setKeys(size_t binding, const KeyMap::Keys& keys)
{
    apply(binding, keys);
    keep(binding);
    Q_EMIT changed();
}

void KeyBindings::takeKey(size_t binding, const QKeySequence& key)
{
    if (const auto holder = holderOf(key, binding)) {
        KeyMap::Keys left = keys(*holder);
        left.removeAll(key);
        apply(*holder, left);
        keep(*holder);
    }
    setKeys(binding, {key});
}

void KeyBindings::reset(size_t binding)
{
    for (const QKeySequence& key : m_bindings[binding].usual) {
        if (const auto holder = holderOf(key, binding)) {
            KeyMap::Keys left = keys(*holder);
            left.removeAll(key);
            apply(*holder, left);
            keep(*holder);
        }
    }
    setKeys(binding, m_bindings[binding].usual);
}

void KeyBindings::resetAll()
{
    for (size_t i = 0; i < m_bindings.size(); ++i) {
        apply(i, m_bindings[i].usual);
        keep(i);
    }
    Q_EMIT changed();
}

} // namespace torchline
