#pragma once
// Parts of the Details pane: the name of the selection, section titles, links with their keys.
// Thread: GUI thread only.

#include "common/elided_label.h"
#include "details/slice_facts.h"

namespace torchline {

/// The name of what is selected: at most three lines, the last one cut in the middle; whole in its tool tip.
class NameTitle : public QWidget {
    Q_OBJECT

public:
    explicit NameTitle(ThemeHost* themes, QWidget* parent = nullptr);

    void setText(const QString& text, const QColor& swatch); ///< an invalid colour: no swatch
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] int heightFor(int width) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QFont titleFont() const;
    [[nodiscard]] QStringList linesFor(int width) const;
    [[nodiscard]] int indent() const;

    ThemeHost* m_themes;
    QString m_text;
    QColor m_swatch;
};

/// A title with a line to the right edge.
class SectionTitle : public QWidget {
    Q_OBJECT

public:
    explicit SectionTitle(ThemeHost* themes, QWidget* parent = nullptr);

    void setText(const QString& text);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ThemeHost* m_themes;
    QString m_text;
};

/// Label, link, note, and the key that does the same.
class LinkRow : public QWidget {
    Q_OBJECT

public:
    /// key: as people read it; empty: none.
    LinkRow(ThemeHost* themes, DetailLink link, QString key, int labelWidth, QWidget* parent);

    [[nodiscard]] const DetailLink& link() const { return m_link; }
    [[nodiscard]] const QString& key() const { return m_key; }
    [[nodiscard]] QWidget* focusTarget() { return m_label; }
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void activated(const torchline::DetailLink& link);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] int keyWidth() const;
    [[nodiscard]] int noteWidth() const;

    ThemeHost* m_themes;
    DetailLink m_link;
    QString m_key;
    LinkLabel* m_label;
    int m_labelWidth;
};

} // namespace torchline
