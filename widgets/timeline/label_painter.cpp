#include "timeline/label_painter.h"

#include "common/format.h"
#include "common/text_cut.h"

#include <QPainter>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLeastDuration = 16; ///< narrower than any duration
constexpr qsizetype kLongestName = 400; ///< characters; no view is wide enough for more

/// Where the template arguments or parameters of a function's name begin; a leading "(anonymous namespace)" is passed.
qsizetype headEnd(const QString& name)
{
    const QString anonymous = u"(anonymous namespace)"_s;
    qsizetype from = 0;
    for (;;) {
        qsizetype end = name.size();
        for (const QChar c : {u'<', u'('}) {
            const qsizetype at = name.indexOf(c, from);
            end = at > 0 && at < end ? at : end;
        }
        if (end == name.size() || QStringView(name).mid(end, anonymous.size()) != anonymous)
            return end;
        from = end + anonymous.size();
    }
}

QColor labelColor(const Theme& theme, WorkClass cls, bool isVeiled)
{
    const ClassColor& color = theme.of(cls);
    if (!isVeiled)
        return color.label;
    const QColor fill = blend(color.fill, theme.veil, 0.5);
    return contrastRatio(theme.ink, fill) >= contrastRatio(theme.paper, fill) ? theme.ink : theme.paper;
}

} // namespace

QString shortName(const QString& name)
{
    QString text = name;
    for (const QString& prefix : {u"nn.Module: "_s, u"autograd::engine::evaluate_function: "_s, u"void "_s}) {
        if (text.startsWith(prefix))
            text = text.mid(prefix.size());
    }
    if (text.startsWith(u'<'))
        return text;
    // A function loses template arguments and parameters; "file.py(12): function" and the like are no functions.
    const qsizetype end = headEnd(text);
    if (end < text.size() && (text[end] == u'<' || text.endsWith(u')')))
        text = text.left(end);
    const qsizetype colons = text.lastIndexOf(u"::"_s);
    if (colons >= 0 && colons + 2 < text.size())
        text = text.mid(colons + 2);
    return text.trimmed().isEmpty() ? name : text.trimmed();
}

LabelPainter::LabelPainter(const TimelineStyle& style)
    : m_font(style.laneFont())
    , m_fontMedium(style.laneFontMedium())
{
}

void LabelPainter::forgetNames()
{
    m_names.clear();
    m_namesMedium.clear();
}

const LabelPainter::Name* LabelPainter::nameOf(
    const TraceSnapshot& trace, NameId id, Names& names, const LabelFont& font)
{
    const auto at = names.find(id.value());
    if (at != names.end())
        return &at->second;
    if (m_hasBudget && m_spent.isValid() && m_spent.nsecsElapsed() > kBudgetNs) {
        m_isComplete = false;
        return nullptr;
    }
    if (!m_spent.isValid())
        m_spent.start();
    if (names.size() >= kMostNames)
        names.clear();
    QString text = displayText(trace.text(id));
    const QString brief = bothEndsOf(shortName(text), kLongestName);
    text = bothEndsOf(text, kLongestName);
    Name name;
    name.full = ShapedText(font, text);
    if (brief != text)
        name.brief = ShapedText(font, brief);
    return &names.emplace(id.value(), std::move(name)).first->second;
}

LabelPainter::Choice LabelPainter::choose(const Name& name, const LabelFont& font, double width)
{
    const double free = width - 2 * kEdge;
    if (width < kLeastWidth || name.full.text().isEmpty())
        return {};
    if (name.full.width() <= free)
        return {&name.full, -1, 0, name.full.width()};
    const ShapedText& brief = name.brief.text().isEmpty() ? name.full : name.brief;
    if (brief.width() <= free)
        return {&brief, -1, 0, brief.width()};
    if (!brief.canBeCut())
        return {};
    const double letters = free - font.ellipsisWidth();
    if (width >= kLeastElided) {
        const int tail = brief.tailFitting(letters * 0.45);
        const double tailWidth = brief.width() - brief.headWidth(static_cast<int>(brief.text().size()) - tail);
        const int head = brief.headFitting(letters - tailWidth);
        if (head >= 3 && tail >= 2)
            return {&brief, head, tail, brief.headWidth(head) + font.ellipsisWidth() + tailWidth};
    }
    const int head = brief.headFitting(letters);
    if (head < 3)
        return {};
    return {&brief, head, 0, brief.headWidth(head) + font.ellipsisWidth()};
}

