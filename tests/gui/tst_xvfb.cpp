// The program with a real window: an X server without a screen, a window manager, keys and clicks as X sends them.

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>

#include <array>

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 1600;
constexpr int kHeight = 1000;

/// The screen as Xvfb keeps it in a file of the X window dump format, depth 24.
QImage readScreen(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    const auto word = [&bytes](int i) { return qFromBigEndian<quint32>(bytes.constData() + 4 * i); };
    if (bytes.size() < 100)
        return {};
    const auto width = static_cast<int>(word(4));
    const auto height = static_cast<int>(word(5));
    const auto bytesPerLine = static_cast<qsizetype>(word(12));
    const qsizetype begin = static_cast<qsizetype>(word(0)) + static_cast<qsizetype>(word(19)) * 12;
    if (word(11) != 32 || bytes.size() < begin + bytesPerLine * height)
        return {};
    return QImage(
        reinterpret_cast<const uchar*>(bytes.constData() + begin), width, height, bytesPerLine, QImage::Format_RGB32)
        .copy();
}

int coloursOf(const QImage& image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2)
            colours.insert(image.pixel(x, y) | 0xFF000000u);
    }
    return static_cast<int>(colours.size());
}

int pixelsOf(const QImage& image, QRgb colour)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += (image.pixel(x, y) | 0xFF000000u) == colour ? 1 : 0;
    }
    return count;
}

constexpr QRgb kMatrixFill = 0xFF5980D8; // the class colour that any training run shows most of
constexpr QRgb kDarkPanel = 0xFF15181C;

} // namespace

