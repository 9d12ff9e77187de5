#pragma once
// TextGrid: lines of plain text, or labels with values, that can be selected and copied; as high as its text.
// Texts of unknown origin: never read as HTML, long words broken, values over 4 096 characters cut with a note.
// Thread: GUI thread only.

#include "common/theme_host.h"
#include "details/slice_facts.h"

#include <QTextEdit>

namespace torchline {

class TextGrid : public QTextEdit {
    Q_OBJECT

public:
    static constexpr qsizetype kMostCharacters = 4096;

    explicit TextGrid(ThemeHost* themes, QWidget* parent = nullptr);

    void setPairs(std::vector<DetailPair> pairs, int labelWidth);
    void setLines(QStringList lines);
    void setMonospace(bool monospace);
    [[nodiscard]] int heightFor(int width) const;

protected:
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    QMimeData* createMimeDataFromSelection() const override;

private:
    void fill();
    void applyFont();

    ThemeHost* m_themes;
    std::vector<DetailPair> m_pairs;
    QStringList m_lines;
    int m_labelWidth = 0;
    bool m_isMonospace = false;
};

} // namespace torchline
