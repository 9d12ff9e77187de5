#include "details/text_grid.h"

#include "common/text_cut.h"

#include <QFontDatabase>
#include <QMimeData>
#include <QTextBlock>
#include <QTextDocumentFragment>
#include <QWheelEvent>

#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kLineSpacing = 130;
constexpr qreal kHang = 12;

QString cutText(const QString& text)
{
    if (text.size() <= TextGrid::kMostCharacters)
        return text;
    const QString head = headOf(text, TextGrid::kMostCharacters);
    return head + TextGrid::tr("… and %1 more characters (copied whole)").arg(text.size() - head.size());
}

} // namespace

TextGrid::TextGrid(ThemeHost* themes, QWidget* parent)
    : QTextEdit(parent)
    , m_themes(themes)
{
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setAcceptRichText(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setContextMenuPolicy(Qt::DefaultContextMenu);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(0);
    connect(themes, &ThemeHost::themeChanged, this, &TextGrid::fill);
    applyFont();
}

void TextGrid::setPairs(std::vector<DetailPair> pairs, int labelWidth)
{
    m_pairs = std::move(pairs);
    m_lines.clear();
    m_labelWidth = labelWidth;
    fill();
}

void TextGrid::setLines(QStringList lines)
{
    m_lines = std::move(lines);
    m_pairs.clear();
    fill();
}

void TextGrid::setMonospace(bool monospace)
{
    m_isMonospace = monospace;
    applyFont();
}

void TextGrid::applyFont()
{
    QFont text = Metrics(parentWidget() != nullptr ? parentWidget()->font() : font()).tables();
    if (m_isMonospace) {
        QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        fixed.setPixelSize(text.pixelSize());
        text = fixed;
    }
    document()->setDefaultFont(text);
    fill();
}

void TextGrid::fill()
{
    const Theme& theme = m_themes->theme();
    QPalette colors = theme.palette();
    colors.setColor(QPalette::Base, Qt::transparent);
    setPalette(colors);

    QTextCursor cursor(document());
    cursor.beginEditBlock();
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
    QTextBlockFormat block;
    block.setLineHeight(kLineSpacing, QTextBlockFormat::ProportionalHeight);
    QTextCharFormat label;
    label.setForeground(theme.text2);
    QTextCharFormat value;
    value.setForeground(theme.text);
    bool isFirst = true;
    const auto begin = [&] {
        if (isFirst)
            cursor.setBlockFormat(block);
        else
            cursor.insertBlock(block);
        isFirst = false;
    };
    if (!m_pairs.empty()) { // values hang right of their labels
        block.setLeftMargin(m_labelWidth);
        block.setTextIndent(-m_labelWidth);
        block.setTabPositions({QTextOption::Tab(m_labelWidth, QTextOption::LeftTab)});
    }
    if (!m_lines.isEmpty()) { // so does the rest of a long line
        block.setLeftMargin(kHang);
        block.setTextIndent(-kHang);
    }
    for (const DetailPair& pair : m_pairs) {
        begin();
        cursor.insertText(pair.label, label);
        cursor.insertText(u"\t"_s + cutText(pair.value), value);
    }
    for (const QString& line : m_lines) {
        begin();
        cursor.insertText(cutText(line), value);
    }
    cursor.endEditBlock();
    setTextCursor(QTextCursor(document()));
}

int TextGrid::heightFor(int width) const
{
    QTextDocument* text = document();
    if (text->textWidth() != width)
        text->setTextWidth(width);
    return static_cast<int>(std::ceil(text->size().height()));
}

void TextGrid::changeEvent(QEvent* event)
{
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        applyFont();
}

void TextGrid::wheelEvent(QWheelEvent* event)
{
    event->ignore(); // what holds the grid scrolls
}

void TextGrid::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown || event->key() == Qt::Key_Escape) {
        event->ignore(); // likewise
        return;
    }
    if (event->matches(QKeySequence::Copy) && !textCursor().hasSelection()) {
        event->ignore(); // the pane copies what it is about
        return;
    }
    QTextEdit::keyPressEvent(event);
}

void TextGrid::focusOutEvent(QFocusEvent* event)
{
    QTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) {
        QTextCursor cursor = textCursor();
        cursor.clearSelection();
        setTextCursor(cursor);
    }
}

QMimeData* TextGrid::createMimeDataFromSelection() const
{
    auto* mime = new QMimeData;
    mime->setText(textCursor().selection().toPlainText());
    return mime;
}

} // namespace torchline
