// `torchline render` and the program's messages, run as a script runs them.

#include "small_trace.h"

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

struct Outcome {
    int status = -1;
    QByteArray out;
    QByteArray err;
};

Outcome run(const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(TORCHLINE_BIN), arguments);
    if (!program.waitForFinished(60'000)) {
        program.kill();
        program.waitForFinished();
        return {};
    }
    return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : -2, program.readAllStandardOutput(),
        program.readAllStandardError()};
}

/// No display of any kind.
QProcessEnvironment bareEnvironment()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s, u"QT_QPA_PLATFORM"_s})
        environment.remove(name);
    return environment;
}

bool isOneLine(const QByteArray& text)
{
    return text.endsWith('\n') && text.count('\n') == 1;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

int coloursOf(const QImage& image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    }
    return static_cast<int>(colours.size());
}

} // namespace

class TestRender : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_trace = m_folder->filePath(u"run.json"_s);
        QVERIFY(writeFile(m_trace, smallTraceText(4)));
    }

    void everyViewIsDrawnTheSameEachTime_data()
    {
        QTest::addColumn<QString>("view");
        QTest::addColumn<QString>("end");
        for (const char* view : {"timeline", "window", "operators", "kernels", "memory", "steps"}) {
            for (const char* end : {"png", "svg", "pdf"})
                QTest::addRow("%s %s", view, end) << QString::fromUtf8(view) << QString::fromUtf8(end);
        }
    }

    void everyViewIsDrawnTheSameEachTime()
    {
        QFETCH(QString, view);
        QFETCH(QString, end);
        const QString first = m_folder->filePath(u"a."_s + end);
        const QString second = m_folder->filePath(u"b."_s + end);
        for (const QString& path : {first, second}) {
            const Outcome outcome = run({u"render"_s, m_trace, u"-o"_s, path, u"--view"_s, view, u"--size"_s,
                                            u"900x500"_s, u"--theme"_s, u"dark"_s},
                bareEnvironment());
            QVERIFY2(outcome.status == 0, outcome.err.constData());
            QVERIFY(outcome.out.isEmpty());
        }
        const QByteArray bytes = contentOf(first);
        QVERIFY(bytes.size() > 500);
        QVERIFY(bytes == contentOf(second));
        if (end == u"png"_s) {
            const QImage image(first);
            QCOMPARE(image.size(), QSize(900, 500));
            QVERIFY2(coloursOf(image) > 8, qPrintable(QString::number(coloursOf(image))));
        } else if (end == u"svg"_s) {
            QVERIFY(QSvgRenderer(bytes).isValid());
        } else {
            QVERIFY(bytes.startsWith("%PDF-"));
        }
    }

    void scaleKeepsTheSizeInPixels()
    {
        const QString path = m_folder->filePath(u"a.png"_s);
        QCOMPARE(run({u"render"_s, m_trace, u"-o"_s, path, u"--size"_s, u"1200x800"_s, u"--scale"_s, u"2"_s},
                     bareEnvironment())
                     .status,
            0);
        QCOMPARE(QImage(path).size(), QSize(1200, 800));
    }

    void optionsChangeThePicture_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("theme") << QStringList{u"--theme"_s, u"dark"_s};
        QTest::newRow("range") << QStringList{u"--range"_s, u"0..500"_s};
        QTest::newRow("step") << QStringList{u"--step"_s, u"2"_s};
        QTest::newRow("annotation") << QStringList{u"--view"_s, u"operators"_s, u"--annotation"_s, u"ProfilerStep#1"_s};
        QTest::newRow("filter") << QStringList{u"--filter"_s, u"cat:kernel"_s};
        QTest::newRow("select") << QStringList{u"--select"_s, u"1"_s};
        QTest::newRow("lanes") << QStringList{u"--lanes"_s, u"7*"_s, u"--lanes"_s, u"stream*"_s};
        QTest::newRow("rows") << QStringList{u"--view"_s, u"operators"_s, u"--limit"_s, u"1"_s};
        QTest::newRow("sort") << QStringList{u"--view"_s, u"operators"_s, u"--sort"_s, u"name"_s};
    }

    void optionsChangeThePicture()
    {
        QFETCH(QStringList, options);
        const QString plain = m_folder->filePath(u"plain.png"_s);
        const QString changed = m_folder->filePath(u"changed.png"_s);
        QStringList base{u"render"_s, m_trace, u"--size"_s, u"900x500"_s, u"-o"_s};
        QStringList bare = base + QStringList{plain};
        if (options.contains(u"operators"_s))
            bare += {u"--view"_s, u"operators"_s};
        QCOMPARE(run(bare, bareEnvironment()).status, 0);
        const Outcome outcome = run(base + QStringList{changed} + options, bareEnvironment());
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QVERIFY(contentOf(plain) != contentOf(changed));
    }

    void arrowsCanBeLeftOut()
    {
        QByteArray pictures[2];
        int i = 0;
        for (const QString& arrows : {u"selection"_s, u"none"_s}) {
            const QString path = m_folder->filePath(arrows + u".png"_s);
            QCOMPARE(run({u"render"_s, m_trace, u"-o"_s, path, u"--select"_s, u"2"_s, u"--arrows"_s, arrows},
                         bareEnvironment())
                         .status,
                0);
            pictures[i++] = contentOf(path);
        }
        QVERIFY(pictures[0] != pictures[1]);
    }

    void whatFailsIsOneLineWithItsStatus_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("told");
        QTest::newRow("missing") << QStringList{u"/no/such.json"_s, u"-o"_s, u"OUT"_s} << 1
                                 << QByteArray("/no/such.json");
        QTest::newRow("no trace") << QStringList{u"BAD"_s, u"-o"_s, u"OUT"_s} << 1 << QByteArray("bad.json");
        QTest::newRow("one of two") << QStringList{u"TRACE"_s, u"BAD"_s, u"-o"_s, u"OUT"_s} << 1
                                    << QByteArray("bad.json");
        QTest::newRow("unwritable") << QStringList{u"TRACE"_s, u"-o"_s, u"/no/such/folder/a.png"_s} << 1
                                    << QByteArray("/no/such/folder/a.png");
        QTest::newRow("no such annotation") << QStringList{u"TRACE"_s, u"-o"_s, u"OUT"_s, u"--annotation"_s, u"none"_s}
                                            << 2 << QByteArray("there is no annotation 'none' in the input");
        QTest::newRow("no such step") << QStringList{u"TRACE"_s, u"-o"_s, u"OUT"_s, u"--step"_s, u"99"_s} << 2
                                      << QByteArray("99");
        QTest::newRow("no such slice") << QStringList{u"TRACE"_s, u"-o"_s, u"OUT"_s, u"--select"_s, u"9999"_s} << 2
                                       << QByteArray("9999");
    }

    void whatFailsIsOneLineWithItsStatus()
    {
        QFETCH(QStringList, options);
        QFETCH(int, status);
        QFETCH(QByteArray, told);
        const QString bad = m_folder->filePath(u"bad.json"_s);
        const QString out = m_folder->filePath(u"out.png"_s);
        QVERIFY(writeFile(bad, "this is no trace"));
        options.replaceInStrings(u"TRACE"_s, m_trace).replaceInStrings(u"BAD"_s, bad).replaceInStrings(u"OUT"_s, out);
        const Outcome outcome = run(QStringList{u"render"_s} + options, bareEnvironment());
        QCOMPARE(outcome.status, status);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(isOneLine(outcome.err), outcome.err.constData());
        QVERIFY2(outcome.err.startsWith("torchline: ") && outcome.err.contains(told), outcome.err.constData());
        QVERIFY(!QFile::exists(out));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
    }

    void aFullDiskIsTold()
    {
        // The end of the name decides about the form; a link gives the full device one.
        const QString link = m_folder->filePath(u"full.png"_s);
        QVERIFY(QFile::link(u"/dev/full"_s, link));
        const Outcome outcome = run({u"render"_s, m_trace, u"-o"_s, link}, bareEnvironment());
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.err.contains("No space left"), outcome.err.constData());
    }

    void aSessionIsDrawnAsItWasLeft()
    {
        const QString session = m_folder->filePath(u"mine.torchline"_s);
        const auto save = [&](const QByteArray& view, qint64 size) {
            return writeFile(session,
                R"({"torchline_session":1,"traces":[{"path":")" + m_trace.toUtf8() + R"(","beside":"run.json","size":)"
                    + QByteArray::number(size) + R"(}],"view":)" + view + "}");
        };
        const auto draw = [&](const QString& file, const QStringList& more = {}) {
            const QString path = m_folder->filePath(u"s.png"_s);
            const Outcome outcome = run(
                QStringList{u"render"_s, file, u"-o"_s, path, u"--size"_s, u"900x500"_s} + more, bareEnvironment());
            return outcome.status == 0 ? outcome.err + contentOf(path) : outcome.err;
        };
        const qint64 size = QFileInfo(m_trace).size();
        QVERIFY(save("{}", size));
        QCOMPARE(draw(session), draw(m_trace));
        QVERIFY(save(R"({"visible":[0,990000]})", size));
        QCOMPARE(draw(session), draw(m_trace, {u"--range"_s, u"0us..990us"_s}));
        QCOMPARE(draw(session, {u"--range"_s, u"2ms..3ms"_s}), draw(m_trace, {u"--range"_s, u"2ms..3ms"_s}));
        QVERIFY(save(R"({"lane_filter":"stream*"})", size));
        QVERIFY(draw(session) != draw(m_trace));
        // Tables are those of its scope.
        QVERIFY(save(R"({"scope":{"step":1}})", size));
        QCOMPARE(draw(session, {u"--view"_s, u"operators"_s}),
            draw(m_trace, {u"--view"_s, u"operators"_s, u"--step"_s, u"1"_s}));
        QVERIFY(save(R"({"scope":{"annotation":"ProfilerStep#1"}})", size));
        QCOMPARE(draw(session, {u"--view"_s, u"operators"_s}),
            draw(m_trace, {u"--view"_s, u"operators"_s, u"--annotation"_s, u"ProfilerStep#1"_s}));
        QVERIFY(save("{}", size + 1));
        QVERIFY2(draw(session).contains("changed since the session was saved"), draw(session).left(300).constData());
        QVERIFY(save("3", size));
        QVERIFY2(draw(session).contains("mine.torchline"), draw(session).left(300).constData());
        QVERIFY(QFile::rename(m_trace, m_folder->filePath(u"gone.json"_s)));
        QVERIFY(save("{}", size));
        const Outcome missing = run({u"render"_s, session, u"-o"_s, m_folder->filePath(u"n.png"_s)}, bareEnvironment());
        QCOMPARE(missing.status, 1);
        QVERIFY2(isOneLine(missing.err) && missing.err.contains("is missing"), missing.err.constData());
        const Outcome two
            = run({u"render"_s, session, m_trace, u"-o"_s, m_folder->filePath(u"n.png"_s)}, bareEnvironment());
        QCOMPARE(two.status, 2);
    }

    void standardInputIsRead()
    {
        QProcess program;
        program.setProcessEnvironment(bareEnvironment());
        const QString path = m_folder->filePath(u"in.png"_s);
        program.start(QStringLiteral(TORCHLINE_BIN), {u"render"_s, u"-"_s, u"-o"_s, path});
        program.write(smallTraceText());
        program.closeWriteChannel();
        QVERIFY(program.waitForFinished(60'000));
        QCOMPARE(program.exitCode(), 0);
        QVERIFY(!QImage(path).isNull());
    }

    void aWindowWithoutADisplayIsToldInOneLine()
    {
        const Outcome none = run({m_trace}, bareEnvironment());
        QCOMPARE(none.status, 1);
        QVERIFY2(isOneLine(none.err) && none.err.contains("no display"), none.err.constData());
        QProcessEnvironment gone = bareEnvironment();
        gone.insert(u"DISPLAY"_s, u":987"_s);
        const Outcome unreachable = run({m_trace}, gone);
        QCOMPARE(unreachable.status, 1);
        QVERIFY2(isOneLine(unreachable.err) && unreachable.err.contains(":987"), unreachable.err.constData());
    }

    void versionAndHelpNeedNoDisplay()
    {
        const Outcome version = run({u"--version"_s}, bareEnvironment());
        QCOMPARE(version.status, 0);
        QCOMPARE(version.out, QByteArray("torchline " TORCHLINE_VERSION "\n"));
        QCOMPARE(run({u"render"_s, u"--help"_s}, bareEnvironment()).status, 0);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_trace;
};

QTEST_GUILESS_MAIN(TestRender)
#include "tst_render.moc"
