// What the timeline looks like: pixels, labels, colours, sizes, scales; and that moving equals drawing anew.

#include "timeline_fixture.h"

#include "common/lane_title.h"
#include "common/text_cut.h"
#include "timeline/header_painter.h"
#include "timeline/label_painter.h"
#include "timeline/memory_painter.h"
#include "timeline/ruler_painter.h"

#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QScrollBar>
#include <QSvgGenerator>

#include <random>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

/// Many slices of all lengths on several rows.
std::shared_ptr<const TraceSnapshot> busyTrace()
{
    std::mt19937_64 random(2);
    TraceFixture f;
    for (int l = 0; l < 6; ++l) {
        const uint32_t lane = f.lane("1", std::to_string(10 + l));
        int64_t at = 0;
        for (int i = 0; i < 4000; ++i) {
            at = f.someOperators(lane, random, at);
            at += static_cast<int64_t>(random() % 60);
        }
    }
    return f.snapshot(1);
}

QImage lanesOf(const QImage& picture, const TimelineGeometry& geometry)
{
    return picture.copy(geometry.lanesRect());
}

/// The same view without anything kept from earlier frames.
QImage drawnAnew(TimelineUnderTest& t)
{
    QImage image(t.view.viewport()->size(), QImage::Format_RGB32);
    QPainter painter(&image);
    t.view.drawPicture(painter, image.size());
    painter.end();
    return image.convertToFormat(t.picture().format());
}

/// The button in the corner is there for the mouse, not in pictures.
QImage withoutCorner(QImage image, TimelineUnderTest& t)
{
    QPainter painter(&image);
    painter.fillRect(t.view.geometryOfView().cornerRect(), Qt::black);
    return image;
}

int countOf(const QImage& picture, const QColor& color)
{
    const QImage image = picture.convertToFormat(QImage::Format_RGB32);
    int pixels = 0;
    for (int y = 0; y < image.height(); ++y) {
        const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        pixels += static_cast<int>(std::count(line, line + image.width(), color.rgb()));
    }
    return pixels;
}

} // namespace

class TestTimelinePicture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesHaveTheirClassColours();
    void lastLineOfARowIsDarker();
    void panningEqualsDrawingAnew();
    void scrollingEqualsDrawingAnew();
    void scrollingBelowPinnedLanesEqualsDrawingAnew();
    void hoverChangesOnlyTheOutline();
    void selectionIsADoubleOutline();
    void outsideTheRangeIsVeiled();
    void labelsAreCutAsAgreed_data();
    void labelsAreCutAsAgreed();
    void aCutNameShowsIt();
    void namesOfAllScriptsAreCut_data();
    void namesOfAllScriptsAreCut();
    void shortNames_data();
    void shortNames();
    void labelsKeepTheirContrast();
    void anotherTraceHasItsOwnLabels();
    void scalesAreSharp_data();
    void scalesAreSharp();
    void darkIsDark();
    void vectorsHoldShapesAndTexts();
    void picturesAreTheSameEachTime();
    void ticksAreShort_data();
    void ticksAreShort();
    void sharesAreHonest();
    void laneTitlesDiffer();
    void processesWithoutANameSayWhatTheyAre();
    void sharesAreThoseOfTheTrace();
    void headersStayInView();
    void memoryShowsItsPeak();
    void memoryAxisIsRound();
    void aRowWithOneSliceInTenThousandIsNotFull();
};

void TestTimelinePicture::slicesHaveTheirClassColours()
{
    TimelineUnderTest t;
    const QImage picture = t.picture();
    const Theme& theme = t.themes.theme();
    for (const auto& [name, cls] : {std::pair{"aten::mm", WorkClass::Matrix}, {"gemm_kernel", WorkClass::Matrix},
             {"aten::add", WorkClass::Elementwise}, {"ProfilerStep#1", WorkClass::Step},
             {"nn.Module: Net_0", WorkClass::Python}, {"MmBackward0", WorkClass::Matrix}}) {
        const QRectF rect = t.view.sliceRect(t.named(name));
        QCOMPARE(picture.pixelColor(qRound(rect.right()) - 3, qRound(rect.top()) + 1), theme.of(cls).fill);
    }
    const QRectF mm = t.view.sliceRect(t.named("aten::mm"));
    // Blank to the right of it: lane or grid.
    const QColor beside = picture.pixelColor(qRound(mm.right()) + 2, qRound(mm.top()) + 1);
    QVERIFY(beside == theme.lane || beside == theme.gridMinor || beside == theme.gridMajor);
}

