#include "common/filter_field.h"

#include "common/control_paint.h"
#include "common/icon.h"
#include "common/pane_button.h"
#include "common/tool_tip.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDelayMs = 250;
constexpr int kNoteGap = 12;
constexpr int kSearchDelayMs = 120; ///< hits come while one types

/// Characters of the text before this byte of its UTF-8 form.
qsizetype characterAt(const QByteArray& utf8, size_t byte)
{
    return QString::fromUtf8(utf8.left(static_cast<qsizetype>(byte))).size();
}

} // namespace

/// The bare line with the underline of a fault.
class FilterField::Edit : public QLineEdit {
public:
    Edit(ThemeHost* themes, QWidget* parent)
        : QLineEdit(parent)
        , m_themes(themes)
    {
        setFrame(false);
        setMaxLength(10'000);
    }

    void underline(qsizetype begin, qsizetype end)
    {
        m_begin = begin;
        m_end = std::max(begin, end);
        m_isUnderlined = true;
        update();
    }

    void clearUnderline()
    {
        m_isUnderlined = false;
        update();
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QLineEdit::paintEvent(event);
        if (!m_isUnderlined)
            return;
        // The line scrolls by itself; its cursor tells where it is.
        const qreal origin = cursorRect().center().x() - fontMetrics().horizontalAdvance(text().left(cursorPosition()));
        const qreal from = origin + fontMetrics().horizontalAdvance(text().left(m_begin));
        const qreal to = std::max(origin + fontMetrics().horizontalAdvance(text().left(m_end)), from + 6);
        const qreal y = (height() + fontMetrics().height()) / 2.0 - 1.5;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_themes->theme().error, 1.3));
        QPainterPath wave(QPointF(from, y));
        bool up = true;
        for (qreal x = from + 2; x <= to + 0.5; x += 2, up = !up)
            wave.lineTo(x, up ? y - 1.5 : y + 1);
        painter.drawPath(wave);
    }

private:
    ThemeHost* m_themes;
    bool m_isUnderlined = false;
    qsizetype m_begin = 0;
    qsizetype m_end = 0;
};

FilterField::FilterField(ThemeHost* themes, QWidget* parent, Purpose purpose)
    : QWidget(parent)
    , m_themes(themes)
    , m_purpose(purpose)
    , m_edit(new Edit(themes, this))
    , m_focus(m_edit, this)
    , m_clear(new PaneButton(themes, PaneButton::Look::Plain, u"close"_s,
          purpose == Purpose::Search ? tr("End the search") : tr("Clear the filter"), this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusProxy(m_edit);
    m_edit->setAccessibleName(purpose == Purpose::Search ? tr("Search") : tr("Filter"));
    m_edit->installEventFilter(this);
    m_clear->setFocusPolicy(Qt::NoFocus);
    m_clear->hide();

    auto* layout = new QHBoxLayout(this);
    layout->setSpacing(0);
    layout->addWidget(m_edit);
    layout->addWidget(m_clear);

    m_delay.setSingleShot(true);
    m_delay.setInterval(purpose == Purpose::Search ? kSearchDelayMs : kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &FilterField::apply);
    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        check();
        m_delay.start();
    });
    connect(m_clear, &QAbstractButton::clicked, this, [this] {
        m_edit->clear();
        apply();
        if (m_purpose == Purpose::Search)
            Q_EMIT left();
    });
    connect(themes, &ThemeHost::themeChanged, this, &FilterField::applyTheme);
    applyTheme();
    applyFont();
}

FilterField::~FilterField() = default;

QString FilterField::text() const
{
    return m_edit->text();
}

void FilterField::setText(const QString& text)
{
    m_edit->setText(text);
    if (!m_edit->hasFocus())
        m_edit->setCursorPosition(0); // of a long condition its begin
    apply();
}

void FilterField::setPlaceholder(const QString& text)
{
    m_edit->setPlaceholderText(text);
}

void FilterField::setNote(const QString& note)
{
    if (note == m_note)
        return;
    m_note = note;
    applyFont();
    update();
}

void FilterField::selectAll()
{
    m_edit->selectAll();
}

QSize FilterField::sizeHint() const
{
    const Metrics metrics(font());
    return {metrics.px(300) + 2 * kRingRoom, metrics.px(24) + 2 * kRingRoom};
}