const ShapedText& LabelPainter::timeOf(int64_t durationNs, Times& times, const LabelFont& font)
{
    const auto known = times.find(durationNs);
    if (known != times.end())
        return known->second;
    if (times.size() >= kMostTimes)
        times.clear();
    return times.emplace(durationNs, ShapedText(font, formatDuration(durationNs))).first->second;
}

QString LabelPainter::textFor(const TraceSnapshot& trace, NameId name, double width)
{
    m_hasBudget = false;
    const Choice choice = choose(*nameOf(trace, name, m_names, m_font), m_font, width);
    if (!choice.text)
        return {};
    return choice.head < 0 ? choice.text->text() : choice.text->cutText(choice.head, choice.tail);
}

void LabelPainter::paint(QPainter& painter, const TimelineFrame& frame, const QRectF& dirty, bool hasBudget)
{
    m_hasBudget = hasBudget;
    m_isComplete = true;
    m_spent.invalidate();
    m_drawn = 0;
    if (!frame.index || !frame.layout)
        return;
    const TimelineGeometry& geometry = frame.geometry;
    const QRectF area = dirty.intersected(geometry.lanesRect());
    if (area.isEmpty())
        return;
    const int x0 = std::max(geometry.pixelAt(area.left()), 0);
    const int x1 = std::min(geometry.pixelAt(area.right()) + 1, geometry.deviceWidth());
    frame.forEachPart(area, [&](std::span<const lod::LaneItem> items, const QRectF& clip) {
        const int top = geometry.contentY(clip.top());
        const int bottom = geometry.contentY(std::ceil(clip.bottom()) - 1) + 1;
        painter.save();
        painter.setClipRect(clip, Qt::IntersectClip);
        for (const lod::LaneItem& item : items) {
            if (item.kind == lod::LaneItemKind::Busy)
                paintIdle(painter, frame, item);
            if (item.kind != lod::LaneItemKind::Lane || item.isCollapsed)
                continue;
            for (uint16_t row = 0; row < item.rows; ++row) {
                const lod::LaneLayout::Band band = lod::LaneLayout::rowBand(item, row);
                if (band.bottom >= top && band.top < bottom)
                    paintRow(painter, frame, item, row, x0, x1);
            }
        }
        painter.restore();
    });
}

void LabelPainter::paintRow(
    QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item, uint16_t row, int x0, int x1)
{
    const TimelineGeometry& geometry = frame.geometry;
    const lod::RowView view = frame.index->row(item.lane, item.frames, row);
    const int64_t atLeastNs = std::max<int64_t>(geometry.scale.nsOfPixels(kLeastWidth * geometry.ratio), 1);
    uint32_t k = lod::RowIndex::firstEndingAfter(view.slices, geometry.scale.firstNsOf(x0));
    const uint32_t end = std::max(k, lod::RowIndex::firstStartingAt(view.slices, geometry.scale.firstNsOf(x1)));
    if (!view.index)
        return;
    const QRectF lanes(geometry.lanesRect());
    for (k = view.index->nextOfLength(view.slices, k, end, atLeastNs); k < end && m_drawn < kMostLabels;
         k = view.index->nextOfLength(view.slices, k + 1, end, atLeastNs)) {
        const SliceRef slice{item.lane, view.slices.laneIndex(k)};
        const QRectF rect = frame.sliceRect(slice).intersected(lanes);
        if (rect.width() >= kLeastWidth)
            paintSlice(painter, frame, slice, rect);
    }
}