void TestTimelinePicture::lastLineOfARowIsDarker()
{
    TimelineUnderTest t;
    const QRectF rect = t.view.sliceRect(t.named("gemm_kernel"));
    const QImage picture = t.picture();
    const int x = qRound(rect.right()) - 4;
    const QColor fill = t.themes.theme().of(WorkClass::Matrix).fill;
    QCOMPARE(picture.pixelColor(x, qRound(rect.bottom()) - 1), blend(fill, Qt::black, 0.16));
    QCOMPARE(picture.pixelColor(x, qRound(rect.bottom()) - 2), fill);
    QVERIFY(picture.pixelColor(x, qRound(rect.bottom())) != fill);
}

void TestTimelinePicture::panningEqualsDrawingAnew()
{
    TimelineUnderTest t(busyTrace());
    for (const int64_t span : {2'000'000, 300'000, 40'000}) {
        t.state.setVisible({500'000, 500'000 + span});
        t.picture();
        std::mt19937_64 random(9);
        for (int i = 0; i < 6; ++i) {
            const auto by = static_cast<int64_t>(random() % static_cast<uint64_t>(span)) - span / 2;
            const TimeRange next{t.state.visible().beginNs + by, t.state.visible().endNs + by};
            t.state.setVisible(next);
            const QImage panned = t.picture();
            QCOMPARE(withoutCorner(panned, t), withoutCorner(drawnAnew(t), t));
        }
    }
}

void TestTimelinePicture::scrollingEqualsDrawingAnew()
{
    TimelineUnderTest t(busyTrace(), {1000, 200});
    t.picture();
    for (const int to : {30, 95, 12, 60, 0}) {
        t.view.verticalScrollBar()->setValue(to);
        t.state.setVisible({t.state.visible().beginNs + 1000, t.state.visible().endNs + 1000});
        const QImage scrolled = t.picture();
        QCOMPARE(withoutCorner(scrolled, t), withoutCorner(drawnAnew(t), t));
    }
}

void TestTimelinePicture::scrollingBelowPinnedLanesEqualsDrawingAnew()
{
    for (const int height : {260, 120}) {
        TimelineUnderTest t(busyTrace(), {1000, height});
        t.view.togglePin(LaneId(1));
        t.view.togglePin(LaneId(0));
        t.picture();
        for (const int to : {30, 95, 12, 60, 0}) {
            t.view.verticalScrollBar()->setValue(to);
            t.state.setVisible({t.state.visible().beginNs + 1000, t.state.visible().endNs + 1000});
            const QImage scrolled = t.picture();
            QCOMPARE(withoutCorner(scrolled, t), withoutCorner(drawnAnew(t), t));
        }
        t.wheel({500, t.view.geometryOfView().rulerHeight + 10}, {0, -120});
        const QImage turned = t.picture();
        QCOMPARE(withoutCorner(turned, t), withoutCorner(drawnAnew(t), t));
    }
}

void TestTimelinePicture::hoverChangesOnlyTheOutline()
{
    TimelineUnderTest t;
    const QImage before = t.picture();
    const SliceRef slice = t.named("gemm_kernel");
    t.state.setHovered(slice);
    const QImage after = t.picture();
    const QRect area = outlineArea(t.view.sliceRect(slice));
    QVERIFY(before.copy(area) != after.copy(area));
    QImage mended = after;
    QPainter painter(&mended);
    painter.drawImage(area.topLeft(), before, area);
    painter.end();
    QCOMPARE(mended, before.convertToFormat(mended.format()));
}

void TestTimelinePicture::selectionIsADoubleOutline()
{
    TimelineUnderTest t;
    const SliceRef slice = t.named("gemm_kernel");
    t.state.select(slice);
    const QRectF rect = t.view.sliceRect(slice);
    const QImage picture = t.picture();
    const int y = qRound(rect.center().y());
    const int left = qRound(rect.left());
    const Theme& theme = t.themes.theme();
    QCOMPARE(picture.pixelColor(left - 1, y), theme.selectionOuter);
    QCOMPARE(picture.pixelColor(left - 2, y), theme.selectionOuter);
    QCOMPARE(picture.pixelColor(left, y), theme.selectionInner);
    QVERIFY(picture.pixelColor(left - 3, y) != theme.selectionOuter);
    // Its launch is outlined once.
    const QRectF call = t.view.sliceRect(t.named("cudaLaunchKernel"));
    QCOMPARE(picture.pixelColor(qRound(call.left()) - 1, qRound(call.top()) + 2), theme.selectionOuter);
}

