#pragma once
// KeyBindings: the keys of everything in the menus: changed by people, kept in the settings, one place to ask who has
// a key. Thread: GUI thread only.

#include "common/key_map.h"

#include "menu_actions.h"
#include "settings.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace torchline {

class KeyBindings : public QObject {
    Q_OBJECT

public:
    struct Binding {
        MenuAction entry;
        std::optional<ViewCommand> command; ///< done by the view that has the focus, not by the action's own shortcut
        KeyMap::Keys usual;
    };
    using ViewAction = std::pair<QAction*, ViewCommand>;

    /// Takes the keys that the actions have now as the usual ones, then those of the settings.
    KeyBindings(std::vector<MenuAction> entries, std::span<const ViewAction> viewActions, KeyMap* views,
        Settings& settings, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<Binding>& bindings() const { return m_bindings; }
    [[nodiscard]] KeyMap::Keys keys(size_t binding) const;
    /// "W", "A or Left"; empty: no key.
    [[nodiscard]] QString text(size_t binding) const;
    [[nodiscard]] bool isUsual(size_t binding) const { return keys(binding) == m_bindings[binding].usual; }
    /// Why a key cannot be given to anything; empty: it can.
    [[nodiscard]] static QString problemWith(const QKeySequence& key);
    /// Who has a key, but for one.
    [[nodiscard]] std::optional<size_t> holderOf(const QKeySequence& key, size_t except) const;

    void setKeys(size_t binding, const KeyMap::Keys& keys);
    /// Takes the key from whoever has it.
    void takeKey(size_t binding, const QKeySequence& key);
    /// Back to the usual keys, which whoever has one of them now gives up.
    void reset(size_t binding);
    void resetAll();

Q_SIGNALS:
    void changed();

private:
    void apply(size_t binding, const KeyMap::Keys& keys);
    void keep(size_t binding);
    [[nodiscard]] QString settingOf(size_t binding) const;

    std::vector<Binding> m_bindings;
    KeyMap* m_views;
    Settings& m_settings;
};

} // namespace torchline
