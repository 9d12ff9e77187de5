// Where things lie on the timeline, as text, and what lanes look like, as pictures: both are kept with the tests, and
// changing them is a decision. TORCHLINE_UPDATE_GOLDEN=1 writes them anew. No text is in them: fonts differ.

#include "timeline/lane_raster.h"
#include "timeline_fixture.h"

#include <QFile>
#include <QTextStream>

#include <random>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

const QString kFolder = QStringLiteral(TORCHLINE_GOLDEN_DIR "/");

/// Slices of all lengths on several rows, some lanes nearly idle.
std::shared_ptr<const TraceSnapshot> busyTrace()
{
    std::mt19937_64 random(7);
    TraceFixture f;
    for (uint32_t l = 0; l < 5; ++l) {
        const uint32_t lane = f.lane("1", std::to_string(10 + l));
        int64_t at = 0;
        while (at < 1'000'000) {
            at = f.someOperators(lane, random, at);
            at += static_cast<int64_t>(random() % (uint64_t{60} << (2 * l)));
        }
    }
    return f.snapshot(1);
}

bool isUpdate()
{
    return qEnvironmentVariableIsSet("TORCHLINE_UPDATE_GOLDEN");
}

QString kindText(lod::LaneItemKind kind)
{
    switch (kind) {
    case lod::LaneItemKind::Group:
        return u"process"_s;
    case lod::LaneItemKind::Busy:
        return u"busy"_s;
    case lod::LaneItemKind::Lane:
        return u"lane"_s;
    case lod::LaneItemKind::Memory:
        break;
    }
    return u"memory"_s;
}

QString pointText(QPointF point)
{
    return QString::number(point.x(), 'f', 1) + u',' + QString::number(point.y(), 'f', 1);
}

/// Everything that has a place, top to bottom.
QString geometryText(TimelineUnderTest& t)
{
    QString text;
    QTextStream out(&text);
    const TimelineFrame& frame = t.view.frame();
    out << "headers " << frame.geometry.headerWidth << ", ruler " << frame.geometry.rulerHeight << '\n';
    for (const int64_t major : frame.ruler.majors)
        out << "tick " << major << " at " << frame.geometry.pixelX(major) << '\n';
    for (const lod::LaneItem& item : t.view.layoutOfLanes().items()) {
        out << kindText(item.kind) << (item.isPinned ? " pinned" : "") << (item.isCollapsed ? " folded" : "") << " y "
            << frame.geometry.y(item.y) << " height " << item.height << " rows " << item.rows << '\n';
        if (item.kind != lod::LaneItemKind::Lane)
            continue;
        for (uint32_t i = 0; i < t.trace().lane(item.lane).size(); ++i) {
            const SliceRef slice{item.lane, i};
            const QRectF rect = t.view.sliceRect(slice);
            out << "  " << QString::fromStdString(nameOf(t.trace(), slice)) << ' ' << pointText(rect.topLeft())
                << " size " << pointText(QPointF(rect.width(), rect.height())) << '\n';
        }
    }
    for (const ArrowPlan::Line& line : t.view.arrowPlan().lines)
        out << "arrow " << pointText(line.from) << " to " << pointText(line.to) << '\n';
    return text;
}

} // namespace

class TestGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void geometryStays_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"all", "zoomed", "arranged"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void geometryStays()
    {
        QFETCH(QString, name);
        TimelineUnderTest t;
        t.state.select(t.named("cudaLaunchKernel"));
        if (name == u"zoomed"_s)
            t.state.setVisible({55'000, 255'000});
        if (name == u"arranged"_s) {
            t.view.togglePin(t.named("gemm_kernel").lane);
            t.view.toggleLane(t.named("MmBackward0").lane);
            t.view.moveGroup(1, true);
            t.view.setDensity(RowDensity::Compact);
        }
        const QString found = geometryText(t);
        QFile file(kFolder + u"timeline-"_s + name + u".txt"_s);
        if (isUpdate()) {
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Text));
            file.write(found.toUtf8());
            return;
        }
        QVERIFY(file.open(QIODevice::ReadOnly | QIODevice::Text));
        const QStringList expected = QString::fromUtf8(file.readAll()).split(u'\n');
        const QStringList lines = found.split(u'\n');
        for (qsizetype i = 0; i < std::min(lines.size(), expected.size()); ++i)
            QCOMPARE(lines[i], expected[i]);
        QCOMPARE(lines.size(), expected.size());
    }

    void lanesLookAsAgreed_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isDark");
        QTest::newRow("few slices, light") << u"few-light"_s << false;
        QTest::newRow("few slices, dark") << u"few-dark"_s << true;
        QTest::newRow("many slices, light") << u"many-light"_s << false;
        QTest::newRow("many slices, dark") << u"many-dark"_s << true;
    }

    void lanesLookAsAgreed()
    {
        QFETCH(QString, name);
        QFETCH(bool, isDark);
        TimelineUnderTest t(name.startsWith(u"few"_s) ? timelineTrace() : busyTrace(), {700, 330});
        t.themes.setMode(isDark ? ThemeMode::Dark : ThemeMode::Light);
        LaneRaster raster;
        raster.update(t.view.frame());
        const QImage found = raster.image().convertToFormat(QImage::Format_RGB32);
        const QString path = kFolder + u"lanes-"_s + name + u".png"_s;
        if (isUpdate()) {
            QVERIFY(found.save(path));
            return;
        }
        const QImage expected = QImage(path).convertToFormat(QImage::Format_RGB32);
        QCOMPARE(found.size(), expected.size());
        if (found != expected)
            QVERIFY2(found.save(u"lanes-"_s + name + u".found.png"_s), "and it could not be saved");
        QVERIFY2(found == expected, qPrintable(path + u" is not what was drawn (see the .found.png)"_s));
    }
};

QTEST_MAIN(TestGolden)
#include "tst_golden.moc"