void TestTimelinePicture::outsideTheRangeIsVeiled()
{
    TimelineUnderTest t;
    const Theme& theme = t.themes.theme();
    const SliceRef slice = t.named("gemm_kernel");
    const QRectF rect = t.view.sliceRect(slice);
    const QPoint at(qRound(rect.right()) - 4, qRound(rect.top()) + 2);
    t.state.setRange(TimeRange{500'000, 900'000});
    const QColor veiled = t.picture().pixelColor(at);
    const QColor expected = blend(theme.of(WorkClass::Matrix).fill, theme.veil, 0.5);
    QVERIFY(std::abs(veiled.red() - expected.red()) <= 1 && std::abs(veiled.green() - expected.green()) <= 1
        && std::abs(veiled.blue() - expected.blue()) <= 1);
    t.state.setRange(TimeRange{50'000, 900'000});
    QCOMPARE(t.picture().pixelColor(at), theme.of(WorkClass::Matrix).fill);
}

void TestTimelinePicture::labelsAreCutAsAgreed_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<double>("width");
    QTest::addColumn<QString>("expected");
    QTest::newRow("whole") << QByteArray("aten::mm") << 200.0 << u"aten::mm"_s;
    QTest::newRow("without namespace") << QByteArray("aten::mm") << 44.0 << u"mm"_s;
    QTest::newRow("too narrow") << QByteArray("aten::addmm") << 29.0 << QString();
    QTest::newRow("not three letters") << QByteArray("WWWWWWWW") << 31.0 << QString();
    QTest::newRow("module") << QByteArray("nn.Module: Linear_0") << 80.0 << u"Linear_0"_s;
    QTest::newRow("no name") << QByteArray("") << 200.0 << QString();
}

void TestTimelinePicture::labelsAreCutAsAgreed()
{
    QFETCH(QByteArray, name);
    QFETCH(double, width);
    QFETCH(QString, expected);
    TraceFixture f;
    f.op(f.lane("1", "1"), {name.constData(), static_cast<size_t>(name.size())}, 0, 10);
    const auto trace = f.snapshot();
    QFont font;
    font.setPixelSize(13);
    const TimelineStyle style(font, Theme::light(), RowDensity::Normal);
    LabelPainter labels(style);
    QCOMPARE(labels.textFor(*trace, trace->lane(LaneId(0)).name(0), width), expected);
}

void TestTimelinePicture::aCutNameShowsIt()
{
    const std::string name = "aten::_scaled_dot_product_flash_attention_forward";
    TraceFixture f;
    f.op(f.lane("1", "1"), name, 0, 10);
    const auto trace = f.snapshot();
    QFont font;
    font.setPixelSize(13);
    const TimelineStyle style(font, Theme::light(), RowDensity::Normal);
    LabelPainter labels(style);
    const QFontMetricsF metrics(style.laneFont());
    const QString whole = QString::fromStdString(name);
    const QString brief = whole.mid(6);
    for (double width = 30; width < 420; width += 3) {
        const QString text = labels.textFor(*trace, trace->lane(LaneId(0)).name(0), width);
        if (text.isEmpty())
            continue;
        QVERIFY2(metrics.horizontalAdvance(text) <= width - 2 * LabelPainter::kEdge + 1.5, qPrintable(text));
        if (text == whole || text == brief)
            continue;
        const qsizetype cut = text.indexOf(u'…');
        QVERIFY2(cut >= 3, qPrintable(text));
        QVERIFY(brief.startsWith(text.left(cut)));
        QVERIFY(brief.endsWith(text.mid(cut + 1)));
        QCOMPARE(cut + 1 < text.size(), width >= LabelPainter::kLeastElided && text.size() > cut + 1);
    }
}

