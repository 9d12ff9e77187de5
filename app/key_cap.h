#pragma once
// KeyCap: the name of a key in a small frame. Thread: GUI thread only.

#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class KeyCap : public QWidget {
    Q_OBJECT

public:
    KeyCap(ThemeHost* themes, const QString& key, QWidget* parent = nullptr);

    void setKey(const QString& key);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    QString m_key;
};

} // namespace torchline
