#include "timeline/lane_filter.h"

#include "common/format.h"
#include "common/icon.h"
#include "common/lane_title.h"
#include "common/pane_button.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

#include <fnmatch.h>

namespace torchline {

using namespace Qt::StringLiterals;

LaneFilter::LaneFilter(const QString& text)
    : m_text(text.trimmed())
{
    const auto isGlob = [](QChar c) { return c == u'*' || c == u'?' || c == u'['; };
    if (std::ranges::any_of(m_text, isGlob))
        m_glob = m_text.toUtf8();
}

bool LaneFilter::fits(const QStringList& names) const
{
    return std::ranges::any_of(names, [this](const QString& name) {
        return m_glob.isEmpty() ? name.contains(m_text, Qt::CaseInsensitive)
                                : ::fnmatch(m_glob.constData(), name.toUtf8().constData(), FNM_CASEFOLD) == 0;
    });
}

QStringList laneNames(const TraceSnapshot& trace, std::span<const GroupTitle> groups, LaneId lane)
{
    const GroupTitle& group = groups[lod::groupIndex(trace, lane)];
    return {laneTitle(trace, lane), displayText(trace.laneLabel(lane)), group.title, group.note};
}

LaneFilterField::LaneFilterField(ThemeHost* themes, QWidget* parent)
    : QLineEdit(parent)
    , m_themes(themes)
    , m_clear(new PaneButton(themes, PaneButton::Look::Plain, u"close"_s, tr("Show all lanes"), this))
{
    setFrame(false);
    setMaxLength(1000);
    setPlaceholderText(tr("Lanes: name or *glob*"));
    setAccessibleName(tr("Filter lanes by name"));
    m_clear->setFocusPolicy(Qt::NoFocus);
    m_clear->setCursor(Qt::ArrowCursor);
    connect(m_clear, &QAbstractButton::clicked, this, [this] {
        clear();
        Q_EMIT left();
    });
    connect(themes, &ThemeHost::themeChanged, this, &LaneFilterField::applyTheme);
    applyTheme();
    place();
}

void LaneFilterField::setNote(const QString& note)
{
    m_note = note;
    setAccessibleDescription(note);
    place();
    update();
}

void LaneFilterField::applyTheme()
{
    QPalette colors = m_themes->theme().palette();
    colors.setColor(QPalette::Base, Qt::transparent);
    setPalette(colors);
    update();
}

void LaneFilterField::place()
{
    const Metrics metrics(font());
    const int button = std::min(height(), m_clear->sizeHint().width());
    m_clear->setGeometry(width() - button, (height() - button) / 2, button, button);
    const int note = m_note.isEmpty() ? 0 : QFontMetrics(metrics.lanes()).horizontalAdvance(m_note) + metrics.px(6);
    setTextMargins(metrics.px(20), 0, button + note, 0);
}

void LaneFilterField::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    place();
}

void LaneFilterField::paintEvent(QPaintEvent* event)
{
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    {
        QPainter painter(this);
        painter.fillRect(rect(), theme.field);
        painter.setPen(hasFocus() ? theme.accent : theme.border);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        const int icon = metrics.px(14);
        painter.drawPixmap(metrics.px(5), (height() - icon) / 2,
            tintedPixmap(u"filter"_s, text().isEmpty() ? theme.text2 : theme.accent, icon, devicePixelRatioF()));
    }
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    painter.setFont(metrics.lanes());
    painter.setPen(theme.text2);
    painter.drawText(QRect(0, 0, m_clear->x(), height()), Qt::AlignRight | Qt::AlignVCenter, m_note);
}

void LaneFilterField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Escape:
        clear();
        Q_EMIT left();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Down:
        Q_EMIT left();
        return;
    default:
        QLineEdit::keyPressEvent(event);
    }
}

} // namespace torchline
