#include "common/tool_tip.h"

#include "common/text_cut.h"

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostCharacters = 4000;
constexpr qsizetype kLongestWord = 48;
constexpr QChar kZeroWidthSpace(0x200B);
constexpr QChar kEllipsis(0x2026);

QString escaped(const QString& text)
{
    QString out;
    qsizetype word = 0;
    for (const QChar c : headOf(text, kMostCharacters)) {
        word = c.isSpace() ? 0 : word + 1;
        if (word > kLongestWord && !c.isLowSurrogate()) {
            out += kZeroWidthSpace;
            word = 1;
        }
        switch (c.unicode()) {
        case u'<':
            out += u"&lt;"_s;
            break;
        case u'>':
            out += u"&gt;"_s;
            break;
        case u'&':
            out += u"&amp;"_s;
            break;
        case u'"':
            out += u"&quot;"_s;
            break;
        case u'\n':
            out += u"<br/>"_s;
            break;
        default:
            out += c;
        }
    }
    if (text.size() > kMostCharacters)
        out += kEllipsis;
    return out;
}

} // namespace

QString plainToolTip(const QString& text)
{
    return u"<qt>"_s + escaped(text) + u"</qt>"_s;
}

QString titledToolTip(const QString& title, const QString& text)
{
    return u"<qt><b>"_s + escaped(title) + u"</b><br/>"_s + escaped(text) + u"</qt>"_s;
}

} // namespace torchline
