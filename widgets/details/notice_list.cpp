#include "details/notice_list.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

QString iconOf(NoticeList::Shape shape)
{
    switch (shape) {
    case NoticeList::Shape::Ok:
        return u"ok"_s;
    case NoticeList::Shape::Info:
        return u"info"_s;
    case NoticeList::Shape::Warning:
        return u"warn"_s;
    case NoticeList::Shape::Error:
        break;
    }
    return u"error"_s;
}

QColor Theme::*colorOf(NoticeList::Shape shape)
{
    switch (shape) {
    case NoticeList::Shape::Ok:
        return &Theme::ok;
    case NoticeList::Shape::Info:
        return &Theme::accent;
    case NoticeList::Shape::Warning:
        return &Theme::warn;
    case NoticeList::Shape::Error:
        break;
    }
    return &Theme::error;
}

} // namespace

NoticeList::NoticeList(ThemeHost* themes, QWidget* parent)
    : QScrollArea(parent)
    , m_themes(themes)
    , m_body(new QWidget)
{
    setWidget(m_body);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Notices"));
    connect(themes, &ThemeHost::themeChanged, this, &NoticeList::applyTheme);
    applyTheme();
}

void NoticeList::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    for (NoticeRow* row : m_rows) {
        row->hide(); // until it is gone
        row->deleteLater();
    }
    m_rows.clear();
    for (const Entry& entry : m_entries) {
        auto* row = new NoticeRow(m_themes, iconOf(entry.shape), colorOf(entry.shape), m_body);
        row->setTexts(entry.title, entry.evidence, entry.count);
        row->setTarget(entry.target);
        connect(row, &NoticeRow::targetRequested, this, &NoticeList::targetRequested);
        row->show();
        m_rows.push_back(row);
    }
    place();
}

void NoticeList::place()
{
    const int width = std::max(120, this->width() - verticalScrollBar()->sizeHint().width());
    int y = 0;
    for (NoticeRow* row : m_rows) {
        const int height = row->heightFor(width);
        row->setGeometry(0, y, width, height);
        y += height;
    }
    m_body->resize(width, y);
}

void NoticeList::applyTheme()
{
    QPalette colors = m_themes->theme().palette();
    colors.setColor(QPalette::Window, m_themes->theme().panel);
    setPalette(colors);
    m_body->setPalette(colors);
}

void NoticeList::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    place();
}

void NoticeList::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        place();
}

} // namespace torchline
