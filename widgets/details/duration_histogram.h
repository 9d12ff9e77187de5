#pragma once
// DurationHistogram: how the durations of all slices of a name are spread: a bar a bin, as high as its count. A bin can
// be chosen with the mouse, or with Left, Right and Enter; choosing it again lets go of it.
// Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"
#include "details/name_figures.h"

#include <QWidget>

namespace torchline {

class DurationHistogram : public QWidget {
    Q_OBJECT

public:
    explicit DurationHistogram(ThemeHost* themes, QWidget* parent = nullptr);

    /// own: the duration of the slice that is looked at, marked by a triangle.
    void setFigures(const NameFigures& figures, int64_t ownNs, const QColor& fill);
    void setChosen(std::optional<size_t> bin);
    [[nodiscard]] std::optional<size_t> chosen() const { return m_chosen; }
    [[nodiscard]] QRect barRect(size_t bin) const; ///< the whole height that can be clicked
    /// "12.4 µs to 15.1 µs: 34 slices".
    [[nodiscard]] QString binText(size_t bin) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void binChosen(size_t bin);
    void released();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRect plot() const;
    [[nodiscard]] std::optional<size_t> binAt(QPoint pos) const;
    void setCurrent(std::optional<size_t> bin);
    void choose(size_t bin);

    ThemeHost* m_themes;
    NameFigures m_figures;
    std::optional<size_t> m_own;
    std::optional<size_t> m_chosen;
    std::optional<size_t> m_current; ///< under the pointer or the keyboard
    QColor m_fill;
    KeyboardFocus m_focus{this};
};

} // namespace torchline
