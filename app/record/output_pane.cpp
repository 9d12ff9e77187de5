#include "record/output_pane.h"

#include <QEvent>
#include <QFontDatabase>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QVBoxLayout>

namespace torchline {

namespace {

constexpr int kShowEveryMs = 50;

} // namespace

OutputPane::OutputPane(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_view(new QPlainTextEdit)
    , m_input(new QLineEdit)
{
    QFont mono = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    mono.setPixelSize(Metrics(font()).tables().pixelSize() > 0 ? Metrics(font()).tables().pixelSize() : 12);
    m_view->setFont(mono);
    m_view->setReadOnly(true);
    m_view->setUndoRedoEnabled(false);
    m_view->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Output of the program"));
    m_view->setPlaceholderText(tr("What the program writes shows here."));
    m_view->document()->setDocumentMargin(Metrics(font()).px(10));
    m_input->setFont(mono);
    m_input->setAccessibleName(tr("Input of the program"));
    m_input->setPlaceholderText(tr("A line for the program's standard input"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    auto* row = new QVBoxLayout;
    const int edge = Metrics(font()).px(8);
    row->setContentsMargins(edge, Metrics(font()).px(4), edge, Metrics(font()).px(4));
    row->addWidget(m_input);
    layout->addLayout(row);
    m_show.setSingleShot(true);
    m_show.setInterval(kShowEveryMs);
    connect(&m_show, &QTimer::timeout, this, &OutputPane::showChanges);
    connect(m_input, &QLineEdit::returnPressed, this, [this] {
        Q_EMIT entered(m_input->text() + QChar(u'\n'));
        m_input->clear();
    });
    connect(themes, &ThemeHost::themeChanged, this, &OutputPane::applyTheme);
    applyTheme();
}

void OutputPane::add(const QByteArray& bytes)
{
    m_text.add(bytes);
    if (!m_show.isActive())
        m_show.start();
}

void OutputPane::setEnded(bool hasEnded)
{
    m_input->setVisible(!hasEnded);
}

void OutputPane::clear()
{
    m_text = {};
    m_shownFrom = 0;
    m_view->clear();
}

QString OutputPane::text() const
{
    return m_text.lines().join(u'\n');
}

/// The lines that are the same stay as they are, so that a selection in them and the scroll position do too.
void OutputPane::showChanges()
{
    QScrollBar* bar = m_view->verticalScrollBar();
    const bool isAtEnd = bar->value() >= bar->maximum();
    const qsizetype changed = std::max(m_text.takeChangedFrom(), m_text.firstLine());
    QTextDocument* document = m_view->document();
    QTextCursor cursor(document);
    if (m_shownFrom < m_text.firstLine()) {
        const auto gone = std::min<qsizetype>(m_text.firstLine() - m_shownFrom, document->blockCount() - 1);
        cursor.movePosition(QTextCursor::NextBlock, QTextCursor::KeepAnchor, static_cast<int>(gone));
        cursor.removeSelectedText();
        m_shownFrom = m_text.firstLine();
    }
    const auto row = static_cast<int>(changed - m_shownFrom);
    const QTextBlock block = document->findBlockByNumber(row);
    if (block.isValid()) {
        cursor.setPosition(block.position());
        cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    } else {
        cursor.movePosition(QTextCursor::End);
        if (row > 0)
            cursor.insertBlock();
    }
    cursor.insertText(m_text.lines().mid(changed - m_text.firstLine()).join(u'\n'));
    if (isAtEnd)
        bar->setValue(bar->maximum());
}

void OutputPane::applyTheme()
{
    QPalette palette = m_view->palette();
    palette.setColor(QPalette::Base, m_themes->theme().field);
    palette.setColor(QPalette::Text, m_themes->theme().text);
    palette.setColor(QPalette::PlaceholderText, m_themes->theme().text3);
    m_view->setPalette(palette);
}

void OutputPane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_input != nullptr)
        applyTheme();
}

void OutputPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const QFontMetrics metrics(m_view->font());
    const int columns = std::clamp(m_view->viewport()->width() / std::max(1, metrics.horizontalAdvance(u'0')), 20, 500);
    const int rows = std::clamp(m_view->viewport()->height() / std::max(1, metrics.lineSpacing()), 4, 200);
    Q_EMIT resized(columns, rows);
}

} // namespace torchline
