#pragma once
// LaneFilter: which lanes a typed text means: part of a name, or a glob of a whole one; upper and lower case alike.
// LaneFilterField: the line it is typed into. Thread: GUI thread only.

#include "timeline/timeline_frame.h"

#include "common/theme_host.h"

#include <QByteArray>
#include <QLineEdit>
#include <QStringList>

namespace torchline {

class PaneButton;

class LaneFilter {
public:
    LaneFilter() = default;
    explicit LaneFilter(const QString& text);

    [[nodiscard]] bool isEmpty() const { return m_text.isEmpty(); }
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] bool fits(const QStringList& names) const;

private:
    QString m_text;
    QByteArray m_glob; ///< empty: part of a name
};

/// All that a lane is called: in its header, in the file, its process.
[[nodiscard]] QStringList laneNames(const TraceSnapshot& trace, std::span<const GroupTitle> groups, LaneId lane);

class LaneFilterField : public QLineEdit {
    Q_OBJECT

public:
    explicit LaneFilterField(ThemeHost* themes, QWidget* parent = nullptr);

    /// Stands at the right of the text: "12 of 5 000".
    void setNote(const QString& note);
    [[nodiscard]] const QString& note() const { return m_note; }

Q_SIGNALS:
    /// Enter, Down or Esc: the focus wants to go back to the lanes; after Esc nothing is filtered.
    void left();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyTheme();
    void place();

    ThemeHost* m_themes;
    PaneButton* m_clear;
    QString m_note;
};

} // namespace torchline
