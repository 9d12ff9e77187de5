// The theme is switched while everything is open: what is seen then is what a window shows that had it from the start.

#include "window_session.h"

#include <QApplication>
#include <QDockWidget>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

/// As the program does it when the theme changes.
void wear(ThemeMode mode, WindowSession* s = nullptr)
{
    QApplication::setPalette(Theme::of(mode).palette());
    if (s != nullptr)
        s->themes.setMode(mode);
}

/// Shows one page or pane of a window.
void show(WindowSession& s, const QString& what)
{
    if (what == u"record"_s)
        QTest::keyClick(&s.window, Qt::Key_F5);
    if (what == u"start"_s || what == u"record"_s)
        return;
    s.openSmall(6);
    for (size_t i = 0; i < static_cast<size_t>(Pane::Count); ++i) {
        const auto pane = static_cast<Pane>(i);
        if (Workspace::title(pane) == what)
            s.window.workspace().dock(pane)->raise();
    }
    s.state().select({s.state().trace()->laneOrder().front(), 1});
    s.state().setRange(TimeRange{1'200'000, 2'900'000});
    s.state().markTime({3'000'000, 3'400'000}, true);
    Scope scope;
    scope.filter = "dur > 1us";
    s.state().setScope(scope);
    s.searchLine()->setText(u"sgemm"_s);
    QTRY_VERIFY(s.state().hits() && !s.window.searchBox().isBusy());
    s.timeline().togglePin(s.state().trace()->laneOrder().back());
}

QImage picture(WindowSession& s)
{
    (void)QTest::qWaitFor([&s] { return s.window.isSettled() && !s.window.searchBox().isBusy(); });
    for (int i = 0; i < 5; ++i) {
        QCoreApplication::processEvents();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    return s.window.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

/// Where two pictures of a window differ first, and how; empty: nowhere.
QByteArray firstDifference(const QImage& a, const QImage& b, const MainWindow& window)
{
    if (a.size() != b.size())
        return "other size";
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            if (a.pixel(x, y) == b.pixel(x, y))
                continue;
            const QWidget* at = window.childAt(x, y);
            return QByteArray(at != nullptr ? at->metaObject()->className() : "window") + " at " + QByteArray::number(x)
                + ',' + QByteArray::number(y) + ": " + QColor(a.pixel(x, y)).name().toLatin1() + " is not "
                + QColor(b.pixel(x, y)).name().toLatin1();
        }
    }
    return {};
}

} // namespace

class TestThemeSwitch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QApplication::setCursorFlashTime(0); // pictures are of no moment
    }

    void nothingKeepsItsColours_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"start", "record", "Operators", "Kernels", "Slices", "Steps", "Memory", "Health"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }

    void nothingKeepsItsColours()
    {
        QFETCH(QString, what);
        QImage fresh[2];
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            wear(mode);
            WindowSession s(QSize(1500, 900), mode);
            show(s, what);
            fresh[mode == ThemeMode::Dark ? 1 : 0] = picture(s);
        }
        QVERIFY(fresh[0] != fresh[1]);
        wear(ThemeMode::Light);
        WindowSession s(QSize(1500, 900), ThemeMode::Light);
        show(s, what);
        QCOMPARE(firstDifference(picture(s), fresh[0], s.window), QByteArray());
        wear(ThemeMode::Dark, &s);
        const QByteArray inDark = firstDifference(picture(s), fresh[1], s.window);
        QVERIFY2(inDark.isEmpty(), inDark.constData());
        wear(ThemeMode::Light, &s);
        const QByteArray inLight = firstDifference(picture(s), fresh[0], s.window);
        QVERIFY2(inLight.isEmpty(), inLight.constData());
    }
};

QTEST_MAIN(TestThemeSwitch)
#include "tst_theme_switch.moc"
