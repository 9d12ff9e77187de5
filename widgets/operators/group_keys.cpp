#include "operators/group_keys.h"

#include <QCoreApplication>
#include <QMenu>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("groupKeys", text);
}

QString wide(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

bool holds(const std::vector<GroupKey>& keys, GroupKey key)
{
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

QString groupText(const std::vector<GroupKey>& keys)
{
    QString text = u"name"_s;
    for (const GroupKey key : keys)
        text += u" + "_s + wide(groupKeyText(key));
    return text;
}

QString groupKeyTitle(GroupKey key)
{
    switch (key) {
    case GroupKey::Shape:
        return tr("Input shape");
    case GroupKey::Stack:
        return tr("Call stack");
    case GroupKey::Thread:
        return tr("Thread");
    case GroupKey::Process:
        return tr("Process");
    case GroupKey::File:
        return tr("File");
    case GroupKey::Rank:
        return tr("Rank");
    case GroupKey::Overload:
        return tr("Overload");
    case GroupKey::Node:
        return tr("Node");
    case GroupKey::Device:
        return tr("Device");
    case GroupKey::Stream:
        return tr("Stream");
    case GroupKey::Op:
        return tr("Operator");
    }
    return {};
}

QJsonArray groupKeysToJson(const std::vector<GroupKey>& keys)
{
    QJsonArray json;
    for (const GroupKey key : keys)
        json.append(wide(groupKeyText(key)));
    return json;
}

std::vector<GroupKey> groupKeysFromJson(const QJsonArray& json, std::span<const GroupKey> offered)
{
    std::vector<GroupKey> keys;
    for (const GroupKey key : offered) {
        if (json.contains(wide(groupKeyText(key))))
            keys.push_back(key);
    }
    return keys;
}

void addGroupActions(QMenu* menu, std::span<const GroupKey> offered, const std::vector<GroupKey>& present,
    const std::function<void(std::vector<GroupKey>)>& change)
{
    QAction* name = menu->addAction(tr("Name"));
    name->setCheckable(true);
    name->setChecked(true);
    name->setEnabled(false);
    for (const GroupKey key : offered) {
        QAction* action = menu->addAction(groupKeyTitle(key));
        action->setCheckable(true);
        action->setChecked(holds(present, key));
        std::vector<GroupKey> next;
        for (const GroupKey each : offered) {
            if (each == key ? !holds(present, key) : holds(present, each))
                next.push_back(each);
        }
        QObject::connect(action, &QAction::triggered, menu, [change, next] { change(next); });
    }
}

} // namespace torchline
