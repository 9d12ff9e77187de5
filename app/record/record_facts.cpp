#include "record/record_facts.h"

#include "common/format.h"
#include "common/icon.h"

#include <QDir>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 376;
constexpr int kRow = 21;
constexpr int kEdge = 16;
constexpr int kLabel = 120;
constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

QString nowText(const RecordFacts::StepTimes& steps)
{
    return RecordFacts::tr("%1 (median of the last 50)").arg(formatDuration(steps.nowNs));
}

/// What it costs is said where enough steps were seen for the difference to mean something.
QString beforeText(const RecordFacts::StepTimes& steps)
{
    constexpr uint64_t kEnough = 50;
    const QString before = formatDuration(steps.beforeNs);
    if (steps.nowNs == 0 || steps.before < kEnough)
        return RecordFacts::tr("%1 (mean of %2)").arg(before, formatCount(static_cast<int64_t>(steps.before)));
    const double percent
        = 100.0 * static_cast<double>(steps.nowNs - steps.beforeNs) / static_cast<double>(steps.beforeNs);
    const QString change = QString::number(std::abs(percent), 'f', 1) + u"\u00A0%"_s;
    return RecordFacts::tr("%1, so %2").arg(before, (percent < 0 ? u"\u2212"_s : u"+"_s) + change);
}

} // namespace

