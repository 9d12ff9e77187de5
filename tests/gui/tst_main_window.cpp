// The window as a person uses it: open, drop, recent files, a bad file, cancel, reload, scope, export, clipboard,
// theme.

#include "export_dialog.h"
#include "main_window.h"
#include "message_bar.h"
#include "progress_strip.h"
#include "recent_row.h"
#include "small_trace.h"
#include "start_action.h"
#include "start_page.h"
#include "status_line.h"
#include "theme_controller.h"
#include "tool_strip.h"
#include "workspace.h"

#include "common/filter_field.h"
#include "operators/table_pane.h"
#include "timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <unistd.h>

using namespace torchline;
using namespace torchline::test;
using namespace Qt::StringLiterals;

namespace {

/// The window with settings of its own, as after a start.
struct Session {
    explicit Session(const QString& settingsPath, QSize size = {1600, 900})
        : settings(settingsPath)
        , desktop(QDBusConnection(u"none"_s))
        , controller(settings, themes, desktop, QPalette())
        , window(&themes, settings, &controller)
    {
        window.resize(size);
        window.show();
        (void)QTest::qWaitForWindowExposed(&window);
    }

    [[nodiscard]] TablePane& table(Pane pane) { return *window.workspace().table(pane); }
    [[nodiscard]] QAction* action(const QString& menu, const QString& entry)
    {
        for (QAction* top : window.menuBar()->actions()) {
            if (top->text().remove(u'&') != menu)
                continue;
            for (QAction* each : top->menu()->actions()) {
                if (each->text().remove(u'&').section(u'\t', 0, 0) == entry)
                    return each;
            }
        }
        return nullptr;
    }

