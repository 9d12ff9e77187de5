#include "record/slow_step_bar.h"

#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"
#include "common/icon.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 34;

QString textFor(const SlowSteps& steps)
{
    const auto tr = [](const char* text) { return SlowStepBar::tr(text); };
    const QString longest = formatDuration(steps.longestNs);
    const bool isOne = steps.count == 1;
    QString text = isOne ? tr("One slow step in the last 30 s: %1").arg(longest)
                         : tr("%1 slow steps in the last 30 s, the longest %2")
                               .arg(formatCount(static_cast<int64_t>(steps.count)), longest);
    if (steps.cause.empty())
        return text + u'.';
    const QString name = displayText(steps.cause);
    const QString cause = name.contains(u"DataLoader"_s) ? tr("the loader was late")
                                                         : tr("most of the time over the median was in %1").arg(name);
    return text + u"; "_s + (isOne ? cause : tr("%1 in each").arg(cause)) + u'.';
}

} // namespace

SlowStepBar::SlowStepBar(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_icon(new QLabel)
    , m_text(new ElidedLabel(themes))
    , m_show(new LinkLabel(themes))
{
    auto* layout = new QHBoxLayout(this);
    layout->addWidget(m_icon);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_show);
    m_text->setElideMode(Qt::ElideRight);
    m_show->setText(tr("Show the last one"));
    m_show->setHint(tr("Opens the live view at the last slow step"));
    connect(m_show, &LinkLabel::activated, this, [this] { Q_EMIT stepRequested(m_last); });
    connect(themes, &ThemeHost::themeChanged, this, &SlowStepBar::applyTheme);
    followFont(this, [this, layout](const Metrics& metrics) {
        setFixedHeight(metrics.px(kHeight));
        layout->setContentsMargins(metrics.px(14), 0, metrics.px(14), 0);
        layout->setSpacing(metrics.px(8));
        applyTheme();
    });
    hide();
}

void SlowStepBar::setSteps(const SlowSteps& steps)
{
    m_last = steps.last;
    setVisible(m_last.isValid());
    if (!m_last.isValid())
        return;
    const QString text = textFor(steps);
    m_text->setText(text);
    setAccessibleName(text);
}

QString SlowStepBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void SlowStepBar::applyTheme()
{
    m_icon->setPixmap(tintedPixmap(u"warn"_s, m_themes->theme().warn, Metrics(font()).px(16), devicePixelRatioF()));
    update();
}

void SlowStepBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().warnBackground);
}

} // namespace torchline
