// The command line of the window program: what it takes, and how it refuses.

#include "command_line.h"

#include <QTest>

using namespace torchline;

class TestCommandLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesOpenInTheWindow()
    {
        const auto line = parseCommandLine({"a.json", "-", "dir/b c.json.gz"});
        QVERIFY(line);
        QVERIFY(!line->render);
        QCOMPARE(line->files, (std::vector<std::string>{"a.json", "-", "dir/b c.json.gz"}));
    }

    void namesKeepTheirBytes()
    {
        const auto line = parseCommandLine({"\xff\xfe.json"});
        QVERIFY(line);
        QCOMPARE(line->files.front(), std::string("\xff\xfe.json"));
    }

    void noArgumentsOpenTheStartPage()
    {
        const auto line = parseCommandLine({});
        QVERIFY(line);
        QVERIFY(line->files.empty());
    }

    void versionAndHelpEndWithStatusZero()
    {
        QCOMPARE(parseCommandLine({"--version"}).error().status, 0);
        QCOMPARE(parseCommandLine({"--version"}).error().text, std::string("torchline " TORCHLINE_VERSION "\n"));
        QCOMPARE(parseCommandLine({"--help"}).error().status, 0);
        QVERIFY(parseCommandLine({"render", "--help"}).error().text.find("--lanes") != std::string::npos);
    }

    void renderReadsEveryOption()
    {
        const auto line = parseCommandLine(
            {"render", "a.json", "--view", "kernels", "--size", "800x600", "--scale", "2", "--theme", "dark", "--range",
                "1ms..2ms", "--step", "3", "--filter", "dur > 50us", "--sort", "calls:asc", "--limit", "7", "--select",
                "12", "--arrows", "none", "--lanes", "stream*", "--lanes", "thread 1*", "b.json", "-o", "out.SVG"});
        QVERIFY2(line, line ? "" : line.error().text.c_str());
        const RenderOptions& o = *line->render;
        QCOMPARE(o.files, (std::vector<std::string>{"a.json", "b.json"}));
        QCOMPARE(o.out, std::string("out.SVG"));
        QVERIFY(o.format == PictureFormat::Svg);
        QVERIFY(o.view == RenderView::Kernels);
        QCOMPARE(o.width, 800);
        QCOMPARE(o.height, 600);
        QCOMPARE(o.scale, 2.0);
        QVERIFY(o.theme == ThemeMode::Dark);
        QCOMPARE(o.range->beginNs, 1'000'000);
        QCOMPARE(o.range->endNs, 2'000'000);
        QCOMPARE(*o.step, 3);
        QCOMPARE(o.filter, std::string("dur > 50us"));
        QCOMPARE(o.sort->key, std::string("calls"));
        QVERIFY(!o.sort->descending);
        QCOMPARE(o.limit, 7u);
        QCOMPARE(*o.select, 12u);
        QVERIFY(o.arrows == RenderArrows::None);
        QCOMPARE(o.lanes, (std::vector<std::string>{"stream*", "thread 1*"}));
    }

    void programToRecordIsTakenAsItStands()
    {
        const auto line = parseCommandLine({"--", "python3", "train.py", "--theme", "--", "x y"});
        QVERIFY(line);
        QCOMPARE(line->program, (std::vector<std::string>{"python3", "train.py", "--theme", "--", "x y"}));
        QVERIFY(line->files.empty());
    }

    void wrongUsageIsToldWithItsPlace_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("told");
        const QStringList picture{QStringLiteral("render"), QStringLiteral("a.json"), QStringLiteral("-o")};
        const auto with = [&](const char* out, const QStringList& more) {
            return picture + QStringList{QString::fromLatin1(out)} + more;
        };
        const auto words = [](std::initializer_list<const char*> list) {
            QStringList all;
            for (const char* word : list)
                all.append(QString::fromLatin1(word));
            return all;
        };
        QTest::newRow("unknown option") << words({"--bogus"}) << QStringLiteral("--bogus");
        QTest::newRow("no program") << words({"--"}) << QStringLiteral("write it after --");
        QTest::newRow("no file") << words({"render", "-o", "a.png"}) << QStringLiteral("FILE");
        QTest::newRow("no output") << words({"render", "a.json"}) << QStringLiteral("out");
        QTest::newRow("format") << with("a.gif", {}) << QStringLiteral(".png, .svg, .pdf");
        QTest::newRow("view") << with("a.png", words({"--view", "bogus"})) << QStringLiteral("--view");
        QTest::newRow("size") << with("a.png", words({"--size", "800"})) << QStringLiteral("WIDTHxHEIGHT");
        QTest::newRow("negative size") << with("a.png", words({"--size", "-5x10"}))
                                       << QStringLiteral("nothing to draw on");
        QTest::newRow("absurd size") << with("a.png", words({"--size", "100000x100000"})) << QStringLiteral("too many");
        QTest::newRow("overflowing size")
            << with("a.png", words({"--size", "99999999999999999999x1"})) << QStringLiteral("too many");
        QTest::newRow("absurd area") << with("a.png", words({"--size", "16000x16000"}))
                                     << QStringLiteral("150 million");
        QTest::newRow("scale") << with("a.png", words({"--scale", "0"})) << QStringLiteral("scale");
        QTest::newRow("scale nan") << with("a.png", words({"--scale", "nan"})) << QStringLiteral("scale");
        QTest::newRow("theme") << with("a.png", words({"--theme", "sepia"})) << QStringLiteral("--theme");
        QTest::newRow("range") << with("a.png", words({"--range", "5..1"})) << QStringLiteral("--range");
        QTest::newRow("step") << with("a.png", words({"--step", "x"})) << QStringLiteral("--step");
        QTest::newRow("filter") << with("a.png", words({"--filter", "dur >"})) << QStringLiteral("at character");
        QTest::newRow("sort") << with("a.png", words({"--view", "operators", "--sort", "bogus"}))
                              << QStringLiteral("--sort");
        QTest::newRow("sort of the timeline")
            << with("a.png", words({"--sort", "calls"})) << QStringLiteral("order of time");
        QTest::newRow("limit") << with("a.png", words({"--limit", "-1"})) << QStringLiteral("--limit");
        QTest::newRow("select") << with("a.png", words({"--select", "first"})) << QStringLiteral("--select");
        QTest::newRow("arrows") << with("a.png", words({"--arrows", "some"})) << QStringLiteral("--arrows");
    }

    void wrongUsageIsToldWithItsPlace()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, told);
        std::vector<std::string> list;
        for (const QString& argument : arguments)
            list.push_back(argument.toStdString());
        const auto line = parseCommandLine(list);
        QVERIFY(!line);
        QCOMPARE(line.error().status, 2);
        QVERIFY2(line.error().text.starts_with("torchline: "), line.error().text.c_str());
        QVERIFY2(line.error().text.find(told.toStdString()) != std::string::npos, line.error().text.c_str());
    }

    void controlCharactersAreEscaped()
    {
        const auto line = parseCommandLine({"render", "a.json", "-o", "a\x1b[31m.gif"});
        QVERIFY(!line);
        QVERIFY(line.error().text.find('\x1b') == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_command_line.moc"
