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

FilterField::FilterField(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_edit(new Edit(themes, this))
    , m_clear(new PaneButton(themes, PaneButton::Look::Plain, u"close"_s, tr("Clear the filter"), this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusProxy(m_edit);
    m_edit->setAccessibleName(tr("Filter"));
    m_edit->installEventFilter(this);
    m_clear->setFocusPolicy(Qt::NoFocus);
    m_clear->hide();

    auto* layout = new QHBoxLayout(this);
    layout->setSpacing(0);
    layout->addWidget(m_edit);
    layout->addWidget(m_clear);

    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &FilterField::apply);
    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        check();
        m_delay.start();
    });
    connect(m_edit, &QLineEdit::returnPressed, this, &FilterField::apply);
    connect(m_clear, &QAbstractButton::clicked, this, [this] {
        m_edit->clear();
        apply();
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
    apply();
}

void FilterField::setPlaceholder(const QString& text)
{
    m_edit->setPlaceholderText(text);
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
    layout()->setContentsMargins(kRingRoom + 6 + Metrics(font()).px(16) + 6, 0, kRingRoom + 1, 0);
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
    if (m_hasRing)
        drawFocusRing(&painter, body, theme);
    const int icon = Metrics(font()).px(16);
    painter.drawPixmap(body.left() + 6, body.center().y() - icon / 2 + 1,
        tintedPixmap(u"filter"_s, theme.text2, icon, devicePixelRatioF()));
}

bool FilterField::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape && !m_edit->text().isEmpty()) {
            m_edit->clear();
            apply();
            return true;
        }
        if (key == Qt::Key_Down) {
            Q_EMIT leftDownwards();
            return true;
        }
    }
    if (watched == m_edit && event->type() == QEvent::FocusIn) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        m_hasRing
            = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
        update();
    }
    if (watched == m_edit && event->type() == QEvent::FocusOut) {
        m_hasRing = false;
        update();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace torchline