    Settings settings;
    ThemeHost themes;
    DesktopScheme desktop;
    ThemeController controller;
    MainWindow window;
};

/// As dragging files over a window and letting go does it.
bool drop(QWidget& window, const QList<QUrl>& urls)
{
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted())
        return false;
    QDropEvent release(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &release);
    return true;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = m_folder->filePath(u"settings.ini"_s);
        m_trace = m_folder->filePath(u"run.json"_s);
        QVERIFY(writeFile(m_trace, smallTraceText()));
    }

    void theStartPageOpensWhatIsDropped()
    {
        Session s(m_settings);
        QVERIFY(s.window.startPage().isVisible());
        QVERIFY(!s.window.toolStrip().isVisible());
        QVERIFY(drop(s.window, {QUrl::fromLocalFile(m_trace)}));
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QVERIFY(s.window.workspace().isVisible());
        QVERIFY(!s.window.startPage().isVisible());
        QCOMPARE(s.window.windowTitle(), u"run.json — Torchline"_s);
        QVERIFY(s.window.toolStrip().spanText().endsWith(u"of 1.99\u00A0ms"_s));
    }

    void onlyFilesAreTakenFromADrag()
    {
        Session s(m_settings);
        QVERIFY(!drop(s.window, {QUrl(u"https://example.org/a.json"_s)}));
    }

    void severalFilesShareOneAxis()
    {
        const QString other = m_folder->filePath(u"other.json"_s);
        QVERIFY(writeFile(other, smallTraceText(3)));
        Session s(m_settings);
        QVERIFY(drop(s.window, {QUrl::fromLocalFile(m_trace), QUrl::fromLocalFile(other)}));
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QCOMPARE(s.window.state().trace()->files().size(), 2u);
        QVERIFY(s.window.windowTitle().startsWith(u"run.json and 1 more"_s));
    }

    void namesThatAreNoUtf8Open()
    {
        const QByteArray name = QFile::encodeName(m_folder->path()) + "/\xff\xfe.json";
        QVERIFY(::rename(QFile::encodeName(m_trace).constData(), name.constData()) == 0);
        Session s(m_settings);
        QUrl url;
        url.setUrl(u"file://"_s + QString::fromLatin1(name.toPercentEncoding("/")), QUrl::StrictMode);
        QVERIFY(drop(s.window, {url}));
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        s.window.closeTrace();
        const auto rows = s.window.startPage().findChildren<RecentRow*>();
        QCOMPARE(rows.size(), 1);
        QTest::mouseClick(rows.front(), Qt::LeftButton);
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QVERIFY(::unlink(name.constData()) == 0); // Qt could not remove it with the folder
    }

    void aBadFileLeavesWhatIsOpen()
    {
        const QString bad = m_folder->filePath(u"bad.json"_s);
        QVERIFY(writeFile(bad, "this is no trace"));
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        const TracePtr before = s.window.state().trace();
        s.window.openFiles({bad.toStdString()});
        QTRY_VERIFY(s.window.messageBar().isVisible());
        QVERIFY(s.window.messageBar().kind() == MessageBar::Kind::Error);
        QVERIFY2(s.window.messageBar().text().contains(u"bad.json"_s), qPrintable(s.window.messageBar().text()));
        QVERIFY(s.window.state().trace() == before);
        s.window.openFiles({"/no/such/file.json"});
        QTRY_VERIFY(s.window.messageBar().text().contains(u"/no/such/file.json"_s));
        QVERIFY(s.window.state().trace() == before);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.state().trace() != before);
        QVERIFY(!s.window.messageBar().isVisible());
    }

    void escCancelsLoading()
    {
        const QString big = m_folder->filePath(u"big.json"_s);
        QVERIFY(writeFile(big, smallTraceText(60'000)));
        Session s(m_settings);
        QSignalSpy cancelled(&s.window.session(), &LoadSession::cancelled);
        s.window.openFiles({big.toStdString()});
        QVERIFY(s.window.session().isLoading());
        QTest::keyClick(&s.window, Qt::Key_Escape);
        QCOMPARE(cancelled.size(), 1);
        QVERIFY(!s.window.session().isLoading());
        QVERIFY(!s.window.isTraceOpen());
        QVERIFY(!s.window.progressStrip().isVisible());
        // What was cancelled never arrives.
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QCOMPARE(s.window.state().trace()->files().size(), 1u);
        QCOMPARE(s.window.windowTitle(), u"run.json — Torchline"_s);
    }

    void closingWhileLoadingEnds()
    {
        const QString big = m_folder->filePath(u"big.json"_s);
        QVERIFY(writeFile(big, smallTraceText(60'000)));
        QElapsedTimer timer;
        {
            Session s(m_settings);
            s.window.openFiles({big.toStdString()});
            timer.start();
            s.window.close();
        }
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    void recentFilesOpenAndStayMarkedWhenGone()
    {
        {
            Session s(m_settings);
            s.window.openFiles({m_trace.toStdString()});
            QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
            s.window.close();
        }
        Session s(m_settings);
        auto rows = s.window.startPage().findChildren<RecentRow*>();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.front()->file().slices, 8u);
        QCOMPARE(rows.front()->file().density.size(), 84);
        QTest::mouseClick(rows.front(), Qt::LeftButton);
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QVERIFY(QFile::remove(m_trace));
        QTest::keyClick(&s.window, Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!s.window.isTraceOpen());
        rows = s.window.startPage().findChildren<RecentRow*>();
        QTRY_VERIFY(rows.front()->isMissing());
        QTest::keyClick(rows.front(), Qt::Key_Delete);
        QTRY_VERIFY(s.window.startPage().findChildren<RecentRow*>().isEmpty());
    }

    void aChangedFileIsReloadedWithTheViewKept()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        ViewState& state = s.window.state();
        state.goTo({100'000, 700'000});
        const TimeRange view = state.visible();
        state.select({LaneId(0), 1});
        const std::string_view name = state.trace()->text(state.trace()->name(state.selection()));
        QTest::qWait(20);
        QVERIFY(writeFile(m_trace, smallTraceText(5)));
        QTRY_VERIFY(s.window.messageBar().isVisible());
        QVERIFY(s.window.messageBar().text().contains(u"has changed on disk"_s));
        const TracePtr before = state.trace();
        QTest::keyClick(&s.window, Qt::Key_R, Qt::ControlModifier);
        QTRY_VERIFY(state.trace() != before);
        QCOMPARE(state.trace()->sliceCount(), 20u);
        QVERIFY(state.visible() == view);
        QVERIFY(state.selection().isValid());
        QCOMPARE(state.trace()->text(state.trace()->name(state.selection())), name);
    }

    void panesFollowScopeAndSelection()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QTRY_VERIFY(s.window.isSettled());
        TablePane& operators = s.table(Pane::Operators);
        QTRY_VERIFY(operators.table() != nullptr);
        const size_t all = operators.table()->rows.size();
        QVERIFY(all >= 3);
        operators.setFilter(u"mm"_s);
        QTRY_VERIFY(operators.table()->rows.size() < all);
        Scope first;
        first.range = TimeRange{0, 900'000};
        s.window.state().setScope(first);
        QVERIFY(s.window.toolStrip().scopeText().startsWith(u"range"_s));
        QTest::keyClick(&s.window, Qt::Key_2, Qt::AltModifier);
        TablePane& kernels = s.table(Pane::Kernels);
        QTRY_VERIFY(kernels.isVisible());
        QTRY_VERIFY(!kernels.isBusy() && kernels.table() != nullptr);
        QCOMPARE(kernels.table()->rows.size(), 1u);
        QCOMPARE(std::get<int64_t>(kernels.table()->rows[0][*kernels.table()->columnOf("calls")]), 1);
    }

    void aTableIsExportedAndRefusalsAreTold()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QTRY_VERIFY(s.window.isSettled());
        QTRY_VERIFY(s.table(Pane::Operators).table() != nullptr);
        s.window.openExportOf(Pane::Operators);
        auto* dialog = s.window.findChild<ExportDialog*>();
        QVERIFY(dialog != nullptr);
        auto* path = dialog->findChild<QLineEdit*>(QString(), Qt::FindChildrenRecursively);
        for (QLineEdit* edit : dialog->findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == u"File"_s)
                path = edit;
        }
        QPushButton* run = nullptr;
        for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
            if (button->isDefault())
                run = button;
        }
        QVERIFY(path != nullptr && run != nullptr);
        QVERIFY(path->text().endsWith(u"/run-operators.csv"_s));

        path->setText(u"/dev/full"_s);
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY(!dialog->message().isEmpty());
        if (dialog->message().contains(u"there already"_s)) {
            QTest::mouseClick(run, Qt::LeftButton);
            QTRY_VERIFY(!dialog->message().contains(u"there already"_s));
        }
        QTRY_VERIFY2(dialog->message().contains(u"No space left"_s), qPrintable(dialog->message()));

        const QString target = m_folder->filePath(u"ops.csv"_s);
        path->setText(target);
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY(QFile::exists(target));
        QTRY_VERIFY(s.window.messageBar().text().contains(target));
        QFile file(target);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().startsWith("\"name\",") || file.size() > 0);
    }

    void aPictureIsExportedAndAbsurdSizesAreRefused()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QTest::keyClick(&s.window, Qt::Key_E, Qt::ControlModifier);
        auto* dialog = s.window.findChild<ExportDialog*>();
        QVERIFY(dialog != nullptr);
        QLineEdit* path = nullptr;
        for (QLineEdit* edit : dialog->findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == u"File"_s)
                path = edit;
        }
        QPushButton* run = nullptr;
        for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
            if (button->isDefault())
                run = button;
        }
        QVERIFY(path != nullptr && run != nullptr);
        const QString target = m_folder->filePath(u"view.png"_s);
        path->setText(target);
        const auto sizes = dialog->findChildren<QSpinBox*>();
        QCOMPARE(sizes.size(), 2);
        sizes[0]->setValue(500'000);
        sizes[1]->setValue(400);
        QTest::mouseClick(run, Qt::LeftButton);
        QVERIFY2(dialog->message().contains(u"too many"_s), qPrintable(dialog->message()));
        QVERIFY(!QFile::exists(target));
        sizes[0]->setValue(640);
        QTest::mouseClick(run, Qt::LeftButton);
        QCOMPARE(QImage(target).size(), QSize(640, 400));
    }

    void copyGivesTheSliceOrThePicture()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        s.window.workspace().timeline()->setFocus();
        QTest::keyClick(s.window.workspace().timeline(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->mimeData()->hasImage());
        ViewState& state = s.window.state();
        for (uint32_t i = 0; i < state.trace()->lane(LaneId(0)).size(); ++i) {
            if (state.trace()->text(state.trace()->name({LaneId(0), i})) == "aten::mm") {
                state.select({LaneId(0), i});
                break;
            }
        }
        QTest::keyClick(s.window.workspace().timeline(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), u"name\tstart_us\tdur_us\naten::mm\t10.000\t200.000\n"_s);
    }

    void copyInATableGivesRowsWithHeaders()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        TablePane& operators = s.table(Pane::Operators);
        QTRY_VERIFY(operators.table() != nullptr);
        QTableView* view = operators.dataTable()->view();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(20, 5));
        view->setFocus();
        QAction* copy = s.action(u"Edit"_s, u"Copy"_s);
        QVERIFY(copy != nullptr);
        copy->trigger();
        const QStringList lines = QApplication::clipboard()->text().split(u'\n');
        QVERIFY(lines.front().startsWith(u"name\t"_s));
        QCOMPARE(lines.size(), 3);
    }

    void themeIsSwitchedLiveAndRemembered()
    {
        {
            Session s(m_settings);
            QVERIFY(s.themes.mode() == ThemeMode::Light);
            s.controller.setChoice(ThemeChoice::Dark);
            QVERIFY(s.themes.mode() == ThemeMode::Dark);
        }
        Session s(m_settings);
        QVERIFY(s.themes.mode() == ThemeMode::Dark);
    }

    void layoutIsRememberedAndReset()
    {
        {
            Session s(m_settings);
            s.window.openFiles({m_trace.toStdString()});
            QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
            s.window.workspace().dock(Pane::Details)->hide();
            s.window.workspace().showPane(Pane::Steps);
            s.window.close();
        }
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QVERIFY(!s.window.workspace().content(Pane::Details)->isVisible());
        QTRY_VERIFY(s.table(Pane::Steps).isVisible());
        QAction* reset = s.action(u"View"_s, u"Reset Layout"_s);
        QVERIFY(reset != nullptr);
        reset->trigger();
        QTRY_VERIFY(s.window.workspace().content(Pane::Details)->isVisible());
        QTRY_VERIFY(s.table(Pane::Operators).isVisible());
    }

    void aNarrowWindowMakesTheDetailsATab()
    {
        Session s(m_settings, {1280, 720});
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        QTRY_VERIFY(s.window.workspace().isCompact());
        QTRY_VERIFY(!s.window.workspace().content(Pane::Details)->isVisible());
        s.window.workspace().showPane(Pane::Details);
        QTRY_VERIFY(s.window.workspace().content(Pane::Details)->isVisible());
        s.window.resize(1600, 900);
        QTRY_VERIFY(!s.window.workspace().isCompact());
        QTRY_VERIFY(s.window.workspace().content(Pane::Details)->isVisible());
        QTRY_VERIFY(s.table(Pane::Operators).isVisible());
    }

    void theDetailsKeepTheirShareOfAWindowThatWasNarrow()
    {
        Session s(m_settings, {1800, 900});
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        const auto share = [&s] {
            return static_cast<double>(s.window.workspace().dock(Pane::Details)->width()) / s.window.width();
        };
        QTRY_VERIFY(share() > 0.26 && share() < 0.3);
        s.window.resize(1200, 900);
        QTRY_VERIFY(s.window.workspace().isCompact());
        s.window.resize(1800, 900);
        QTRY_VERIFY(!s.window.workspace().isCompact());
        QTRY_VERIFY2(share() > 0.25, qPrintable(QString::number(share())));
    }

    void anySizeFromZeroUpDraws()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        for (const QSize size : {QSize(1, 1), QSize(60, 400), QSize(400, 60), QSize(3000, 200), QSize(200, 2000)}) {
            s.window.resize(size);
            QCoreApplication::processEvents();
            QVERIFY(!s.window.grab().isNull());
        }
    }

    void everyActionHasATextAndEveryButtonAName()
    {
        Session s(m_settings);
        s.window.openFiles({m_trace.toStdString()});
        QTRY_VERIFY(s.window.isTraceOpen() && !s.window.session().isLoading());
        for (QAction* top : s.window.menuBar()->actions()) {
            QVERIFY(!top->menu()->isEmpty());
            for (QAction* entry : top->menu()->actions())
                QVERIFY(entry->isSeparator() || !entry->text().isEmpty());
        }
        for (QAbstractButton* button : s.window.findChildren<QAbstractButton*>()) {
            if (button->isVisible())
                QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(),
                    button->metaObject()->className());
        }
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_settings;
    QString m_trace;
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
