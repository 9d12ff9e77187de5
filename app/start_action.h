#pragma once
// StartAction: a large button of the start page: icon, what it does, its key, a line of detail.
// Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"

#include <QAbstractButton>

namespace torchline {

class StartAction : public QAbstractButton {
    Q_OBJECT

public:
    StartAction(ThemeHost* themes, const QString& iconName, const QString& title, const QString& detail,
        QWidget* parent = nullptr);

    void setKey(const QString& key); ///< that does the same; empty: none

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ThemeHost* m_themes;
    QString m_iconName;
    QString m_detail;
    QString m_key;
    KeyboardFocus m_focus{this};
};

} // namespace torchline
