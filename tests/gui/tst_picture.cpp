// Pictures: forms, sizes, the same bytes each time, and no half files.

#include "picture.h"
#include "picture_limits.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

void drawCross(QPainter& painter, QSize room)
{
    painter.fillRect(QRect(0, 0, room.width() / 2, room.height() / 2), Qt::red);
    painter.drawText(QPoint(room.width() / 2, room.height() / 2), u"text"_s);
}

QByteArray bytesOf(PictureFormat format, int width = 300, int height = 200, double scale = 1)
{
    const auto picture = encodePicture({format, width, height, scale}, Qt::white, drawCross);
    return picture ? *picture : QByteArray();
}

} // namespace

class TestPicture : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pngHasTheSizeAndTheColours()
    {
        const QImage image = QImage::fromData(bytesOf(PictureFormat::Png), "PNG");
        QCOMPARE(image.size(), QSize(300, 200));
        QCOMPARE(image.pixelColor(10, 10), QColor(Qt::red));
        QCOMPARE(image.pixelColor(290, 10), QColor(Qt::white));
    }

    void scaleDrawsTheSameViewFiner()
    {
        const PictureSpec spec{PictureFormat::Png, 600, 400, 2};
        QCOMPARE(spec.logicalSize(), QSize(300, 200));
        const QImage image = QImage::fromData(bytesOf(PictureFormat::Png, 600, 400, 2), "PNG");
        QCOMPARE(image.size(), QSize(600, 400));
        QCOMPARE(image.pixelColor(299, 199), QColor(Qt::red));
        QCOMPARE(image.pixelColor(300, 10), QColor(Qt::white));
    }

    void svgAndPdfHaveTheSize()
    {
        QSvgRenderer svg(bytesOf(PictureFormat::Svg));
        QVERIFY(svg.isValid());
        QCOMPARE(svg.viewBox(), QRect(0, 0, 300, 200));
        const QByteArray pdf = bytesOf(PictureFormat::Pdf);
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(pdf.contains("/MediaBox [0 0 225 150]") || pdf.contains("/MediaBox [0 0 225.000000 150.000000]"));
    }

    void theSameDrawingGivesTheSameBytes()
    {
        for (const PictureFormat format : {PictureFormat::Png, PictureFormat::Svg, PictureFormat::Pdf}) {
            const QByteArray first = bytesOf(format);
            QTest::qWait(1100); // a file that tells the second differs now
            QVERIFY(!first.isEmpty());
            QVERIFY(first == bytesOf(format));
        }
    }

    void absurdSizesAreRefused_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<double>("scale");
        QTest::newRow("nothing") << 0 << 10 << 1.0;
        QTest::newRow("negative") << 10 << -1 << 1.0;
        QTest::newRow("too wide") << kMostPictureSide + 1 << 10 << 1.0;
        QTest::newRow("too many") << kMostPictureSide << kMostPictureSide << 1.0;
        QTest::newRow("no scale") << 10 << 10 << 0.0;
        QTest::newRow("not a number") << 10 << 10 << qQNaN();
        QTest::newRow("huge scale") << 10 << 10 << 1e9;
    }

    void absurdSizesAreRefused()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(double, scale);
        const auto picture = encodePicture({PictureFormat::Png, width, height, scale}, Qt::white, drawCross);
        QVERIFY(!picture);
        QVERIFY(picture.error().code() == ErrorCode::Limit);
        QVERIFY(!picture.error().message().empty());
    }

    void onePixelIsAPicture()
    {
        for (const PictureFormat format : {PictureFormat::Png, PictureFormat::Svg, PictureFormat::Pdf})
            QVERIFY(!bytesOf(format, 1, 1, 8).isEmpty());
    }

    void aFileIsReplacedWholeOrNotAtAll()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"a.png"_s);
        const PictureSpec spec{PictureFormat::Png, 30, 20, 1};
        QVERIFY(writePicture(path.toStdString(), spec, Qt::white, drawCross));
        QCOMPARE(QImage(path).size(), QSize(30, 20));
        const Status refused = writePicture(path.toStdString(), {PictureFormat::Png, 0, 20, 1}, Qt::white, drawCross);
        QVERIFY(!refused);
        QCOMPARE(QImage(path).size(), QSize(30, 20));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void whatCannotBeWrittenIsToldWithTheFile()
    {
        const QTemporaryDir folder;
        const PictureSpec spec{PictureFormat::Png, 30, 20, 1};
        const std::string missing = folder.filePath(u"no/such/folder/a.png"_s).toStdString();
        const Status status = writePicture(missing, spec, Qt::white, drawCross);
        QVERIFY(!status);
        QVERIFY(status.error().message().find(missing) != std::string::npos);
        const Status isFolder = writePicture(folder.path().toStdString(), spec, Qt::white, drawCross);
        QVERIFY(!isFolder);
        const Status full = writePicture("/dev/full", spec, Qt::white, drawCross);
        QVERIFY(!full);
        QVERIFY(full.error().message().find("No space left") != std::string::npos);
        if (::geteuid() == 0)
            return; // nothing is read-only for root
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner));
        QVERIFY(!writePicture(folder.filePath(u"a.png"_s).toStdString(), spec, Qt::white, drawCross));
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }
};

QTEST_MAIN(TestPicture)
#include "tst_picture.moc"