void TestTimelinePicture::namesOfAllScriptsAreCut_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("ideograms") << QString(u"数据加载与预处理的一个非常长的名字"_s).repeated(4);
    QTest::newRow("emoji") << QString(u"🚀"_s).repeated(60);
    QTest::newRow("families") << QString(u"👩‍👩‍👧‍👦"_s).repeated(30);
    QTest::newRow("accents") << QString(u"e\u0301"_s).repeated(60);
    QTest::newRow("right to left") << QString(u"שלום עולם של קרנלים ארוכים "_s).repeated(3).trimmed();
    QTest::newRow("longer than any view") << QString(u"🚀x"_s).repeated(3000);
}

/// No character is cut in two, and what is left fits.
void TestTimelinePicture::namesOfAllScriptsAreCut()
{
    QFETCH(QString, name);
    TraceFixture f;
    f.op(f.lane("1", "1"), name.toStdString(), 0, 10);
    const auto trace = f.snapshot();
    QFont font;
    font.setPixelSize(13);
    const TimelineStyle style(font, Theme::light(), RowDensity::Normal);
    LabelPainter labels(style);
    const QFontMetricsF metrics(style.laneFont());
    const auto isWhole = [&](qsizetype at) { return cutBefore(name, at) == at; };
    int cut = 0;
    for (double width = 30; width < 300; width += 7) {
        const QString text = labels.textFor(*trace, trace->lane(LaneId(0)).name(0), width);
        if (text.isEmpty())
            continue;
        const qsizetype at = text.indexOf(u'…');
        QVERIFY2(at > 0, qPrintable(text));
        const QString tail = text.mid(at + 1).remove(QChar(0x200F));
        QVERIFY2(name.startsWith(text.left(at)) && isWhole(at), qPrintable(text));
        QVERIFY2(name.endsWith(tail) && isWhole(name.size() - tail.size()), qPrintable(text));
        QVERIFY2(metrics.horizontalAdvance(text) <= width - 2 * LabelPainter::kEdge + 2, qPrintable(text));
        ++cut;
    }
    QVERIFY2(cut > 20, qPrintable(QString::number(cut)));
}

void TestTimelinePicture::shortNames_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    QTest::newRow("operator") << u"aten::addmm"_s << u"addmm"_s;
    QTest::newRow("module") << u"nn.Module: GPT_0"_s << u"GPT_0"_s;
    QTest::newRow("kernel")
        << u"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float*)"_s
        << u"vectorized_elementwise_kernel"_s;
    QTest::newRow("anonymous") << u"void (anonymous namespace)::softmax_warp_forward<float, 8>(float*)"_s
                               << u"softmax_warp_forward"_s;
    QTest::newRow("backward") << u"autograd::engine::evaluate_function: AddmmBackward0"_s << u"AddmmBackward0"_s;
    QTest::newRow("frame") << u"train_gpt.py(131): main"_s << u"train_gpt.py(131): main"_s;
    QTest::newRow("builtin") << u"<built-in method run_backward of X object at 0x7f>"_s
                             << u"<built-in method run_backward of X object at 0x7f>"_s;
    QTest::newRow("loader") << u"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"_s
                            << u"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"_s;
    QTest::newRow("only signs") << u"::"_s << u"::"_s;
    QTest::newRow("plain") << u"Memcpy HtoD (Pinned -> Device)"_s << u"Memcpy HtoD"_s;
}

void TestTimelinePicture::shortNames()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    QCOMPARE(shortName(name), expected);
}

/// look.md 3: label colours on the fills, and again on veiled fills.
void TestTimelinePicture::anotherTraceHasItsOwnLabels()
{
    const auto traceOf = [](std::string_view name) {
        TraceFixture f;
        f.op(f.lane("1", "1"), name, 0, 1000);
        return f.snapshot();
    };
    TimelineUnderTest t(traceOf("aten::one"));
    (void)t.picture();
    t.state.setTrace(traceOf("aten::two"));
    t.settle();
    const QImage after = t.picture();
    TimelineUnderTest fresh(traceOf("aten::two"));
    QCOMPARE(after, fresh.picture());
    QVERIFY(after != TimelineUnderTest(traceOf("aten::one")).picture());
}

