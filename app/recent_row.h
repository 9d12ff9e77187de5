#pragma once
// RecentRow: one entry of the start page's recent files: name, place, size, length, density strip, day, slices.
// A file that is gone stays, marked, and offers to be removed or located. Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"

#include "recent_files.h"

#include <QAbstractButton>

namespace torchline {

class LinkLabel;

class RecentRow : public QAbstractButton {
    Q_OBJECT

public:
    RecentRow(ThemeHost* themes, RecentFile file, QWidget* parent = nullptr);

    [[nodiscard]] const RecentFile& file() const { return m_file; }
    void setMissing(bool missing);
    [[nodiscard]] bool isMissing() const { return m_isMissing; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void removeRequested();
    void locateRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void drawStrip(QPainter* painter, const QRect& rect) const;

    ThemeHost* m_themes;
    RecentFile m_file;
    QString m_name;
    QString m_place;
    LinkLabel* m_remove;
    LinkLabel* m_locate;
    bool m_isMissing = false;
    KeyboardFocus m_focus{this};
};

/// "today 14:02", "yesterday", "26 Nov", "26 Nov 2025".
[[nodiscard]] QString dayText(const QDateTime& when, const QDateTime& now);
/// The folder for people, with ~ for the home folder.
[[nodiscard]] QString placeText(const std::string& path);
/// "a.json", "a.json and 3 more".
[[nodiscard]] QString namesText(const std::vector<std::string>& paths);

} // namespace torchline
