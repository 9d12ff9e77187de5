#include "record/terminal_text.h"

#include <algorithm>
#include <utility>

namespace torchline {

namespace {

constexpr qsizetype kTab = 8;
constexpr qsizetype kMostParameters = 64;

} // namespace

void TerminalText::add(const QByteArray& bytes)
{
    const QString text = m_decoder.decode(bytes);
    for (const QChar c : text)
        obey(c);
}

void TerminalText::obey(QChar c)
{
    switch (m_state) {
    case State::Plain:
        if (c == u'\x1b')
            m_state = State::Escape;
        else if (c < u' ' || c == u'\x7f')
            control(c);
        else
            put(c);
        return;
    case State::Escape:
        m_parameters.clear();
        m_state = c == u'[' ? State::Sequence : c == u']' ? State::Text : State::Plain;
        return;
    case State::Sequence:
        if (c >= u'@' && c <= u'~') {
            if (c == u'K' && (m_parameters.isEmpty() || m_parameters == u"0"))
                m_lines.back().truncate(m_column); // erase to the end: progress bars do
            m_state = State::Plain;
        } else if (m_parameters.size() < kMostParameters) {
            m_parameters += c;
        }
        return;
    case State::Text: // a window title and its like: up to BEL or ESC
        if (c == u'\a')
            m_state = State::Plain;
        else if (c == u'\x1b')
            m_state = State::TextEscape;
        return;
    case State::TextEscape:
        m_state = State::Plain;
        return;
    }
}

void TerminalText::put(QChar c)
{
    QString& line = m_lines.back();
    if (m_column >= kMostColumns)
        return;
    if (m_column < line.size())
        line[m_column] = c;
    else
        line += QString(m_column - line.size(), u' ') + c;
    ++m_column;
    m_changedFrom = std::min(m_changedFrom, m_firstLine + m_lines.size() - 1);
}

void TerminalText::control(QChar c)
{
    if (c == u'\r')
        m_column = 0;
    else if (c == u'\b')
        m_column = std::max<qsizetype>(0, m_column - 1);
    else if (c == u'\t')
        m_column = std::min(kMostColumns, (m_column / kTab + 1) * kTab);
    if (c != u'\n')
        return;
    m_lines.append(QString());
    m_column = 0;
    m_changedFrom = std::min(m_changedFrom, m_firstLine + m_lines.size() - 1);
    if (m_lines.size() > kMostLines + kMostLines / 4) {
        const qsizetype gone = m_lines.size() - kMostLines;
        m_lines.remove(0, gone);
        m_firstLine += gone;
    }
}

qsizetype TerminalText::takeChangedFrom()
{
    return std::exchange(m_changedFrom, m_firstLine + m_lines.size());
}

} // namespace torchline