RecordFacts::RecordFacts(ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
{
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
}

QSize RecordFacts::sizeHint() const
{
    const Metrics metrics(font());
    int rows = 2;
    for (const Section& section : m_sections)
        rows += static_cast<int>(section.rows.size()) + 2;
    return {metrics.px(kWidth), rows * metrics.px(kRow)};
}

QSize RecordFacts::minimumSizeHint() const
{
    return {Metrics(font()).px(260), sizeHint().height()};
}

void RecordFacts::show(
    const LaunchSetup& setup, const capture::SessionStatus& status, size_t viewerBytes, const StepTimes& steps)
{
    const int before = sizeHint().height();
    m_sections.clear();
    addProgram(setup, status);
    QStringList what{tr("operators")};
    if (setup.shapes)
        what.append(tr("input shapes"));
    if (setup.memory)
        what.append(tr("memory"));
    if (setup.stacks)
        what.append(tr("stacks"));
    if (!setup.backward)
        what.append(tr("no backward"));
    if (!setup.userScopes)
        what.append(tr("no user scopes"));
    m_sections.push_back({tr("What is recorded"), {{what.join(u", "), {}, {}}}});
    addCounters(status, viewerBytes);
    Section cost{tr("Cost to the program"), {{costText(setup), {}, {}}}};
    if (steps.nowNs > 0)
        cost.rows.push_back({tr("Step time now"), nowText(steps), {}});
    if (steps.beforeNs > 0)
        cost.rows.push_back({tr("Before recording"), beforeText(steps), {}});
    m_sections.push_back(std::move(cost));
    const double limit = setup.spoolGib * kBytesPerGib;
    m_spoolShare = std::clamp(static_cast<double>(status.spoolBytes) / limit, 0.0, 1.0);
    m_spoolText
        = tr("%1 of %2")
              .arg(formatBytes(static_cast<int64_t>(status.spoolBytes)), formatBytes(static_cast<int64_t>(limit)));
    if (status.phase == capture::Phase::Recording && status.spoolBytesPerSecond > 0) {
        const double seconds
            = (limit - static_cast<double>(status.spoolBytes)) / static_cast<double>(status.spoolBytesPerSecond);
        constexpr double kDay = 86'400;
        if (seconds > 0 && seconds < kDay)
            m_spoolText += seconds < 2 * 3'600 ? tr(", about %1 min left").arg(static_cast<qint64>(seconds / 60))
                                               : tr(", about %1 h left").arg(static_cast<qint64>(seconds / 3'600));
    }
    if (sizeHint().height() != before)
        updateGeometry();
    update();
}

void RecordFacts::addProgram(const LaunchSetup& setup, const capture::SessionStatus& status)
{
    QString folder = setup.folder.isEmpty() ? QDir::currentPath() : setup.folder;
    if (folder.startsWith(QDir::homePath() + u'/'))
        folder.replace(0, QDir::homePath().size(), u'~');
    const qsizetype added = splitWords(setup.environment).size();
    Section section{tr("Program"),
        {{tr("Command"), setup.commandText(), {}}, {tr("Folder"), folder, {}},
            {tr("Environment"),
                added == 0 ? tr("inherited")
                           : tr("inherited, %1 added").arg(formatCounted(added, tr("variable"), tr("variables"))),
                {}}}};
    QString torch = tr("not seen yet");
    size_t bound = 0;
    bool namesOnly = false;
    for (const capture::ProcessStatus& process : status.processes) {
        if (process.torchPath.empty())
            continue;
        ++bound;
        namesOnly = namesOnly || process.namesOnly;
        torch = displayText(process.torchPath);
    }
    section.rows.push_back({tr("LibTorch"), torch, {}});
    if (namesOnly)
        section.rows.push_back({tr("Read of it"), tr("names and times only"), {}, false, true});
    if (bound > 1)
        section.rows.push_back({tr("Processes"), formatCount(static_cast<int64_t>(bound)), {}});
    m_sections.push_back(std::move(section));
}

void RecordFacts::addCounters(const capture::SessionStatus& status, size_t viewerBytes)
{
    const auto count = [](uint64_t n) { return formatCount(static_cast<int64_t>(n)); };
    const auto perSecond = [](const QString& text) { return tr("%1 /s").arg(text); };
    Section section{tr("Counters"), {}};
    section.rows.push_back({tr("Records"), count(status.records), perSecond(count(status.recordsPerSecond)), true});
    section.rows.push_back({tr("Spool file"), formatBytes(static_cast<int64_t>(status.spoolBytes)),
        perSecond(formatBytes(static_cast<int64_t>(status.spoolBytesPerSecond))), true});
    section.rows.push_back({tr("Viewer memory"), formatBytes(static_cast<int64_t>(viewerBytes)), {}, true});
    section.rows.push_back({tr("Dropped"), count(status.dropped), {}, true, status.dropped > 0});
    if (status.threadsWithoutSlot > 0)
        section.rows.push_back({tr("Threads without room"), count(status.threadsWithoutSlot), {}, true, true});
    if (status.opsTooDeep > 0)
        section.rows.push_back({tr("Nested too deep"), count(status.opsTooDeep), {}, true, true});
    if (status.damagedSlots > 0)
        section.rows.push_back({tr("Damaged threads"), count(status.damagedSlots), {}, true, true});
    m_sections.push_back(std::move(section));
}

int RecordFacts::paintSection(QPainter& painter, const Section& section, int y) const
{
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    const int row = metrics.px(kRow);
    const int left = metrics.px(kEdge);
    const int right = width() - metrics.px(kEdge);
    painter.setFont(metrics.scaled(1.0, QFont::DemiBold));
    painter.setPen(theme.text);
    const int titleWidth = painter.fontMetrics().horizontalAdvance(section.title);
    painter.drawText(QRect(left, y, right - left, row), Qt::AlignVCenter | Qt::TextSingleLine, section.title);
    painter.fillRect(left + titleWidth + metrics.px(8), y + row / 2,
        std::max(0, right - left - titleWidth - metrics.px(8)), 1, theme.separator);
    y += row + metrics.px(2);
    for (const Row& each : section.rows) {
        painter.setFont(metrics.tables());
        painter.setPen(theme.text2);
        const bool isAlone = each.value.isEmpty();
        const QRect label(left, y, isAlone ? right - left : metrics.px(kLabel), row);
        painter.drawText(label, Qt::AlignVCenter | Qt::TextSingleLine,
            painter.fontMetrics().elidedText(each.label, Qt::ElideRight, label.width()));
        if (!isAlone) {
            const int middle = left + (right - left) * 2 / 3;
            const QRect value = each.isNumber
                ? QRect(left + metrics.px(kLabel), y, middle - left - metrics.px(kLabel), row)
                : QRect(left + metrics.px(kLabel), y, right - left - metrics.px(kLabel), row);
            painter.setFont(metrics.scaled(0.92, each.isNumber ? QFont::DemiBold : QFont::Normal));
            painter.setPen(each.isBad ? theme.warn : theme.text);
            painter.drawText(value,
                (each.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter | Qt::TextSingleLine,
                painter.fontMetrics().elidedText(each.value, Qt::ElideMiddle, value.width()));
            if (each.isBad) {
                const int size = metrics.px(14);
                const int textWidth = painter.fontMetrics().horizontalAdvance(each.value);
                const int x = each.isNumber ? value.right() - textWidth - size - metrics.px(6) : value.right() - size;
                painter.drawPixmap(
                    x, y + (row - size) / 2, tintedPixmap(u"warn"_s, theme.warn, size, devicePixelRatioF()));
            }
            painter.setFont(metrics.tables());
            painter.setPen(theme.text2);
            painter.drawText(QRect(middle, y, right - middle, row),
                Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, each.extra);
        }
        y += row;
    }
    return y;
}

void RecordFacts::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    const Metrics metrics(font());
    painter.fillRect(rect(), theme.panel);
    int y = metrics.px(10);
    const int left = metrics.px(kEdge);
    const int right = width() - metrics.px(kEdge);
    for (size_t i = 0; i < m_sections.size(); ++i) {
        y = paintSection(painter, m_sections[i], y) + metrics.px(8);
        if (i != 2)
            continue;
        painter.setFont(metrics.tables());
        painter.setPen(theme.text2);
        const QRect line(left, y - metrics.px(8), right - left, metrics.px(kRow));
        painter.drawText(line, Qt::AlignVCenter | Qt::TextSingleLine, tr("Spool limit"));
        painter.setPen(theme.text);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, m_spoolText);
        const QRect track(left, line.bottom() + metrics.px(2), right - left, metrics.px(6));
        painter.fillRect(track, theme.idle);
        const int filled = static_cast<int>(m_spoolShare * track.width());
        if (m_spoolShare > 0)
            painter.fillRect(QRect(track.topLeft(), QSize(std::max(1, filled), track.height())), theme.accent);
        y = track.bottom() + metrics.px(12);
    }
}

} // namespace torchline