void TestTimelinePicture::labelsKeepTheirContrast()
{
    for (const Theme* theme : {&Theme::light(), &Theme::dark()}) {
        for (const ClassColor& color : theme->classes) {
            QVERIFY(contrastRatio(color.fill, color.label) >= 4.7);
            const QColor veiled = blend(color.fill, theme->veil, 0.5);
            QVERIFY(std::max(contrastRatio(veiled, theme->ink), contrastRatio(veiled, theme->paper)) >= 5.1);
        }
        // Each coverage step can be told from the one below it.
        const CellColors cells(*theme);
        for (int c = 0; c < static_cast<int>(WorkClass::Count); ++c) {
            QRgb before = theme->lane.rgb();
            for (int step = 1; step <= lod::kCoverageSteps; ++step) {
                const QRgb now = cells.fill[lod::makeCell(step, static_cast<WorkClass>(c))];
                QVERIFY(now != before);
                before = now;
            }
            QCOMPARE(before, theme->of(static_cast<WorkClass>(c)).fill.rgb());
        }
    }
}

void TestTimelinePicture::scalesAreSharp_data()
{
    QTest::addColumn<double>("ratio");
    for (const double ratio : {1.0, 1.25, 1.5, 2.0})
        QTest::newRow(qPrintable(QString::number(ratio))) << ratio;
}

void TestTimelinePicture::scalesAreSharp()
{
    QFETCH(double, ratio);
    TimelineUnderTest t;
    const QSize size(1000, 400);
    QImage image(size * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::magenta);
    QPainter painter(&image);
    t.view.drawPicture(painter, size);
    painter.end();
    // No pixel is left out, and along a slice's edge there is no half-toned line: fill, then gap within a pixel.
    const QColor fill = t.themes.theme().of(WorkClass::Step).fill;
    QCOMPARE(countOf(image, Qt::magenta), 0);
    int row = -1;
    for (int y = 0; y < image.height(); ++y) {
        if (row < 0 && image.pixelColor(image.width() - qRound(150 * ratio), y) == fill)
            row = y;
    }
    QVERIFY(row > 0);
    int height = 0;
    while (image.pixelColor(image.width() - qRound(150 * ratio), row + height) == fill)
        ++height;
    const int expected = qRound(15 * ratio) - (ratio < 1.5 ? 1 : 2) * 2;
    QVERIFY2(std::abs(height - expected) <= 1, qPrintable(QString::number(height)));
}

void TestTimelinePicture::darkIsDark()
{
    TimelineUnderTest t;
    t.picture();
    t.themes.setMode(ThemeMode::Dark);
    const QImage picture = t.picture();
    const TimelineGeometry geometry = t.view.geometryOfView();
    QCOMPARE(picture.pixelColor(geometry.headerWidth + 2, geometry.size.height() - 3).lightness() < 60, true);
    const QRectF rect = t.view.sliceRect(t.named("gemm_kernel"));
    QCOMPARE(
        picture.pixelColor(qRound(rect.right()) - 4, qRound(rect.top()) + 2), Theme::dark().of(WorkClass::Matrix).fill);
    QCOMPARE(picture.pixelColor(3, geometry.size.height() - 3), Theme::dark().laneHead);
}

void TestTimelinePicture::vectorsHoldShapesAndTexts()
{
    TimelineUnderTest t;
    t.state.select(t.named("aten::mm", 1));
    QBuffer svg;
    QSvgGenerator generator;
    generator.setOutputDevice(&svg);
    generator.setSize({1800, 500});
    QPainter painter(&generator);
    t.view.drawPicture(painter, {1800, 500});
    painter.end();
    const QByteArray text = svg.data();
    QVERIFY(text.contains("gemm"));
    QVERIFY(text.contains("ProfilerStep#1"));
    QVERIFY(text.contains("thread 4711 main"));
    QVERIFY(text.contains("<rect"));
    QVERIFY(!text.contains("<image"));
    QBuffer pdf;
    pdf.open(QIODevice::WriteOnly);
    QPdfWriter writer(&pdf);
    QPainter page(&writer);
    t.view.drawPicture(page, {1000, 500});
    page.end();
    QVERIFY(pdf.data().startsWith("%PDF"));
    QVERIFY(!pdf.data().contains("/Subtype /Image"));
}

