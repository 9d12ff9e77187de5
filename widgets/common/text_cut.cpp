#include "common/text_cut.h"

#include <QTextBoundaryFinder>

#include <algorithm>

namespace torchline {

namespace {

constexpr qsizetype kLongestCharacter = 64;

/// Boundaries near a place; `begin` is where the part that is looked at begins in the text.
struct Near {
    qsizetype begin;
    QString part;
    QTextBoundaryFinder finder;

    Near(const QString& text, qsizetype at)
        : begin(std::max<qsizetype>(at - kLongestCharacter, 0))
        , part(text.mid(begin, 2 * kLongestCharacter))
        , finder(QTextBoundaryFinder::Grapheme, part)
    {
        finder.setPosition(at - begin);
    }
};

} // namespace

qsizetype cutBefore(const QString& text, qsizetype at)
{
    if (at <= 0 || at >= text.size())
        return std::clamp<qsizetype>(at, 0, text.size());
    Near near(text, at);
    if (near.finder.isAtBoundary())
        return at;
    const qsizetype before = near.finder.toPreviousBoundary();
    return before > 0 || near.begin == 0 ? near.begin + std::max<qsizetype>(before, 0) : at;
}

qsizetype cutAfter(const QString& text, qsizetype at)
{
    if (at <= 0 || at >= text.size())
        return std::clamp<qsizetype>(at, 0, text.size());
    Near near(text, at);
    if (near.finder.isAtBoundary())
        return at;
    const qsizetype after = near.finder.toNextBoundary();
    return after >= 0 && (after < near.part.size() || near.begin + after == text.size()) ? near.begin + after : at;
}

QString headOf(const QString& text, qsizetype most)
{
    return text.left(cutBefore(text, most));
}

QString tailOf(const QString& text, qsizetype most)
{
    return text.mid(cutAfter(text, text.size() - most));
}

QString bothEndsOf(const QString& text, qsizetype most)
{
    return text.size() <= most ? text : QString(headOf(text, most / 2) + QChar(0x2026) + tailOf(text, most / 2));
}

} // namespace torchline
