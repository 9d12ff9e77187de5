#pragma once
// TipWidget: a tool tip with swatch and name, up to five pairs and one hint line; never over what it explains.
// Thread: GUI thread only.

#include "timeline/timeline_style.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

namespace torchline {

struct TipContent {
    std::optional<QColor> swatch;
    QString title; ///< cut in the middle over three lines
    std::vector<std::pair<QString, QString>> pairs; ///< label, value
    QString text; ///< below the title, wrapped; for headers
    QString hint; ///< one line below a rule

    [[nodiscard]] bool isEmpty() const { return title.isEmpty() && text.isEmpty() && pairs.empty(); }
    friend bool operator==(const TipContent&, const TipContent&) = default;
};

class TipWidget : public QWidget {
    Q_OBJECT

public:
    explicit TipWidget(QWidget* parent);

    void setStyle(const TimelineStyle* style) { m_style = style; }
    [[nodiscard]] const TipContent& content() const { return m_content; }
    /// Below right of the pointer, flipped at screen edges, never over avoid (global coordinates).
    void showAt(const TipContent& content, QPoint pointer, const QRect& avoid);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Lines {
        QStringList title;
        QStringList text;
        int width = 0;
        int height = 0;
    };
    [[nodiscard]] Lines measure() const;
    [[nodiscard]] int shadow() const;

    const TimelineStyle* m_style = nullptr;
    bool m_isBlended; ///< what lies under it shines through where nothing is drawn
    TipContent m_content;
    Lines m_lines;
};

} // namespace torchline
