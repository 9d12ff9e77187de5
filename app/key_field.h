#pragma once
// KeyField: waits for one key, with its modifiers, and says which it was. Thread: GUI thread only.

#include <QKeySequence>
#include <QLineEdit>

namespace torchline {

class KeyField : public QLineEdit {
    Q_OBJECT

public:
    explicit KeyField(QWidget* parent = nullptr);

Q_SIGNALS:
    void pressed(const QKeySequence& key);
    void left(); ///< Esc

protected:
    bool event(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
};

} // namespace torchline