void TestTimelinePicture::picturesAreTheSameEachTime()
{
    TimelineUnderTest t(busyTrace());
    const auto draw = [&] {
        QImage image(900, 500, QImage::Format_RGB32);
        QPainter painter(&image);
        t.view.drawPicture(painter, image.size());
        return image;
    };
    const QImage first = draw();
    t.state.setHovered({LaneId(0), 3});
    t.state.setCursor(12'345);
    QCOMPARE(draw(), first);
}

void TestTimelinePicture::ticksAreShort_data()
{
    QTest::addColumn<qint64>("distance");
    QTest::addColumn<qint64>("step");
    QTest::addColumn<QString>("expected");
    QTest::newRow("zero") << qint64{0} << qint64{200'000} << u"0"_s;
    QTest::newRow("us") << qint64{400'000} << qint64{200'000} << u"400\u00a0µs"_s;
    QTest::newRow("ms with a decimal") << qint64{1'200'000} << qint64{200'000} << u"1.2\u00a0ms"_s;
    QTest::newRow("whole of a finer step") << qint64{1'000'000} << qint64{200'000} << u"1.0\u00a0ms"_s;
    QTest::newRow("s") << qint64{2'000'000'000} << qint64{1'000'000'000} << u"2\u00a0s"_s;
    QTest::newRow("ns") << qint64{14} << qint64{2} << u"14\u00a0ns"_s;
    QTest::newRow("three decimals") << qint64{1'002} << qint64{2} << u"1.002\u00a0µs"_s;
    QTest::newRow("before") << qint64{-400'000} << qint64{200'000} << u"−400\u00a0µs"_s;
}

void TestTimelinePicture::ticksAreShort()
{
    QFETCH(qint64, distance);
    QFETCH(qint64, step);
    QFETCH(QString, expected);
    QCOMPARE(tickText(distance, step), expected);
    QCOMPARE(baseText(625'000'000), u"+625\u00a0ms"_s);
    QCOMPARE(baseText(0), u"0"_s);
}

void TestTimelinePicture::sharesAreHonest()
{
    QCOMPARE(shareText(0, 1000), u"0\u00a0%"_s);
    QCOMPARE(shareText(1, 1'000'000), u"<0.1\u00a0%"_s);
    QCOMPARE(shareText(31, 1000), u"3.1\u00a0%"_s);
    QCOMPARE(shareText(456, 1000), u"46\u00a0%"_s);
    QCOMPARE(shareText(532, 1000, true), u"53.2\u00a0%"_s);
    QCOMPARE(shareText(1000, 1000, true), u"100\u00a0%"_s);
    QCOMPARE(shareText(5, 0), u"0\u00a0%"_s);
}

void TestTimelinePicture::processesWithoutANameSayWhatTheyAre()
{
    TraceFixture f;
    f.op(f.lane("6583", "6583"), "op", 0, 100);
    f.kernel(f.lane("2", "7"), "k", 10, 50, 1, 0, "2");
    f.op(f.lane("-1", "0"), "overhead", 0, 10);
    f.op(f.lane("worker", "1"), "op", 0, 10);
    const auto trace = f.snapshot(1);
    QStringList titles;
    for (const GroupTitle& group : groupTitles(*trace))
        titles.append(group.title);
    titles.removeLast(); // of memory
    titles.sort();
    QCOMPARE(titles, (QStringList{u"GPU 2"_s, u"process -1"_s, u"process 6583"_s, u"worker"_s}));
}

/// What is left and right of the trace when all of it is in view is no idle time.
void TestTimelinePicture::sharesAreThoseOfTheTrace()
{
    TraceFixture f;
    f.op(f.lane("1", "1"), "always", 0, 1'000'000);
    TimelineUnderTest t(f.snapshot(1));
    QVERIFY(t.state.visible().spanNs() > 1'000'000);
    const lod::LaneItem& item = *t.view.layoutOfLanes().itemOf(LaneId(0));
    QCOMPARE(headerShare(t.view.frame(), item), u"100\u00a0%"_s);
}

void TestTimelinePicture::laneTitlesDiffer()
{
    TraceFixture f;
    for (const auto& [tid, name] :
        {std::pair{"11", "pt_main_thread"}, {"12", "pt_main_thread"}, {"13", "thread 13 (python)"}, {"14", ""}}) {
        f.op(f.lane("1", tid), "aten::mm", 0, 10);
        if (*name != '\0')
            f.builder.setThreadName(f.name("1"), f.name(tid), f.name(name));
    }
    const auto trace = f.snapshot();
    QStringList titles;
    QStringList brief;
    for (uint32_t l = 0; l < 4; ++l) {
        titles.append(laneTitle(*trace, LaneId(l)));
        brief.append(laneTitle(*trace, LaneId(l), LaneTitle::Short));
    }
    QCOMPARE(titles,
        (QStringList{
            u"thread 11 pt_main_thread"_s, u"thread 12 pt_main_thread"_s, u"thread 13 python"_s, u"thread 14"_s}));
    QCOMPARE(brief, (QStringList{u"pt_main_thread, 11"_s, u"pt_main_thread, 12"_s, u"python, 13"_s, u"thread 14"_s}));
}

void TestTimelinePicture::headersStayInView()
{
    TimelineUnderTest t(timelineTrace(), {1200, 150});
    const LaneId lane = t.named("aten::mm").lane;
    const lod::LaneItem* item = t.view.layoutOfLanes().itemOf(lane);
    t.view.verticalScrollBar()->setValue(item->y + 20);
    const TimelineGeometry geometry = t.view.geometryOfView();
    QVERIFY(t.view.laneHeaderRect(lane).top() < geometry.rulerHeight);
    // The name is drawn below the ruler all the same.
    const QImage picture = t.picture();
    bool hasText = false;
    for (int y = geometry.rulerHeight; y < geometry.rulerHeight + 20; ++y) {
        for (int x = 40; x < 120; ++x)
            hasText = hasText || picture.pixelColor(x, y).lightness() < 100;
    }
    QVERIFY(hasText);
}

void TestTimelinePicture::memoryShowsItsPeak()
{
    TimelineUnderTest t;
    QCOMPARE(t.view.index()->memory().size(), size_t{1});
    const auto items = t.view.layoutOfLanes().items();
    const auto memory = std::ranges::find(items, lod::LaneItemKind::Memory, &lod::LaneItem::kind);
    QVERIFY(memory != items.end());
    const TimelineGeometry geometry = t.view.geometryOfView();
    const QRect lane(
        geometry.headerWidth, qRound(geometry.y(memory->y)), geometry.lanesRect().width(), memory->height - 1);
    const auto count = [&](const QColor& color) { return countOf(t.picture().copy(lane), color); };
    const Theme& theme = t.themes.theme();
    QVERIFY(count(theme.memoryAllocated) > 500);
    QVERIFY(count(theme.memoryReserved) > 300);
    QVERIFY(count(theme.peak) > 5);
    // Even where thousands of markers share a pixel, the highest is there.
    t.state.setVisible({0, 100'000'000'000});
    QVERIFY(count(theme.memoryAllocated) > 500);
}

void TestTimelinePicture::memoryAxisIsRound()
{
    lod::MemoryTrack track;
    track.peakBytes = int64_t{2} << 30;
    track.reservedPeakBytes = (int64_t{14} << 30) + (256 << 20);
    const MemoryAxis axis = MemoryAxis::forTrack(track);
    QCOMPARE(axis.topBytes, int64_t{16} << 30);
    QCOMPARE(axis.topText(), u"16"_s);
    QCOMPARE(axis.unit(), u"GiB"_s);
    QCOMPARE(axis.bottomBytes, int64_t{0});
    const QRectF rect(0, 10, 100, 60);
    QCOMPARE(axis.y(0, rect), 70.0);
    QCOMPARE(axis.y(axis.topBytes, rect), 10.0);
    track.lowestBytes = -5000;
    QVERIFY(MemoryAxis::forTrack(track).bottomBytes <= -5000);
}

void TestTimelinePicture::aRowWithOneSliceInTenThousandIsNotFull()
{
    TraceFixture f;
    const uint32_t lane = f.lane("1", "1");
    for (int i = 0; i < 20'000; ++i)
        f.op(lane, "aten::mm", i * 10'000, 300);
    TimelineUnderTest t(f.snapshot(1));
    const QImage lanes = lanesOf(t.picture(), t.view.geometryOfView());
    const CellColors cells(t.themes.theme());
    QCOMPARE(countOf(lanes, t.themes.theme().of(WorkClass::Matrix).fill), 0);
    QVERIFY(countOf(lanes, QColor::fromRgb(cells.fill[lod::makeCell(1, WorkClass::Matrix)])) > 0);
}

QTEST_MAIN(TestTimelinePicture)
#include "tst_timeline_picture.moc"
