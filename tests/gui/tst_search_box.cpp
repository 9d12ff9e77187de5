// Searching in the window as a person does: typing, walking through the hits, a wrong condition, leaving.

#include "window_session.h"

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

void type(WindowSession& s, const QString& text)
{
    QTest::keyClicks(s.searchLine(), text);
    QTRY_VERIFY(!s.window.searchBox().isBusy() && s.window.searchBox().field()->condition() == text);
}

QString note(WindowSession& s)
{
    return s.window.searchBox().field()->note();
}

int pixelsOf(const QImage& image, const QColor& color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == color ? 1 : 0;
    }
    return count;
}

} // namespace

class TestSearchBox : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hitsAreCountedMarkedAndWalked()
    {
        WindowSession s;
        s.openSmall(10);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(s.searchLine()->hasFocus());
        type(s, u"sgemm"_s);
        QTRY_COMPARE(note(s), u"10 hits"_s);
        QVERIFY(s.state().hits() != nullptr);
        QTRY_COMPARE(s.minimap().hitColumns().size(), 10u);
        const QColor hit = s.themes.theme().hit;
        QVERIFY(pixelsOf(s.timeline().viewport()->grab().toImage(), hit) > 30);
        QVERIFY(pixelsOf(s.minimap().grab().toImage(), hit) > 30);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QCOMPARE(s.selectedName(), std::string("sgemm_128"));
        QCOMPARE(note(s), u"1 of 10"_s);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QCOMPARE(note(s), u"3 of 10"_s);
        QTest::keyClick(s.searchLine(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(note(s), u"2 of 10"_s);
        // Round at the ends.
        QTest::keyClick(s.searchLine(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(s.searchLine(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(note(s), u"10 of 10"_s);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QCOMPARE(note(s), u"1 of 10"_s);
    }

    void theFilterLanguageSearches()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_Slash);
        QVERIFY(s.searchLine()->hasFocus());
        type(s, u"dur > 250us and not cat:kernel"_s);
        QTRY_COMPARE(note(s), u"4 hits"_s); // the steps
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QCOMPARE(s.selectedName(), std::string("ProfilerStep#0"));
    }

    void aWrongConditionIsUnderlinedAndSaysWhy()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        type(s, u"aten"_s);
        QTRY_COMPARE(note(s), u"4 hits"_s);
        QTest::keyClicks(s.searchLine(), u" and dur > fast"_s);
        QTest::qWait(300);
        QVERIFY(s.window.searchBox().field()->fault().has_value());
        QVERIFY(!s.window.searchBox().faultText().isEmpty());
        QVERIFY(pixelsOf(s.window.searchBox().grab().toImage(), s.themes.theme().error) > 10);
        // The hits of the last condition that can be read stay.
        QCOMPARE(s.state().hits()->count(), uint64_t{4});
        s.searchLine()->selectAll();
        QTest::keyClicks(s.searchLine(), u"add"_s);
        QTRY_VERIFY(s.window.searchBox().faultText().isEmpty());
    }

    void escapeLeavesAndForgetsTheHits()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        type(s, u"aten"_s);
        QTRY_VERIFY(s.state().hits() != nullptr);
        QTest::keyClick(s.searchLine(), Qt::Key_Escape);
        QVERIFY(s.timeline().hasFocus());
        QVERIFY(s.state().hits() == nullptr);
        QVERIFY(s.searchLine()->text().isEmpty());
        QCOMPARE(note(s), u"/"_s);
    }

    void onTheTimelineEnterWalksAndEscapeEndsTheSearch()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        type(s, u"aten"_s);
        QTRY_VERIFY(s.state().hits() != nullptr);
        QTest::keyClick(s.searchLine(), Qt::Key_Down);
        QVERIFY(s.timeline().hasFocus());
        QTest::keyClick(&s.timeline(), Qt::Key_Return);
        QTest::keyClick(&s.timeline(), Qt::Key_F3);
        QCOMPARE(note(s), u"2 of 4"_s);
        QTest::keyClick(&s.timeline(), Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(note(s), u"1 of 4"_s);
        QTest::keyClick(&s.timeline(), Qt::Key_Escape); // the selection
        QVERIFY(s.state().hits() != nullptr);
        QTest::keyClick(&s.timeline(), Qt::Key_Escape);
        QVERIFY(s.state().hits() == nullptr);
        QVERIFY(s.searchLine()->text().isEmpty());
    }

    void anotherTraceIsSearchedForTheSame()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        type(s, u"aten"_s);
        QTRY_COMPARE(note(s), u"4 hits"_s);
        s.openSmall(6);
        QTRY_COMPARE(note(s), u"6 hits"_s);
    }

    void nothingFoundIsSaid()
    {
        WindowSession s;
        s.openSmall(4);
        QTest::keyClick(&s.timeline(), Qt::Key_F, Qt::ControlModifier);
        type(s, u"conv"_s);
        QTRY_COMPARE(note(s), u"no hits"_s);
        QTest::keyClick(s.searchLine(), Qt::Key_Return);
        QVERIFY(!s.state().selection().isValid());
    }
};

QTEST_MAIN(TestSearchBox)
#include "tst_search_box.moc"
