#pragma once
// ShapedText: a text turned into glyphs once, so that it can be drawn often and cut anywhere without shaping it again.
// Texts that one font draws letter by letter take a short way; all others (other scripts, right to left) are drawn by
// Qt each time, cut at whole characters. Thread: GUI thread only.

#include <QFont>
#include <QGlyphRun>
#include <QRawFont>
#include <QString>

#include <vector>

class QPainter;

namespace torchline {

/// A font with what shaping needs of it.
class LabelFont {
public:
    explicit LabelFont(const QFont& font);

    [[nodiscard]] const QFont& font() const { return m_font; }
    [[nodiscard]] const QRawFont& raw() const { return m_raw; }
    [[nodiscard]] double ascent() const { return m_ascent; }
    [[nodiscard]] double height() const { return m_height; }
    [[nodiscard]] double ellipsisWidth() const { return m_ellipsisWidth; }

private:
    QFont m_font;
    QRawFont m_raw;
    double m_ascent = 0;
    double m_height = 0;
    double m_ellipsisWidth = 0;
};

class ShapedText {
public:
    ShapedText() = default;
    ShapedText(const LabelFont& font, const QString& text);

    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] QString cutText(int head, int tail) const;
    [[nodiscard]] double width() const { return m_ends.empty() ? m_wholeWidth : m_ends.back(); }
    /// How many leading, or trailing, code units fit into a width; only for texts that can be cut: not those that run
    /// in both directions.
    [[nodiscard]] bool canBeCut() const { return !m_ends.empty(); }
    [[nodiscard]] int headFitting(double width) const;
    [[nodiscard]] int tailFitting(double width) const;
    [[nodiscard]] double headWidth(int count) const { return count == 0 ? 0 : m_ends[static_cast<size_t>(count) - 1]; }

    /// Baseline starts at pos; the painter's pen is the colour.
    void draw(QPainter& painter, QPointF pos, const LabelFont& font, bool asText) const;
    /// The first `head` code units, an ellipsis, and the last `tail`.
    void drawCut(QPainter& painter, QPointF pos, const LabelFont& font, int head, int tail, bool asText) const;

private:
    void placeGlyphs(const LabelFont& font, const QList<quint32>& glyphs);
    void placeCharacters(const LabelFont& font);
    void drawGlyphs(QPainter& painter, QPointF pos, const LabelFont& font, int begin, int end) const;

    QString m_text;
    double m_wholeWidth = 0;
    std::vector<quint32> m_glyphs; ///< one a code unit; empty: Qt draws the text
    /// Of each code unit where its character begins and ends, in the direction of reading.
    std::vector<QPointF> m_places;
    std::vector<double> m_ends;
};

} // namespace torchline
