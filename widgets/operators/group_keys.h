#pragma once
// Group keys as the menus and the settings have them. Thread: GUI thread only.

#include "analysis/operators.h"

#include <QJsonArray>
#include <QString>

#include <functional>
#include <span>

class QMenu;

namespace torchline {

/// "name + shape + stack".
[[nodiscard]] QString groupText(const std::vector<GroupKey>& keys);
[[nodiscard]] QString groupKeyTitle(GroupKey key); ///< "input shape"
[[nodiscard]] QJsonArray groupKeysToJson(const std::vector<GroupKey>& keys);
/// Unknown texts are left out.
[[nodiscard]] std::vector<GroupKey> groupKeysFromJson(const QJsonArray& json, std::span<const GroupKey> offered);
/// One checkable entry a key; change gets the new keys, in the order of `offered`.
void addGroupActions(QMenu* menu, std::span<const GroupKey> offered, const std::vector<GroupKey>& present,
    const std::function<void(std::vector<GroupKey>)>& change);

} // namespace torchline
