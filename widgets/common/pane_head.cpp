#include "common/pane_head.h"

#include "common/control_paint.h"
#include "common/elided_label.h"
#include "common/tool_tip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 34;
constexpr int kCompactBelow = 640; ///< buttons become icons
constexpr int kBareBelow = 460; ///< the status line goes
constexpr int kFilterAloneBelow = 330; ///< grouping and columns go: they are in the menu of the rows
constexpr int kNothingElseBelow = 200; ///< copy and export go

} // namespace

PaneHead::PaneHead(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_filter(new FilterField(themes, this))
    , m_group(new PaneButton(themes, PaneButton::Look::Framed, {}, tr("Group rows by"), this))
    , m_columns(new PaneButton(themes, PaneButton::Look::Framed, u"columns"_s, tr("Show and hide columns"), this))
    , m_chipRow(new QHBoxLayout)
    , m_status(new ElidedLabel(themes, this))
    , m_copy(new PaneButton(themes, PaneButton::Look::Plain, u"copy"_s, tr("Copy rows with headers"), this))
    , m_export(new PaneButton(themes, PaneButton::Look::Plain, u"export"_s, tr("Export this table"), this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_filter->setPlaceholder(tr("Filter: name, or dur > 50us"));
    m_filter->setMaximumWidth(m_filter->sizeHint().width());
    m_group->setMenu(new QMenu(m_group));
    m_columns->setMenu(new QMenu(m_columns));
    m_columns->setLabel(tr("Columns"));
    m_status->setAlignment(Qt::AlignRight);
    m_status->setElideMode(Qt::ElideRight);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8 - kRingRoom, 0, 8 - kRingRoom, 0);
    layout->setSpacing(8 - 2 * kRingRoom);
    layout->addWidget(m_filter, 3);
    layout->addWidget(m_group);
    layout->addWidget(m_columns);
    m_chipRow->setSpacing(0);
    layout->addLayout(m_chipRow);
    layout->addWidget(m_status, 4);
    layout->addSpacing(4);
    layout->addWidget(m_copy);
    layout->addWidget(m_export);

    connect(m_copy, &QAbstractButton::clicked, this, &PaneHead::copyRequested);
    connect(m_export, &QAbstractButton::clicked, this, &PaneHead::exportRequested);
    connect(m_filter, &FilterField::faultChanged, this, &PaneHead::showStatus);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

void PaneHead::setGroupText(const QString& text)
{
    m_groupText = text;
    m_group->setAccessibleDescription(text);
    fit();
}

void PaneHead::setParts(bool hasFilter, bool hasGroup, bool hasColumns)
{
    m_filter->setVisible(hasFilter);
    m_hasGroup = hasGroup;
    m_hasColumns = hasColumns;
    fit();
}

void PaneHead::setChips(std::vector<Chip> chips)
{
    for (PaneButton* chip : m_chips)
        chip->deleteLater();
    m_chips.clear();
    for (Chip& chip : chips) {
        auto* button = new PaneButton(
            m_themes, PaneButton::Look::Chip, u"close"_s, tr("Remove from the scope: %1").arg(chip.text), this);
        button->setLabel(chip.text);
        button->setToolTip(plainToolTip(chip.tip));
        connect(button, &QAbstractButton::clicked, this, [remove = std::move(chip.remove)] { remove(); });
        m_chipRow->addWidget(button);
        m_chips.push_back(button);
        button->show();
    }
}

void PaneHead::setStatus(const QString& text, const QString& hint, const QString& brief)
{
    m_statusText = text;
    m_statusBrief = brief;
    m_statusHint = hint;
    showStatus();
}

QString PaneHead::status() const
{
    return m_status->text();
}

void PaneHead::setCanCopy(bool can)
{
    m_copy->setEnabled(can);
    m_export->setEnabled(can);
}

void PaneHead::setCanExport(bool can)
{
    m_hasExport = can;
    fit();
}

void PaneHead::showStatus()
{
    if (const std::optional<QueryFault>& fault = m_filter->fault()) {
        m_status->setColor(&Theme::error);
        m_status->setText(QString::fromStdString(fault->message));
        m_status->setBrief({});
        m_status->setHint(tr("The rows are still those of the last condition that can be read."));
    } else {
        m_status->setColor(&Theme::text2);
        m_status->setText(m_statusText);
        m_status->setBrief(m_statusBrief);
        m_status->setHint(m_statusHint);
    }
    fit();
}

void PaneHead::fit()
{
    const Metrics metrics(font());
    const bool isCompact = width() < metrics.px(kCompactBelow);
    m_group->setLabel(isCompact ? m_groupText : tr("Group: %1").arg(m_groupText));
    m_columns->setCompact(isCompact);
    m_group->setVisible(m_hasGroup && width() >= metrics.px(kFilterAloneBelow));
    m_columns->setVisible(m_hasColumns && width() >= metrics.px(kFilterAloneBelow));
    m_copy->setVisible(width() >= metrics.px(kNothingElseBelow));
    m_export->setVisible(m_hasExport && width() >= metrics.px(kNothingElseBelow));
    m_status->setVisible(width() >= metrics.px(kBareBelow) || m_filter->fault().has_value());
}

QSize PaneHead::sizeHint() const
{
    return {Metrics(font()).px(600), Metrics(font()).px(kHeight)};
}

QSize PaneHead::minimumSizeHint() const
{
    return {0, sizeHint().height()};
}

void PaneHead::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().bar);
}

void PaneHead::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    m_filter->setMaximumWidth(m_filter->sizeHint().width());
    updateGeometry();
    fit();
}

void PaneHead::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

} // namespace torchline
