#include "recent_row.h"

#include "common/control_paint.h"
#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/icon.h"
#include "common/tool_tip.h"

#include "base/text.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 54;
constexpr int kTextLeft = 36;
constexpr int kStripWidth = 84;
constexpr int kStripHeight = 22;
constexpr int kRightWidth = 140;
constexpr int kSide = 8;

QString pathText(const std::string& path)
{
    return displayText(toValidUtf8(path));
}

} // namespace

QString dayText(const QDateTime& when, const QDateTime& now)
{
    const qint64 days = when.date().daysTo(now.date());
    if (days == 0)
        return RecentRow::tr("today %1").arg(when.time().toString(u"HH:mm"_s));
    if (days == 1)
        return RecentRow::tr("yesterday");
    const QString form = when.date().year() == now.date().year() ? u"d MMM"_s : u"d MMM yyyy"_s;
    return QLocale::c().toString(when.date(), form);
}

QString placeText(const std::string& path)
{
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return {};
    const QString folder = pathText(path.substr(0, std::max<size_t>(slash, 1)));
    const QString home = QDir::homePath();
    if (folder == home)
        return u"~"_s;
    return home.size() > 1 && folder.startsWith(home + u'/') ? u"~"_s + folder.mid(home.size()) : folder;
}

QString namesText(const std::vector<std::string>& paths)
{
    if (paths.empty())
        return {};
    const QString first = fileNameText(paths.front());
    return paths.size() == 1 ? first : RecentRow::tr("%1 and %2 more").arg(first).arg(paths.size() - 1);
}

RecentRow::RecentRow(ThemeHost* themes, RecentFile file, QWidget* parent)
    : QAbstractButton(parent)
    , m_themes(themes)
    , m_file(std::move(file))
    , m_name(namesText(m_file.paths))
    , m_place(placeText(m_file.paths.front()))
    , m_remove(new LinkLabel(themes, this))
    , m_locate(new LinkLabel(themes, this))
{
    setAccessibleName(m_name);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QStringList paths;
    for (const std::string& path : m_file.paths)
        paths.append(pathText(path));
    setToolTip(plainToolTip(paths.join(u'\n')));
    m_remove->setText(tr("remove"));
    m_locate->setText(tr("locate…"));
    followFont(this, [this](const Metrics& metrics) {
        m_remove->setFont(metrics.tables());
        m_locate->setFont(metrics.tables());
    });
    m_remove->hide();
    m_locate->hide();
    connect(m_remove, &LinkLabel::activated, this, &RecentRow::removeRequested);
    connect(m_locate, &LinkLabel::activated, this, &RecentRow::locateRequested);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void RecentRow::setMissing(bool missing)
{
    if (missing == m_isMissing)
        return;
    m_isMissing = missing;
    m_remove->setVisible(missing);
    m_locate->setVisible(missing);
    setAccessibleDescription(missing ? tr("the file is gone") : QString());
    resizeEvent(nullptr);
    update();
}

QSize RecentRow::sizeHint() const
{
    const Metrics metrics(font());
    return {metrics.px(480), metrics.px(kHeight)};
}

QSize RecentRow::minimumSizeHint() const
{
    return {Metrics(font()).px(160), sizeHint().height()};
}

void RecentRow::resizeEvent(QResizeEvent*)
{
    const Metrics metrics(font());
    const QFontMetrics small(metrics.tables());
    const int top = height() / 2 + metrics.px(1);
    int x = metrics.px(kTextLeft) + small.horizontalAdvance(tr("The file is gone:") + u' ');
    for (LinkLabel* link : {m_remove, m_locate}) {
        link->setGeometry(x, top, link->sizeHint().width(), metrics.px(20));
        x += link->width() + metrics.px(8);
    }
}

void RecentRow::drawStrip(QPainter* painter, const QRect& rect) const
{
    const auto columns = static_cast<int>(m_file.density.size());
    const QColor fill = m_themes->theme().of(WorkClass::Matrix).fill;
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, fill);
    for (int c = 0; c < columns; ++c) {
        const int share = static_cast<uint8_t>(m_file.density.at(c));
        const int height = share == 0 ? 0 : std::max(1, rect.height() * share / 255);
        const int left = rect.left() + rect.width() * c / columns;
        const int right = rect.left() + rect.width() * (c + 1) / columns;
        painter->fillRect(left, rect.bottom() + 1 - height, right - left, height, fill);
    }
}

void RecentRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    if (underMouse() && !m_isMissing)
        painter.fillRect(rect(), theme.hoverRow);
    painter.fillRect(0, height() - 1, width(), 1, theme.separator);

    const int iconSize = metrics.px(16);
    painter.drawPixmap(metrics.px(kSide), metrics.px(11),
        tintedPixmap(m_isMissing ? u"warn"_s : u"file"_s, m_isMissing ? theme.warn : theme.text2, iconSize,
            devicePixelRatioF()));

    const bool isWide = width() >= metrics.px(420);
    const int rightWidth = isWide ? metrics.px(kRightWidth) : 0;
    const int stripWidth = isWide && !m_isMissing ? metrics.px(kStripWidth) : 0;
    const QRect inner = rect().adjusted(metrics.px(kTextLeft), 0, -metrics.px(kSide), 0);
    const int middle = height() / 2;
    const auto line = [&](bool upper, int left, int width) {
        return QRect(left, upper ? middle - metrics.px(20) : middle + metrics.px(1), width, metrics.px(20));
    };
    const int textWidth = inner.width() - rightWidth - (stripWidth > 0 ? stripWidth + metrics.px(24) : 0);
    painter.setFont(metrics.scaled(1.0, QFont::Medium));
    painter.setPen(m_isMissing ? theme.text3 : theme.text);
    painter.drawText(line(true, inner.left(), textWidth), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        painter.fontMetrics().elidedText(m_name, Qt::ElideMiddle, textWidth));
    painter.setFont(metrics.tables());
    painter.setPen(m_isMissing ? theme.warn : theme.text2);
    QString detail;
    if (m_isMissing) {
        detail = tr("The file is gone:");
    } else {
        detail
            = u" · "_s + formatBytes(static_cast<int64_t>(m_file.sizeBytes)) + u" · "_s + formatDuration(m_file.spanNs);
        detail.prepend(painter.fontMetrics().elidedText(
            m_place, Qt::ElideMiddle, std::max(0, textWidth - painter.fontMetrics().horizontalAdvance(detail))));
    }
    painter.drawText(
        line(false, inner.left(), textWidth), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, detail);

    if (isWide) {
        painter.setPen(theme.text2);
        const int left = inner.right() + 1 - rightWidth;
        painter.drawText(line(true, left, rightWidth), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
            dayText(m_file.openedAt, QDateTime::currentDateTime()));
        if (!m_isMissing)
            painter.drawText(line(false, left, rightWidth), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                tr("%1 slices").arg(formatCount(static_cast<int64_t>(m_file.slices))));
    }
    if (stripWidth > 0 && !m_file.density.isEmpty()) {
        const int height = metrics.px(kStripHeight);
        drawStrip(
            &painter, QRect(inner.right() + 1 - rightWidth - stripWidth, middle - height / 2, stripWidth, height));
    }
    if (m_focus.isShown())
        drawFocusRing(&painter, rect().adjusted(kRingRoom, kRingRoom, -kRingRoom, -kRingRoom), theme);
}

void RecentRow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else if (event->key() == Qt::Key_Delete)
        Q_EMIT removeRequested();
    else if (event->key() == Qt::Key_Down)
        focusNextChild();
    else if (event->key() == Qt::Key_Up)
        focusPreviousChild();
    else
        QAbstractButton::keyPressEvent(event);
}

void RecentRow::contextMenuEvent(QContextMenuEvent* event)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!m_isMissing)
        menu->addAction(tr("Open"), this, &QAbstractButton::click);
    menu->addAction(tr("Remove from the List"), this, &RecentRow::removeRequested);
    menu->popup(event->globalPos());
}

} // namespace torchline
