#pragma once
// KeysCard: all keys that work, as they are now, on one card. Thread: GUI thread only.

#include "common/theme_host.h"

#include <QDialog>

namespace torchline {

struct WindowActions;

class KeysCard : public QDialog {
    Q_OBJECT

public:
    KeysCard(ThemeHost* themes, const WindowActions& actions, QWidget* parent = nullptr);

Q_SIGNALS:
    void changeRequested();
};

} // namespace torchline