class TestXvfb : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* tool : {"Xvfb", "openbox", "xdotool"}) {
            if (QStandardPaths::findExecutable(QString::fromLatin1(tool)).isEmpty())
                QSKIP(qPrintable(QString::fromLatin1(tool) + u" is not installed"_s));
        }
        QVERIFY(m_folder.isValid());
        m_server.start(u"Xvfb"_s,
            {u"-displayfd"_s, u"1"_s, u"-screen"_s, u"0"_s, u"%1x%2x24"_s.arg(kWidth).arg(kHeight), u"-fbdir"_s,
                m_folder.path(), u"-nolisten"_s, u"tcp"_s, u"-noreset"_s});
        if (!m_server.waitForReadyRead(20'000))
            QSKIP("Xvfb does not start here");
        const QByteArray number = m_server.readLine().trimmed();
        m_environment = QProcessEnvironment::systemEnvironment();
        m_environment.insert(u"DISPLAY"_s, u":"_s + QString::fromLatin1(number));
        m_environment.insert(u"QT_QPA_PLATFORM"_s, u"xcb"_s);
        m_environment.insert(u"TORCHLINE_CONFIG_DIR"_s, m_folder.filePath(u"config"_s));
        m_environment.insert(u"DBUS_SESSION_BUS_ADDRESS"_s, u"unix:path=/nonexistent"_s);
        m_environment.remove(u"WAYLAND_DISPLAY"_s);
        m_manager.setProcessEnvironment(m_environment);
        m_manager.start(u"openbox"_s, {u"--sm-disable"_s});
        QVERIFY(m_manager.waitForStarted());
        // A window that maps while the manager takes over the screen can be missed by both.
        QVERIFY(QTest::qWaitFor([&] { return tool({u"get_desktop"_s}); }, 20'000));
    }

    void cleanupTestCase()
    {
        for (QProcess* process : {&m_manager, &m_server}) {
            if (process->state() == QProcess::NotRunning)
                continue;
            process->terminate();
            if (!process->waitForFinished(5000))
                process->kill();
        }
    }

    void cleanup()
    {
        if (m_program.state() != QProcess::NotRunning) {
            m_program.kill();
            m_program.waitForFinished(5000);
        }
    }

    void theSampleIsSeenZoomedClickedAndClosed()
    {
        const QString window = open({QStringLiteral(TORCHLINE_SAMPLE)}, u"sample-train.json.gz — Torchline"_s);
        QVERIFY(!window.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(pixelsOf(screen(), kMatrixFill) > 500, 20'000);
        QVERIFY(coloursOf(screen()) > 60);

        // Zoom at the pointer.
        QVERIFY(tool({u"mousemove"_s, u"--window"_s, window, u"700"_s, u"250"_s}));
        QImage before = settledScreen();
        QVERIFY(tool({u"key"_s, u"w"_s, u"w"_s, u"w"_s}));
        QTRY_VERIFY_WITH_TIMEOUT(screen() != before, 10'000);

        // A click on a row of the operators marks its slices and fills the status line.
        const QSize size = sizeOf(window);
        before = settledScreen();
        QVERIFY(tool({u"mousemove"_s, u"--window"_s, window, u"60"_s, QString::number(size.height() - 130)}));
        QVERIFY(tool({u"click"_s, u"1"_s}));
        QTRY_VERIFY_WITH_TIMEOUT(screen() != before, 10'000);

        // All keys on one card, closed by Esc.
        QVERIFY(tool({u"key"_s, u"question"_s}));
        QVERIFY(!waitForWindow(u"^Keys"_s).isEmpty());
        QVERIFY(tool({u"key"_s, u"Escape"_s}));

        QVERIFY(tool({u"windowactivate"_s, u"--sync"_s, window}));
        QVERIFY(tool({u"windowsize"_s, window, u"900"_s, u"600"_s}));
        QTRY_COMPARE_WITH_TIMEOUT(sizeOf(window), QSize(900, 600), 10'000);
        QVERIFY(coloursOf(settledScreen()) > 30);

        QVERIFY(tool({u"key"_s, u"ctrl+q"_s}));
        QVERIFY(m_program.waitForFinished(10'000));
        QCOMPARE(m_program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(m_program.exitCode(), 0);
    }

    void theStartPageListsWhatWasOpen()
    {
        const QString window = open({}, u"^Torchline$"_s);
        QVERIFY(!window.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(coloursOf(screen()) > 8, 10'000);
        // The sample was opened by the test before: the density strip of its entry has the class colour.
        QTRY_VERIFY_WITH_TIMEOUT(pixelsOf(screen(), kMatrixFill) > 300, 10'000);
        QVERIFY(tool({u"key"_s, u"ctrl+q"_s}));
        QVERIFY(m_program.waitForFinished(10'000));
        QCOMPARE(m_program.exitCode(), 0);
    }

    void theThemeThatWasChosenIsUsedAtOnce()
    {
        QDir().mkpath(m_folder.filePath(u"config"_s));
        QFile settings(m_folder.filePath(u"config/torchline.ini"_s));
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write("[General]\ntheme=dark\n");
        settings.close();
        QVERIFY(!open({}, u"^Torchline$"_s).isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(pixelsOf(screen(), kDarkPanel) > 100'000, 10'000);
        QVERIFY(tool({u"key"_s, u"ctrl+q"_s}));
        QVERIFY(m_program.waitForFinished(10'000));
        QCOMPARE(m_program.exitCode(), 0);
    }

private:
    bool tool(const QStringList& arguments, QByteArray* answer = nullptr)
    {
        QProcess process;
        process.setProcessEnvironment(m_environment);
        process.start(u"xdotool"_s, arguments);
        const bool isDone = process.waitForFinished(15'000) && process.exitCode() == 0;
        if (answer != nullptr)
            *answer = process.readAllStandardOutput().trimmed();
        return isDone;
    }

    QString waitForWindow(const QString& name)
    {
        QByteArray answer;
        const bool isThere = QTest::qWaitFor(
            [&] {
                return tool({u"search"_s, u"--onlyvisible"_s, u"--name"_s, name}, &answer) && !answer.isEmpty();
            },
            60'000);
        return isThere ? QString::fromLatin1(answer.split('\n').last()) : QString();
    }

    QString open(const QStringList& arguments, const QString& name)
    {
        m_program.setProcessEnvironment(m_environment);
        m_program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_program.start(QStringLiteral(TORCHLINE_BIN), arguments);
        const QString window = waitForWindow(name);
        if (!window.isEmpty())
            tool({u"windowactivate"_s, u"--sync"_s, window});
        return window;
    }

    QSize sizeOf(const QString& window)
    {
        QByteArray answer;
        tool({u"getwindowgeometry"_s, u"--shell"_s, window}, &answer);
        QSize size;
        for (const QByteArray& line : answer.split('\n')) {
            if (line.startsWith("WIDTH="))
                size.setWidth(line.mid(6).toInt());
            if (line.startsWith("HEIGHT="))
                size.setHeight(line.mid(7).toInt());
        }
        return size;
    }

    QImage screen() { return readScreen(m_folder.filePath(u"Xvfb_screen0"_s)); }

    /// The screen once it has stopped changing.
    QImage settledScreen()
    {
        QImage last = screen();
        (void)QTest::qWaitFor(
            [&] {
                QTest::qWait(200);
                const QImage now = screen();
                const bool isSame = now == last;
                last = now;
                return isSame;
            },
            5000);
        return last;
    }

    QTemporaryDir m_folder;
    QProcess m_server;
    QProcess m_manager;
    QProcess m_program;
    QProcessEnvironment m_environment;
};

QTEST_GUILESS_MAIN(TestXvfb)
#include "tst_xvfb.moc"
