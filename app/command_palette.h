#pragma once
// CommandPalette: all that the menus offer, to be found by a few letters; Enter does it. A sheet over the window that
// is gone as soon as it loses the focus. Thread: GUI thread only.

#include "common/theme_host.h"

#include "menu_actions.h"

#include <QPointer>
#include <QWidget>

#include <vector>

class QLineEdit;
class QListView;
class QModelIndex;
class QStandardItemModel;

namespace torchline {

/// How well letters that were typed fit a title; 0: not at all. Each word of them has to be in it, as it stands or with
/// letters left out: "nsn" finds "Next of the Same Name".
[[nodiscard]] int matchScore(const QString& title, const QString& typed);

class CommandPalette : public QWidget {
    Q_OBJECT

public:
    CommandPalette(ThemeHost* themes, std::vector<MenuAction> actions, QWidget* window);

    [[nodiscard]] QLineEdit* field() { return m_field; }
    /// Titles that are listed, best first.
    [[nodiscard]] QStringList titles() const;
    [[nodiscard]] QAction* chosen() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void list(const QString& typed);
    void place();
    void run();

    ThemeHost* m_themes;
    std::vector<MenuAction> m_actions;
    std::vector<size_t> m_shown; ///< indexes in m_actions by row
    QLineEdit* m_field;
    QListView* m_list;
    QStandardItemModel* m_model;
    QPointer<QWidget> m_focusBefore;
};

} // namespace torchline
