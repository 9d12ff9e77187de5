#pragma once
// KeysDialog: every action with its keys, to be changed: who has a key already is said before it is taken.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QDialog>
#include <QKeySequence>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace torchline {

class KeyBindings;
class KeyField;

class KeysDialog : public QDialog {
    Q_OBJECT

public:
    KeysDialog(ThemeHost* themes, KeyBindings* bindings, QWidget* parent);

    [[nodiscard]] QString message() const;

private:
    void showBindings();
    void showChosen();
    void filter(const QString& text);
    void propose(const QKeySequence& key);
    void take();
    void remove();
    void say(const QString& text, bool isProblem);
    [[nodiscard]] std::optional<size_t> chosen() const;

    ThemeHost* m_themes;
    KeyBindings* m_bindings;
    QLineEdit* m_filter;
    QTreeWidget* m_list;
    KeyField* m_field;
    QLabel* m_message;
    QPushButton* m_take;
    QPushButton* m_remove;
    QPushButton* m_reset;
    QPushButton* m_resetAll;
    QKeySequence m_proposed; ///< that somebody else has
};

} // namespace torchline
