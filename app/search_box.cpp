#include "search_box.h"

#include "common/control_paint.h"
#include "common/format.h"
#include "model/same_slice.h"
#include "timeline/hit_walk.h"
#include "timeline/timeline_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

struct Found {
    HitsPtr hits; ///< null: stopped
    QString problem;
};

} // namespace

/// A line under the field that says what is wrong with the condition.
class SearchBox::Bubble : public QWidget {
public:
    Bubble(ThemeHost* themes, QWidget* field)
        : QWidget(field->window())
        , m_themes(themes)
        , m_field(field)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

    [[nodiscard]] const QString& text() const { return m_text; }

    void say(const QString& text)
    {
        m_text = text;
        if (parentWidget() != m_field->window())
            setParent(m_field->window());
        setVisible(!text.isEmpty() && m_field->isVisible());
        place();
    }

    void place()
    {
        if (isHidden())
            return;
        const QFontMetrics metrics(font());
        const QPoint at = m_field->mapTo(window(), QPoint(kRingRoom, m_field->height() - kRingRoom + 1));
        const int room = std::max(window()->width() - at.x() - 8, 40);
        setGeometry(at.x(), at.y(), std::min(metrics.horizontalAdvance(m_text) + 2 * kPadding + kSlack, room),
            metrics.height() + 2 * kPadding - 4);
        raise();
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const Theme& theme = m_themes->theme();
        drawControlFrame(&painter, rect(), theme.errorBackground, theme.error);
        painter.setPen(theme.error);
        const QRect place = rect().adjusted(kPadding, 0, -kPadding, 0);
        painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
            fontMetrics().elidedText(m_text, Qt::ElideRight, place.width()));
    }

private:
    static constexpr int kPadding = 8;
    static constexpr int kSlack = 4; ///< advances are rounded: a text that just fits is not cut
    ThemeHost* m_themes;
    QWidget* m_field;
    QString m_text;
};

SearchBox::SearchBox(ThemeHost* themes, ViewState* state, TimelineView* timeline, QWidget* parent)
    : QWidget(parent)
    , m_themes(themes)
    , m_state(state)
    , m_timeline(timeline)
    , m_field(new FilterField(themes, this, FilterField::Purpose::Search))
    , m_bubble(new Bubble(themes, m_field))
    , m_pace([this] { search(); })
    , m_job(this, &m_pace)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_field->setPlaceholder(tr("Search names, or dur > 50us and cat:kernel"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_field);
    connect(m_field, &FilterField::conditionChanged, this, &SearchBox::search);
    connect(m_field, &FilterField::faultChanged, this, &SearchBox::showFault);
    connect(m_field, &FilterField::walked, this, [this](bool forward) { walkHits(*m_state, forward); });
    connect(m_field, &FilterField::left, this, [this] { m_timeline->setFocus(Qt::OtherFocusReason); });
    connect(m_field, &FilterField::leftDownwards, this, [this] { m_timeline->setFocus(Qt::OtherFocusReason); });
    connect(m_timeline, &TimelineView::indexChanged, this, &SearchBox::takeIndex);
    connect(state, &ViewState::selectionChanged, this, &SearchBox::showNote);
    connect(state, &ViewState::hitsChanged, this, &SearchBox::showNote);
    connect(state, &ViewState::searchEndRequested, this, [this] { m_field->setText({}); });
    connect(themes, &ThemeHost::themeChanged, m_bubble, qOverload<>(&QWidget::update));
    showNote();
}

SearchBox::~SearchBox() = default;

void SearchBox::begin()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

/// Hits in a trace that grows stay until what came is searched too.
void SearchBox::takeIndex()
{
    if (m_state->isGrowing() && (m_state->hits() || m_job.isRunning())) {
        m_pace.wait();
        return;
    }
    search();
}

void SearchBox::search()
{
    m_job.cancel();
    m_pace.reset();
    m_problem.clear();
    const QByteArray text = m_field->condition().trimmed().toUtf8();
    const std::shared_ptr<const lod::TimelineIndex> index = m_timeline->index();
    if (text.isEmpty() || !index) {
        m_state->setHits(nullptr);
        showNote();
        return;
    }
    const bool isFirst = !m_state->hits();
    m_job.startInParts<HitsPtr>(
        [index, condition = text.toStdString()](const std::stop_token& stop, const auto& publish) -> Found {
            const auto query = Query::parse(condition);
            if (!query)
                return {};
            const auto mask = query->search(
                index->trace(),
                [&](const SliceMask& soFar) {
                    if (HitsPtr hits = lod::MarkIndex::build(index, soFar, stop))
                        publish(std::move(hits));
                },
                stop);
            if (!mask)
                return {nullptr, displayText(mask.error().message())};
            return {lod::MarkIndex::build(index, *mask, stop), {}};
        },
        [this, isFirst](HitsPtr hits) {
            if (isFirst || !m_state->isGrowing())
                setHits(std::move(hits));
        },
        [this](Found found) {
            m_problem = found.problem;
            setHits(std::move(found.hits));
            showFault();
            showNote();
        });
    showNote();
}

/// Found in a picture that may have become an earlier one.
void SearchBox::setHits(HitsPtr hits)
{
    if (hits && !haveSameLanes(hits->trace(), *m_state->trace()))
        takeIndex();
    else
        m_state->setHits(std::move(hits));
}

void SearchBox::showNote()
{
    const HitsPtr& hits = m_state->hits();
    if (m_field->condition().isEmpty()) {
        m_field->setNote(u"/"_s);
        return;
    }
    if (!hits) {
        m_field->setNote(m_job.isRunning() ? tr("searching…") : QString());
        return;
    }
    const auto count = static_cast<int64_t>(hits->count());
    const SliceRef selected = sameSlice(*m_state->trace(), m_state->selection(), hits->trace());
    if (m_job.isRunning() && !m_state->isGrowing())
        m_field->setNote(tr("%1 hits so far…").arg(formatCount(count)));
    else if (count == 0)
        m_field->setNote(tr("no hits"));
    else if (hits->contains(selected))
        m_field->setNote(
            tr("%1 of %2").arg(formatCount(static_cast<int64_t>(hits->rank(selected)) + 1), formatCount(count)));
    else
        m_field->setNote(formatCounted(count, tr("hit"), tr("hits")));
}

void SearchBox::showFault()
{
    const std::optional<QueryFault>& fault = m_field->fault();
    m_bubble->say(fault ? displayText(fault->message) : m_problem);
}

QString SearchBox::faultText() const
{
    return m_bubble->text();
}

void SearchBox::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        m_bubble->place();
}

void SearchBox::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_bubble->place();
}

void SearchBox::moveEvent(QMoveEvent* event)
{
    QWidget::moveEvent(event);
    m_bubble->place();
}

} // namespace torchline
