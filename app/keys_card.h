#pragma once
// KeysCard: all keys that work, on one card. Thread: GUI thread only.

#include "common/theme_host.h"

#include <QDialog>

namespace torchline {

class KeysCard : public QDialog {
    Q_OBJECT

public:
    explicit KeysCard(ThemeHost* themes, QWidget* parent = nullptr);
};

} // namespace torchline
