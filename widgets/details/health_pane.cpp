#include "details/health_pane.h"

#include "model/same_slice.h"

#include "common/focus_line.h"
#include "common/format.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>

#include <numeric>
#include <sstream>
#include <utility>

namespace torchline {

using namespace Qt::StringLiterals;

HealthPane::HealthPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_list(new NoticeList(themes, this))
    , m_focusLine(new FocusLine(themes, m_list, this))
    , m_head(new PaneHead(themes, this))
    , m_empty(new EmptyPane(themes, this))
    , m_pace([this] { readTrace(); })
    , m_job(this, &m_pace)
{
    setAccessibleName(tr("Health"));
    setFocusPolicy(Qt::ClickFocus);
    m_head->setParts(false, false, false);
    connect(m_list, &NoticeList::targetRequested, this,
        [this](SliceRef slice) { m_state->reveal(sameSlice(*m_reportTrace, slice, *m_state->trace())); });
    connect(state, &ViewState::traceChanged, this, &HealthPane::takeTrace);
    connect(m_head, &PaneHead::copyRequested, this, &HealthPane::copy);
    connect(m_head, &PaneHead::exportRequested, this, &HealthPane::exportRequested);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    takeTrace();
}

HealthPane::~HealthPane() = default;

void HealthPane::takeTrace()
{
    if (!m_state->isTakingLonger() || !m_state->isGrowing()) {
        m_isBehind = false;
        m_pace.reset();
        readTrace();
    } else if (isVisible()) {
        m_pace.wait();
    } else {
        m_isBehind = true;
        countNotices();
    }
}

void HealthPane::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (std::exchange(m_isBehind, false))
        m_pace.wait();
}

void HealthPane::countNotices()
{
    m_noticeCount = 0;
    m_worst = NoticeSeverity::Info;
    const auto count = [this](std::span<const Notice> notices) {
        m_noticeCount += static_cast<int>(notices.size());
        for (const Notice& notice : notices)
            m_worst = std::max(m_worst, notice.severity);
    };
    if (const TracePtr& trace = m_state->trace()) {
        count(trace->notices());
        for (const auto& file : trace->files())
            count(file->notices);
    }
    Q_EMIT noticesChanged();
}

void HealthPane::readTrace()
{
    m_job.cancel();
    m_report.reset();
    const TracePtr& trace = m_state->trace();
    m_empty->setVisible(!trace);
    m_head->setVisible(trace != nullptr);
    m_list->setVisible(trace != nullptr);
    m_list->setEntries({});
    if (!trace) {
        m_empty->setText({tr("No trace is open"), tr("Open a trace to see how complete it is."), {}, u"file"_s});
        countNotices();
        return;
    }
    countNotices();
    m_head->setStatus(formatCounted(m_noticeCount, tr("notice"), tr("notices")), {});
    m_head->setCanCopy(m_noticeCount > 0);
    m_job.start([trace](std::stop_token stop) { return healthReport(*trace, std::move(stop)); },
        [this, trace](HealthReport report) {
            m_reportTrace = trace;
            showReport(std::move(report));
        });
}

void HealthPane::showReport(HealthReport report)
{
    using Shape = NoticeList::Shape;
    m_report = std::move(report);
    std::vector<NoticeList::Entry> entries{{m_report->isComplete ? Shape::Ok
            : m_report->isCutShort                               ? Shape::Error
                                                                 : Shape::Warning,
        m_report->summary,
        m_report->rows.empty() ? QStringList{tr("Nothing was repaired, skipped or guessed.")} : QStringList(), {}, {}}};
    for (const HealthRow& row : m_report->rows) {
        const Shape shape = row.severity == NoticeSeverity::Error ? Shape::Error
            : row.severity == NoticeSeverity::Warning             ? Shape::Warning
                                                                  : Shape::Info;
        QStringList evidence{row.text};
        for (const QString& more : {row.places, row.file}) {
            if (!more.isEmpty())
                evidence.append(more);
        }
        entries.push_back({shape, row.title, evidence, formatCount(static_cast<int64_t>(row.count)), row.target});
    }
    m_list->setEntries(std::move(entries));
}

void HealthPane::place()
{
    const int head = m_head->sizeHint().height();
    const int top = FocusLine::kHeight;
    m_focusLine->setGeometry(0, 0, width(), top);
    m_empty->setGeometry(rect().adjusted(0, top, 0, 0));
    m_head->setGeometry(0, top, width(), head);
    m_list->setGeometry(0, top + head, width(), std::max(0, height() - head - top));
}

QSize HealthPane::sizeHint() const
{
    return {Metrics(font()).px(900), Metrics(font()).px(240)};
}

QSize HealthPane::minimumSizeHint() const
{
    return {Metrics(font()).px(160), Metrics(font()).px(60)};
}

void HealthPane::copy()
{
    if (!m_report)
        return;
    std::vector<uint32_t> rows(m_report->table.rows.size());
    std::iota(rows.begin(), rows.end(), 0u);
    std::ostringstream out;
    writeTsvRows(m_report->table, rows, out);
    QGuiApplication::clipboard()->setText(QString::fromStdString(out.str()));
}

void HealthPane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().panel);
}

void HealthPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void HealthPane::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    QWidget::keyPressEvent(event);
}

void HealthPane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        place();
}

} // namespace torchline
