#include "details/details_pane.h"

#include "common/control_paint.h"
#include "common/focus_line.h"
#include "common/format.h"
#include "model/same_slice.h"
#include "query/condition_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kEdge = 12;
constexpr int kTwoColumnsFrom = 480;
constexpr int kLabelWidth = 92;
constexpr int kSectionGap = 12;
constexpr int kRestMs = 120;

} // namespace

DetailsPane::DetailsPane(ViewState* state, ThemeHost* themes, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_themes(themes)
    , m_focusLine(new FocusLine(themes, this, this))
    , m_empty(new EmptyPane(themes, this))
    , m_scroll(new QScrollArea(this))
    , m_body(new QWidget)
    , m_name(new NameTitle(themes, m_body))
    , m_place(new ElidedLabel(themes, m_body))
    , m_copy(new PaneButton(themes, PaneButton::Look::Plain, u"copy"_s, tr("Copy name and times"), m_body))
    , m_histogram(new DurationHistogram(themes, m_body))
    , m_pace([this] { refresh(); })
    , m_factsJob(this, &m_pace)
    , m_argsJob(this, &m_pace)
    , m_nameJob(this, &m_pace)
    , m_binJob(this)
{
    setAccessibleName(tr("Details"));
    setFocusPolicy(Qt::ClickFocus);
    m_place->setColor(&Theme::text2);
    m_scroll->setWidget(m_body);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_body->setFont(font());
    m_inputs.column = 1;
    m_stack.column = 1;
    m_argsList.column = 2;
    for (Section* section : {&m_time, &m_links, &m_sameName, &m_inputs, &m_stack, &m_argsList}) {
        section->title = new SectionTitle(themes, m_body);
        if (section != &m_links)
            section->text = new TextGrid(themes, m_body);
    }
    m_time.text->setAccessibleName(tr("Time"));
    m_sameName.text->setAccessibleName(tr("All slices of this name"));
    m_inputs.text->setAccessibleName(tr("Inputs"));
    m_stack.text->setAccessibleName(tr("Stack"));
    m_argsList.text->setAccessibleName(tr("Arguments"));
    m_argsList.text->setMonospace(true);
    m_sameName.foot = m_histogram;
    const auto addCopy = [&](Section& section, const QString& name) {
        section.copy = new PaneButton(themes, PaneButton::Look::Plain, u"copy"_s, name, m_body);
        section.copy->raise();
    };
    addCopy(m_stack, tr("Copy the stack"));
    addCopy(m_argsList, tr("Copy all arguments"));
    QWidget* previous = m_copy;
    for (QWidget* next : {static_cast<QWidget*>(m_time.text), static_cast<QWidget*>(m_sameName.text),
             static_cast<QWidget*>(m_histogram), static_cast<QWidget*>(m_inputs.text),
             static_cast<QWidget*>(m_stack.copy), static_cast<QWidget*>(m_stack.text),
             static_cast<QWidget*>(m_argsList.copy), static_cast<QWidget*>(m_argsList.text)}) {
        setTabOrder(previous, next);
        previous = next;
    }

    connect(m_copy, &QAbstractButton::clicked, this, &DetailsPane::copy);
    connect(m_histogram, &DurationHistogram::binChosen, this, &DetailsPane::markBin);
    connect(m_histogram, &DurationHistogram::released, this, &DetailsPane::dropBin);
    connect(m_stack.copy, &QAbstractButton::clicked, this,
        [this] { QGuiApplication::clipboard()->setText(m_stackLines.join(u'\n') + u'\n'); });
    connect(m_argsList.copy, &QAbstractButton::clicked, this, [this] {
        QString text;
        for (const auto& [key, value] : m_args ? m_args->all : ArgList())
            text += QString::fromStdString(key) + u'\t' + QString::fromStdString(value) + u'\n';
        QGuiApplication::clipboard()->setText(text);
    });
    connect(state, &ViewState::traceChanged, this, &DetailsPane::takeTrace);
    connect(state, &ViewState::selectionChanged, this, &DetailsPane::showSelection);
    connect(state, &ViewState::marksChanged, this, &DetailsPane::showMarks);
    m_rangeRest.setSingleShot(true);
    m_rangeRest.setInterval(kRestMs);
    connect(&m_rangeRest, &QTimer::timeout, this, &DetailsPane::showRange);
    connect(state, &ViewState::rangeChanged, &m_rangeRest, qOverload<>(&QTimer::start));
    connect(themes, &ThemeHost::themeChanged, this, &DetailsPane::applyTheme);
    applyTheme();
    showNothing();
}

DetailsPane::~DetailsPane() = default;

void DetailsPane::setKeys(const KeyMap* keys)
{
    m_keys->disconnect(this);
    m_keys = keys;
    connect(m_keys, &KeyMap::changed, this, [this] {
        if (m_facts)
            showFacts();
    });
}

/// Of a longer picture of the trace that is shown: it comes when its turn is.
bool DetailsPane::waits()
{
    if (!m_state->isTakingLonger() || !m_state->isGrowing())
        return false;
    if (m_facts || m_marked)
        m_pace.wait();
    return true;
}

void DetailsPane::takeTrace()
{
    if (!waits())
        showNothing();
}

void DetailsPane::refresh()
{
    const int at = m_scroll->verticalScrollBar()->value();
    if (m_state->selection().isValid())
        showSelection();
    else
        showMarks();
    m_scroll->verticalScrollBar()->setValue(at);
}

void DetailsPane::showNothing()
{
    m_pace.reset();
    m_factsJob.cancel();
    m_argsJob.cancel();
    m_facts.reset();
    m_args.reset();
    m_marked.reset();
    m_nameJob.cancel();
    m_ofName.reset();
    m_ofNameTrace.reset();
    m_binJob.cancel();
    m_binMarks.reset();
    m_empty->setText({tr("Nothing is selected"),
        tr("Click a slice on the timeline or a row of a table to see all that the trace says of it."), {}, u"info"_s});
    m_empty->show();
    m_scroll->hide();
}

void DetailsPane::showSelection()
{
    if (waits())
        return;
    const SliceRef slice = m_state->selection();
    if (!slice.isValid()) {
        showMarks();
        return;
    }
    m_factsTrace = m_state->trace();
    m_marked.reset();
    m_args.reset();
    m_argsJob.cancel();
    m_facts = sliceHead(*m_state->trace(), slice);
    m_hasSwatch = false;
    m_scroll->verticalScrollBar()->setValue(0);
    showFacts();
    m_factsJob.start(
        [facts = m_state->facts(), slice](std::stop_token stop) { return sliceFacts(*facts, slice, stop); },
        [this](SliceFacts facts) {
            m_swatchClass = facts.cls;
            m_hasSwatch = true;
            m_facts = std::move(facts);
            showFacts();
            readArgs(m_facts->slice);
        });
    readName(slice);
}

void DetailsPane::readName(SliceRef slice)
{
    const TracePtr& trace = m_state->trace();
    const NameId name = trace->name(slice);
    if (m_ofName && m_ofName->name == name && m_ofNameTrace == trace) {
        showName();
        place();
        return;
    }
    dropBin();
    m_ofName.reset();
    m_nameJob.start([trace, name](const std::stop_token& stop) { return nameFigures(*trace, name, stop); },
        [this, trace](NameFigures figures) {
            m_ofName = std::move(figures);
            m_ofNameTrace = trace;
            showName();
            place();
        });
}

/// Statistics of one slice would say its duration again.
void DetailsPane::showName()
{
    const bool isShown = m_facts && m_ofName && m_ofName->count > 1;
    setText(m_sameName,
        isShown ? tr("All %1 of this name").arg(formatCount(static_cast<int64_t>(m_ofName->count))) : QString(),
        isShown);
    if (!isShown)
        return;
    std::vector<DetailPair> pairs;
    for (const auto& [label, ns] : {std::pair(tr("Sum"), m_ofName->sumNs),
             std::pair(tr("Mean"), divideHalfEven(m_ofName->sumNs, static_cast<int64_t>(m_ofName->count))),
             std::pair(tr("Min"), m_ofName->minNs), std::pair(tr("Median"), m_ofName->medianNs),
             std::pair(tr("Max"), m_ofName->maxNs)})
        pairs.push_back({label, formatExact(ns)});
    m_sameName.text->setPairs(std::move(pairs), Metrics(font()).px(kLabelWidth));
    const Theme& theme = m_themes->theme();
    m_histogram->setFigures(
        *m_ofName, m_factsTrace->durationNs(m_facts->slice), m_hasSwatch ? theme.of(m_swatchClass).fill : theme.text3);
}

void DetailsPane::markBin(size_t bin)
{
    m_binJob.start([trace = m_ofNameTrace, name = m_ofName->name, bin = m_ofName->bins[bin]](
                       const std::stop_token& stop) { return slicesOf(*trace, name, bin, stop); },
        [this, trace = m_ofNameTrace](MaskPtr marks) {
            m_binMarks = std::move(marks);
            if (trace == m_state->trace())
                m_state->setMarks(m_binMarks);
            else
                m_state->setMarks(*m_binMarks, trace);
            m_binMarks = m_state->marks();
        });
    m_state->listSlices(conditionOf(bin));
}

/// Empty for a name that cannot be typed as it is.
QString DetailsPane::conditionOf(size_t bin) const
{
    constexpr size_t kLongestName = 2000;
    const std::string_view name = m_ofNameTrace->text(m_ofName->name);
    if (name.size() > kLongestName || displayText(name).toStdString() != name)
        return {};
    const DurationBin& of = m_ofName->bins[bin];
    return QString::fromStdString(durationCondition(name, of.beginNs, of.endNs));
}

void DetailsPane::dropBin()
{
    m_binJob.cancel();
    m_histogram->setChosen(std::nullopt);
    m_state->listSlices({});
    const MaskPtr marks = std::exchange(m_binMarks, nullptr);
    if (marks && m_state->marks() == marks)
        m_state->setMarks(nullptr);
}

void DetailsPane::readArgs(SliceRef slice)
{
    m_argsJob.start([trace = m_factsTrace, slice](std::stop_token) { return sliceArgs(*trace, slice); },
        [this](Result<SliceArgs> args) {
            if (args) {
                m_args = std::move(*args);
            } else {
                m_args = SliceArgs();
                m_args->all = {{tr("not readable").toStdString(), args.error().message()}};
            }
            showArgs();
            place();
        });
}

void DetailsPane::showMarks()
{
    const MaskPtr& marks = m_state->marks();
    if (m_state->isTakingLonger() && m_binMarks)
        m_binMarks = marks;
    if (waits())
        return;
    if (marks && marks == m_binMarks)
        return;
    if (m_binMarks) {
        m_binMarks = nullptr;
        m_histogram->setChosen(std::nullopt);
        m_state->listSlices({});
    }
    if (!marks) {
        if (!m_state->selection().isValid())
            showRange();
        else if (m_marked)
            showSelection();
        return;
    }
    m_argsJob.cancel();
    m_factsJob.start(
        [facts = m_state->facts(), marks](std::stop_token stop) { return markFacts(*facts, *marks, stop); },
        [this](MarkFacts marked) {
            if (marked.count == 0)
                return;
            m_facts.reset();
            m_args.reset();
            m_marked = std::move(marked);
            m_markedRange.reset();
            m_swatchClass = m_marked->cls;
            m_hasSwatch = !m_marked->name.isEmpty();
            m_scroll->verticalScrollBar()->setValue(0);
            showMarked();
        });
}

void DetailsPane::showRange()
{
    m_rangeRest.stop();
    if (m_state->selection().isValid() || m_state->marks())
        return;
    const std::optional<TimeRange> range = m_state->range();
    if (!range || !m_state->trace()) {
        showNothing();
        return;
    }
    m_argsJob.cancel();
    m_factsJob.start([facts = m_state->facts(), range = *range](
                         std::stop_token stop) { return rangeFacts(*facts, range, std::move(stop)); },
        [this, range = *range](MarkFacts marked) {
            m_facts.reset();
            m_args.reset();
            m_marked = std::move(marked);
            m_markedRange = range;
            m_hasSwatch = false;
            m_scroll->verticalScrollBar()->setValue(0);
            showMarked();
        });
}

void DetailsPane::showHead(const QString& name, const QColor& swatch, const QString& place)
{
    m_name->setText(name, swatch);
    m_place->setText(place);
    m_empty->hide();
    m_scroll->show();
}

void DetailsPane::setText(Section& section, const QString& title, bool isShown)
{
    section.title->setText(title);
    section.isShown = isShown;
}

void DetailsPane::setLinks(std::vector<DetailLink> links)
{
    for (LinkRow* row : m_links.rows)
        row->deleteLater();
    m_links.rows.clear();
    setText(m_links, tr("Links"), !links.empty());
    for (DetailLink& link : links) {
        const QString key = link.command ? m_keys->text(*link.command) : QString();
        auto* row = new LinkRow(m_themes, std::move(link), key, Metrics(font()).px(kLabelWidth), m_body);
        connect(row, &LinkRow::activated, this, &DetailsPane::follow);
        m_links.rows.push_back(row);
        row->show();
    }
    QWidget* previous = m_time.text;
    for (LinkRow* row : m_links.rows) {
        setTabOrder(previous, row->focusTarget());
        previous = row->focusTarget();
    }
    setTabOrder(previous, m_sameName.text);
}

void DetailsPane::follow(const DetailLink& link)
{
    const SliceRef target = sameSlice(*m_factsTrace, link.target, *m_state->trace());
    if (link.command == ViewCommand::AnnotationAsScope)
        m_state->scopeToAnnotationAround(target);
    else
        m_state->reveal(target);
}

void DetailsPane::showFacts()
{
    const Theme& theme = m_themes->theme();
    showHead(m_facts->name.isEmpty() ? tr("(no name)") : m_facts->name,
        m_hasSwatch ? theme.of(m_swatchClass).fill : theme.idle, m_facts->place);
    setText(m_time, tr("Time"), true);
    m_time.text->setPairs(m_facts->time, Metrics(font()).px(kLabelWidth));
    setLinks(m_facts->links);
    showName();
    showArgs();
    place();
}

void DetailsPane::showArgs()
{
    const int labelWidth = Metrics(font()).px(kLabelWidth);
    setText(m_inputs, m_args ? m_args->factsTitle : QString(), m_args && !m_args->facts.empty());
    if (m_inputs.isShown) {
        const bool isNumbered = m_args->facts.front().label == u"0"_s;
        int widest = labelWidth;
        const QFontMetrics metrics(m_inputs.text->document()->defaultFont());
        for (const DetailPair& pair : m_args->facts)
            widest = std::max(widest, metrics.horizontalAdvance(pair.label) + 10);
        m_inputs.text->setPairs(m_args->facts, isNumbered ? Metrics(font()).px(24) : widest);
    }

    QStringList stack = m_args && !m_args->callStack.isEmpty() ? m_args->callStack
        : m_facts                                              ? m_facts->stack
                                                               : QStringList();
    const bool isCallStack = m_args && !m_args->callStack.isEmpty();
    setText(m_stack, isCallStack || !m_facts ? tr("Call stack") : m_facts->stackTitle, !stack.isEmpty());
    m_stackLines = stack;
    m_stack.text->setLines(std::move(stack));

    std::vector<DetailPair> all;
    int widest = 0;
    const QFontMetrics metrics(m_argsList.text->document()->defaultFont());
    for (const auto& [key, value] : m_args ? m_args->all : ArgList()) {
        all.push_back({displayText(key), displayText(value)});
        widest = std::max(widest, metrics.horizontalAdvance(all.back().label.left(40)));
    }
    setText(m_argsList, tr("Args"), !all.empty());
    m_argsList.text->setPairs(std::move(all), std::min(widest + 16, std::max(60, width() * 2 / 5)));
}

void DetailsPane::showMarked()
{
    const MarkFacts& marked = *m_marked;
    const auto count = static_cast<int64_t>(marked.count);
    const Theme& theme = m_themes->theme();
    const QString slices = formatCounted(count, tr("slice"), tr("slices"));
    std::vector<DetailPair> pairs;
    if (m_markedRange) {
        showHead(tr("Range of %1").arg(formatDuration(m_markedRange->spanNs())), QColor(),
            tr("%1 start in it and count whole").arg(slices));
        pairs = {{tr("Begin"), formatExact(m_markedRange->beginNs)}, {tr("End"), formatExact(m_markedRange->endNs)},
            {tr("Length"), formatExact(m_markedRange->spanNs())}};
    } else {
        showHead(marked.name.isEmpty() ? tr("Several names") : marked.name,
            m_hasSwatch ? theme.of(m_swatchClass).fill : QColor(), slices);
    }
    pairs.push_back({tr("Count"), formatCount(count)});
    if (count > 0) {
        for (const auto& [label, ns] : {std::pair(tr("Sum"), marked.sumNs),
                 std::pair(tr("Mean"), divideHalfEven(marked.sumNs, count)), std::pair(tr("Min"), marked.minNs),
                 std::pair(tr("Median"), marked.medianNs), std::pair(tr("Max"), marked.maxNs)})
            pairs.push_back({label, formatExact(ns)});
    }
    setText(m_time, m_markedRange ? tr("Slices in the range") : tr("Time"), true);
    m_time.text->setPairs(std::move(pairs), Metrics(font()).px(kLabelWidth));
    const TraceSnapshot& trace = *m_state->trace();
    const auto linkTo = [&](const QString& label, SliceRef slice) {
        return DetailLink{
            label, slice, displayText(trace.text(trace.name(slice))), formatDuration(trace.durationNs(slice)), {}};
    };
    setLinks(count == 0 ? std::vector<DetailLink>()
                        : std::vector{linkTo(tr("Shortest"), marked.shortest), linkTo(tr("Longest"), marked.longest)});
    showName();
    showArgs();
    place();
}

void DetailsPane::place()
{
    const Metrics metrics(font());
    const int bar = m_scroll->verticalScrollBar()->sizeHint().width();
    const int width = std::max(80, m_scroll->width() - bar);
    const int inner = width - 2 * kEdge;
    const QSize button = m_copy->sizeHint();
    const int nameWidth = std::max(40, inner - button.width());
    m_name->setGeometry(kEdge, 10, nameWidth, m_name->heightFor(nameWidth));
    m_copy->setGeometry(kEdge + inner - button.width() + 3, 4, button.width(), button.height());
    int top = m_name->geometry().bottom() + 3;
    const int indent = metrics.px(12) + 8;
    m_place->setGeometry(kEdge + indent, top, inner - indent, m_place->sizeHint().height());
    top = m_place->geometry().bottom() + 1 + 8;

    const bool isTwo = width >= metrics.px(kTwoColumnsFrom) && (m_inputs.isShown || m_stack.isShown);
    const int leftWidth = isTwo ? (inner - 24) * 56 / 100 : inner;
    const int rightX = isTwo ? kEdge + leftWidth + 24 : kEdge;
    const int rightWidth = isTwo ? inner - leftWidth - 24 : inner;
    int left = top;
    int right = top;
    for (Section* section : {&m_time, &m_links, &m_sameName, &m_inputs, &m_stack}) {
        const bool isRight = isTwo && section->column == 1;
        int& y = isRight ? right : left;
        y = placeSection(*section, isRight ? rightX : kEdge, y, isRight ? rightWidth : leftWidth);
    }
    int bottom = std::max(left, right);
    if (m_argsList.isShown && isTwo && right - left > m_argsList.text->heightFor(leftWidth))
        bottom = std::max(placeSection(m_argsList, kEdge, left, leftWidth), right); // under a long stack: far down
    else
        bottom = placeSection(m_argsList, kEdge, bottom, inner);
    m_body->resize(width, bottom);
}

int DetailsPane::placeSection(Section& section, int x, int y, int width)
{
    section.title->setVisible(section.isShown);
    if (section.text != nullptr)
        section.text->setVisible(section.isShown);
    for (QWidget* part : {section.foot, static_cast<QWidget*>(section.copy)}) {
        if (part != nullptr)
            part->setVisible(section.isShown);
    }
    if (!section.isShown)
        return y;
    const QSize button = section.copy != nullptr ? section.copy->sizeHint() : QSize(0, 0);
    section.title->setGeometry(x, y, width - button.width(), section.title->sizeHint().height());
    if (section.copy != nullptr)
        section.copy->setGeometry(x + width - button.width() + 3,
            section.title->geometry().center().y() - button.height() / 2, button.width(), button.height());
    y += section.title->height() + 2;
    if (section.text != nullptr) {
        const int height = section.text->heightFor(width);
        section.text->setGeometry(x, y, width, height);
        y += height;
    }
    if (section.foot != nullptr) {
        section.foot->setGeometry(x - kRingRoom, y, width + 2 * kRingRoom, section.foot->sizeHint().height());
        y += section.foot->height();
    }
    for (LinkRow* row : section.rows) {
        row->setGeometry(x, y, width, row->sizeHint().height());
        y += row->height();
    }
    return y + kSectionGap;
}

QSize DetailsPane::sizeHint() const
{
    return {Metrics(font()).px(480), Metrics(font()).px(240)};
}

QSize DetailsPane::minimumSizeHint() const
{
    return {Metrics(font()).px(160), Metrics(font()).px(60)};
}

void DetailsPane::copy()
{
    const TracePtr& trace = m_state->trace();
    if (!trace)
        return;
    if (m_facts) {
        QGuiApplication::clipboard()->setText(sliceClipboardText(*trace, m_facts->slice));
    } else if (m_marked && m_marked->count > 0) {
        QString text = m_name->text() + u'\n';
        const auto exact
            = [](int64_t ns) -> QString { return QString::fromStdString(microsecondsText(ns)) + u" us\n"_s; };
        const auto count = static_cast<int64_t>(m_marked->count);
        text += u"count\t"_s + QString::number(count) + u'\n';
        text += u"sum\t"_s + exact(m_marked->sumNs) + u"mean\t"_s + exact(divideHalfEven(m_marked->sumNs, count));
        text += u"min\t"_s + exact(m_marked->minNs) + u"median\t"_s + exact(m_marked->medianNs) + u"max\t"_s
            + exact(m_marked->maxNs);
        QGuiApplication::clipboard()->setText(text);
    }
}

void DetailsPane::keyPressEvent(QKeyEvent* event)
{
    QScrollBar* bar = m_scroll->verticalScrollBar();
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown) {
        bar->triggerAction(
            event->key() == Qt::Key_PageUp ? QAbstractSlider::SliderPageStepSub : QAbstractSlider::SliderPageStepAdd);
        return;
    }
    if (event->matches(QKeySequence::Copy)) {
        copy();
        return;
    }
    QWidget::keyPressEvent(event);
}

void DetailsPane::applyTheme()
{
    QPalette colors = m_themes->theme().palette();
    colors.setColor(QPalette::Window, m_themes->theme().panel);
    m_scroll->setPalette(colors);
    m_body->setPalette(colors);
    if (m_facts)
        showFacts();
    else if (m_marked)
        showMarked();
    update();
}

void DetailsPane::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_themes->theme().panel);
}

void DetailsPane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_focusLine->setGeometry(0, 0, width(), FocusLine::kHeight);
    const QRect rest = rect().adjusted(0, FocusLine::kHeight, 0, 0);
    m_empty->setGeometry(rest);
    m_scroll->setGeometry(rest);
    if (m_facts || m_marked)
        place();
}

void DetailsPane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        m_body->setFont(font());
        if (m_facts)
            showFacts();
        else if (m_marked)
            showMarked();
    }
}

} // namespace torchline
