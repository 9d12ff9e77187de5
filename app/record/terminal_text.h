#pragma once
// TerminalText: what a program writes to its terminal, as lines of text: carriage returns (progress bars), backspaces,
// tabs and line feeds are obeyed, escape sequences left out. Thread: one.

#include <QByteArray>
#include <QString>
#include <QStringDecoder>
#include <QStringList>

namespace torchline {

class TerminalText {
public:
    static constexpr qsizetype kMostLines = 20'000; ///< the oldest go
    static constexpr qsizetype kMostColumns = 4'096; ///< of a line; the rest is cut

    /// Any split of the bytes gives the same lines.
    void add(const QByteArray& bytes);

    /// The last one is that in which the cursor is.
    [[nodiscard]] const QStringList& lines() const { return m_lines; }
    /// Lines from here on may have changed since the last call, counted in all lines ever; lines().size() are kept.
    [[nodiscard]] qsizetype takeChangedFrom();
    [[nodiscard]] qsizetype firstLine() const { return m_firstLine; } ///< number of lines().front()

private:
    enum class State : uint8_t { Plain, Escape, Sequence, Text, TextEscape };
    void put(QChar c);
    void control(QChar c);
    void obey(QChar c);

    QStringList m_lines{QString()};
    qsizetype m_firstLine = 0;
    qsizetype m_changedFrom = 0;
    qsizetype m_column = 0;
    State m_state = State::Plain;
    QString m_parameters;
    QStringDecoder m_decoder{QStringDecoder::Utf8};
};

} // namespace torchline