void LabelPainter::paintSlice(QPainter& painter, const TimelineFrame& frame, SliceRef slice, const QRectF& rect)
{
    if (rect.height() < m_font.height() * 0.8)
        return;
    const Theme& theme = frame.theme();
    const TraceSnapshot& trace = frame.index->trace();
    const WorkClass cls = frame.index->classOf(slice);
    const bool isPaper = theme.of(cls).label == theme.paper;
    const LabelFont& font = isPaper ? m_fontMedium : m_font;
    const Name* name = nameOf(trace, trace.name(slice), isPaper ? m_namesMedium : m_names, font);
    if (!name)
        return;
    const Choice choice = choose(*name, font, rect.width());
    if (!choice.text)
        return;
    // Baseline on a whole device pixel, so that rows of one height look alike.
    const double ratio = frame.geometry.ratio;
    const double baseline
        = std::round((rect.top() + (rect.height() - font.height()) / 2 + font.ascent()) * ratio) / ratio;
    const auto drawAt = [&](double x) {
        const QPointF pos(x, baseline);
        if (choice.head < 0)
            choice.text->draw(painter, pos, font, frame.asVectors);
        else
            choice.text->drawCut(painter, pos, font, choice.head, choice.tail, frame.asVectors);
    };
    const double left = std::round((rect.left() + kEdge) * ratio) / ratio;
    // Shaping a duration is worth it only where one may fit.
    const double room = rect.right() - kEdge - (left + choice.width) - kBeforeDuration;
    const ShapedText* time = nullptr;
    if (choice.head < 0 && room > kLeastDuration)
        time = &timeOf(trace.durationNs(slice), isPaper ? m_timesMedium : m_times, font);
    if (time && time->width() > room)
        time = nullptr;
    const auto drawAll = [&] {
        drawAt(left);
        if (time)
            time->draw(painter, {rect.right() - kEdge - time->width(), baseline}, font, frame.asVectors);
    };
    ++m_drawn;
    if (!frame.range
        || (frame.geometry.x(frame.range->beginNs) <= rect.left()
            && frame.geometry.x(frame.range->endNs) >= rect.right())) {
        painter.setPen(labelColor(theme, cls, false));
        drawAll();
        return;
    }
    // Under the veil the fill is another one: each part of the label in the colour for what it stands on.
    const double begin = std::clamp(frame.geometry.pixelX(frame.range->beginNs), rect.left(), rect.right());
    const double end = std::clamp(frame.geometry.pixelX(frame.range->endNs), begin, rect.right());
    const auto drawPart = [&](double from, double to, bool isVeiled) {
        if (to <= from)
            return;
        painter.save();
        painter.setClipRect(QRectF(from, rect.top(), to - from, rect.height()), Qt::IntersectClip);
        painter.setPen(labelColor(theme, cls, isVeiled));
        drawAll();
        painter.restore();
    };
    drawPart(rect.left(), begin, true);
    drawPart(begin, end, false);
    drawPart(end, rect.right(), true);
}

void LabelPainter::paintIdle(QPainter& painter, const TimelineFrame& frame, const lod::LaneItem& item)
{
    const TimelineGeometry& geometry = frame.geometry;
    const BarLines lines = busyLines(frame, item);
    const double top = (geometry.deviceTop() + lines.top) / geometry.ratio;
    const double height = (lines.bottom - lines.top) / geometry.ratio;
    constexpr double kPadding = 8;
    constexpr size_t kMost = 200;
    const double least = QFontMetricsF(m_font.font()).horizontalAdvance(u"idle 9 ns"_s) + 2 * kPadding;
    const int64_t leastNs = geometry.scale.nsOfPixels(least * geometry.ratio);
    const TimeRange visible = geometry.visible();
    for (const TimeRange& gap : frame.index->devices()[item.index].busy.gaps(visible, leastNs, kMost)) {
        const double left = std::max(geometry.pixelX(gap.beginNs), double(geometry.lanesRect().left()));
        const double right = std::min(geometry.pixelX(gap.endNs), double(geometry.lanesRect().right() + 1));
        const ShapedText text(m_font, u"idle "_s + formatDuration(gap.spanNs()));
        if (right - left < text.width() + 2 * kPadding)
            continue;
        painter.fillRect(QRectF(left, top, right - left, height), frame.theme().idle);
        const double baseline = std::round(top + (height - m_font.height()) / 2 + m_font.ascent());
        painter.setPen(frame.theme().text2);
        text.draw(painter, {std::round(left + (right - left - text.width()) / 2), baseline}, m_font, frame.asVectors);
    }
}

} // namespace torchline