QSize FilterField::minimumSizeHint() const
{
    return {Metrics(font()).px(110), sizeHint().height()};
}

void FilterField::check()
{
    m_clear->setVisible(!m_edit->text().isEmpty());
    applyFont();
    const QByteArray utf8 = m_edit->text().toUtf8();
    const auto query = Query::parse(std::string_view(utf8.data(), static_cast<size_t>(utf8.size())));
    if (query) {
        m_fault.reset();
        m_edit->clearUnderline();
    } else {
        m_fault = query.error();
        m_edit->underline(characterAt(utf8, m_fault->begin), characterAt(utf8, m_fault->end));
    }
    const QString message = m_fault ? QString::fromStdString(m_fault->message) : QString();
    m_edit->setAccessibleDescription(message);
    m_edit->setToolTip(message.isEmpty() ? QString() : plainToolTip(message));
    update();
    Q_EMIT faultChanged();
}

void FilterField::apply()
{
    m_delay.stop();
    if (m_fault || m_edit->text() == m_condition)
        return;
    m_condition = m_edit->text();
    Q_EMIT conditionChanged(m_condition);
}

void FilterField::applyTheme()
{
    QPalette colors = m_themes->theme().palette();
    colors.setColor(QPalette::Base, Qt::transparent); // the field paints what is behind the line
    m_edit->setPalette(colors);
    update();
}

void FilterField::applyFont()
{
    const int note = m_note.isEmpty() ? 0 : QFontMetrics(Metrics(font()).tables()).horizontalAdvance(m_note) + kNoteGap;
    static_cast<QHBoxLayout*>(layout())->setStretch(0, 1);
    layout()->setSpacing(note);
    const bool hasClear = m_clear->isVisibleTo(this);
    layout()->setContentsMargins(
        kRingRoom + 6 + Metrics(font()).px(16) + 6, 0, kRingRoom + 1 + (hasClear ? 0 : note), 0);
    updateGeometry();
}

void FilterField::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && layout() != nullptr)
        applyFont();
}

void FilterField::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const int bodyHeight = sizeHint().height() - 2 * kRingRoom;
    const QRect body(kRingRoom, (height() - bodyHeight) / 2, width() - 2 * kRingRoom, bodyHeight);
    const QColor border = m_fault ? theme.error : m_edit->hasFocus() ? theme.accent : theme.border;
    drawControlFrame(&painter, body, theme.field, border);
    if (m_focus.isShown())
        drawFocusRing(&painter, body, theme);
    const int icon = Metrics(font()).px(16);
    painter.drawPixmap(body.left() + 6, body.center().y() - icon / 2 + 1,
        tintedPixmap(m_purpose == Purpose::Search ? u"search"_s : u"filter"_s, theme.text2, icon, devicePixelRatioF()));
    if (m_note.isEmpty())
        return;
    painter.setFont(Metrics(font()).tables());
    painter.setPen(theme.text2);
    const int right = m_clear->isVisibleTo(this) ? m_clear->geometry().left() : body.right() + 1 - kNoteGap / 2;
    painter.drawText(QRect(m_edit->geometry().right(), body.top(), right - m_edit->geometry().right(), body.height()),
        Qt::AlignVCenter | Qt::AlignRight, m_note);
}

bool FilterField::keyPressed(const QKeyEvent& event)
{
    switch (event.key()) {
    case Qt::Key_Escape:
        if (m_purpose == Purpose::Filter && m_edit->text().isEmpty())
            return false;
        m_edit->clear();
        apply();
        if (m_purpose == Purpose::Search)
            Q_EMIT left();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
        const bool isApplied = !m_fault && m_edit->text() == m_condition;
        apply();
        if (m_purpose == Purpose::Search && isApplied && !m_condition.isEmpty())
            Q_EMIT walked(!event.modifiers().testFlag(Qt::ShiftModifier));
        return true;
    }
    case Qt::Key_Down:
        Q_EMIT leftDownwards();
        return true;
    default:
        return false;
    }
}

bool FilterField::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress && keyPressed(*static_cast<QKeyEvent*>(event)))
        return true;
    return QWidget::eventFilter(watched, event);
}

} // namespace torchline
