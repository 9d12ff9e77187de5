// Texts are cut between characters, as people see them.

#include "common/text_cut.h"
#include "common/tool_tip.h"

#include <QTest>

using namespace torchline;
using namespace Qt::StringLiterals;

class TestTextCut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plainTextsAreCutAnywhere()
    {
        for (qsizetype at = 0; at <= 4; ++at) {
            QCOMPARE(cutBefore(u"aten"_s, at), at);
            QCOMPARE(cutAfter(u"aten"_s, at), at);
        }
        QCOMPARE(headOf(u"aten"_s, 2), u"at"_s);
        QCOMPARE(tailOf(u"aten"_s, 3), u"ten"_s);
        QCOMPARE(headOf(u"aten"_s, 9), u"aten"_s);
        QCOMPARE(tailOf(u"aten"_s, 9), u"aten"_s);
        QCOMPARE(headOf({}, 3), QString());
    }

    void charactersOfSeveralUnitsStayWhole()
    {
        const QString rocket = u"🚀"_s;
        const QString family = u"👩‍👩‍👧‍👦"_s;
        const QString accent = u"e\u0301"_s;
        for (const QString& character : {rocket, family, accent}) {
            const QString text = u'a' + character.repeated(100) + u'b';
            const qsizetype size = character.size();
            for (qsizetype at = 1; at < text.size(); ++at) {
                const qsizetype whole = (at - 1) / size * size + 1;
                QCOMPARE(cutBefore(text, at), whole);
                QCOMPARE(cutAfter(text, at), whole == at ? at : whole + size);
            }
            QCOMPARE(headOf(text, size), u"a"_s);
            QCOMPARE(tailOf(text, size), u"b"_s);
        }
    }

    void aLongTextKeepsItsEnds()
    {
        QCOMPARE(bothEndsOf(u"aten::mm"_s, 8), u"aten::mm"_s);
        QCOMPARE(bothEndsOf(u"aten::addmm"_s, 8), u"aten…ddmm"_s);
        QCOMPARE(bothEndsOf(u"🚀"_s.repeated(50), 6), u"🚀…🚀"_s);
    }

    void aToolTipEndsWithAWholeCharacter()
    {
        const QString tip = plainToolTip(u'a' + u"🚀"_s.repeated(4000));
        QVERIFY(tip.isValidUtf16());
        QVERIFY(tip.contains(u'…'));
    }
};

QTEST_MAIN(TestTextCut)
#include "tst_text_cut.moc"
