// The tables of the window are those of torchline-cli, byte for byte, on real traces.

#include "export_dialog.h"
#include "main_window.h"
#include "message_bar.h"
#include "workspace.h"

#include "operators/table_pane.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

struct TableCase {
    Pane pane;
    const char* command;
};
constexpr std::array<TableCase, 4> kTables{
    {{Pane::Operators, "ops"}, {Pane::Kernels, "kernels"}, {Pane::Steps, "steps"}, {Pane::Memory, "memory"}}};
constexpr std::array<const char*, 4> kForms{"csv", "tsv", "json", "markdown"};

QByteArray answerOf(const QStringList& arguments)
{
    QProcess cli;
    cli.start(QString::fromUtf8(TORCHLINE_CLI), arguments);
    if (!cli.waitForFinished(120'000) || cli.exitCode() != 0)
        return "torchline-cli failed: " + cli.readAllStandardError();
    return cli.readAllStandardOutput();
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Exports what the pane shows through the dialog, as a person does.
bool exportTable(MainWindow& window, Pane pane, int form, const QString& path)
{
    window.openExportOf(pane);
    auto* dialog = window.findChild<ExportDialog*>();
    if (dialog == nullptr)
        return false;
    for (QComboBox* box : dialog->findChildren<QComboBox*>()) {
        if (box->accessibleName() == u"Form"_s)
            box->setCurrentIndex(form);
    }
    for (QLineEdit* edit : dialog->findChildren<QLineEdit*>()) {
        if (edit->accessibleName() == u"File"_s)
            edit->setText(path);
    }
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
        if (button->isDefault())
            QTest::mouseClick(button, Qt::LeftButton);
    }
    const bool isDone = QTest::qWaitFor([&path] { return QFile::exists(path); }, 20'000);
    return QTest::qWaitFor([&window] { return window.findChild<ExportDialog*>() == nullptr; }, 20'000) && isDone;
}

} // namespace

class TestWindowTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTableIsThatOfTheCommandLine_data()
    {
        QTest::addColumn<QString>("path");
        const QString data = QString::fromUtf8(TORCHLINE_SHARED_DIR) + u"/data/"_s;
        for (const char* name : {"AMD-AGI__TraceLens__h100_facebook_timesformer-base-finetuned-k400__1016002.json.gz",
                 "AMD-AGI__TraceLens__mi300_ddp_train_resnet18.json.gz", "Gabriellanaro__dtu_mlops__trace.json.gz",
                 "AMD-AGI__TraceLens__torch_compile_triton_trace.json.gz",
                 "pytorch__kineto__resnet50_num_workers_4.v1.worker0.pt.trace.json.gz"})
            QTest::newRow(name) << data + QString::fromUtf8(name);
        QTest::newRow("sample") << QStringLiteral(TORCHLINE_SAMPLE);
    }

    void everyTableIsThatOfTheCommandLine()
    {
        QFETCH(QString, path);
        if (!QFile::exists(path))
            QSKIP("the real traces are not here (../shared/data)");
        const QTemporaryDir folder;
        ThemeHost themes;
        const auto settings = Settings::forgetful();
        MainWindow window(&themes, *settings, nullptr);
        window.resize(1600, 900);
        window.show();
        window.openFiles({path.toStdString()});
        QTRY_VERIFY_WITH_TIMEOUT(window.isTraceOpen() && !window.session().isLoading(), 60'000);
        int compared = 0;
        for (const TableCase& table : kTables) {
            window.workspace().showPane(table.pane);
            QTRY_VERIFY_WITH_TIMEOUT(window.workspace().table(table.pane)->table() != nullptr
                    && !window.workspace().table(table.pane)->isBusy(),
                60'000);
            for (size_t form = 0; form < kForms.size(); ++form) {
                const QString target
                    = folder.filePath(QString::fromUtf8(table.command) + u'-' + QString::fromUtf8(kForms[form]));
                QVERIFY(exportTable(window, table.pane, static_cast<int>(form), target));
                const QByteArray expected = answerOf({QString::fromUtf8(table.command), path, u"--format"_s,
                    QString::fromUtf8(kForms[form]), u"--limit"_s, u"0"_s});
                const QByteArray found = contentOf(target);
                const QByteArray told = QByteArray(table.command) + ' ' + kForms[form] + ": " + found.left(300)
                    + "\n--- expected\n" + expected.left(300);
                QVERIFY2(found == expected, told.constData());
                ++compared;
            }
        }
        QCOMPARE(compared, 16);
    }
};

QTEST_MAIN(TestWindowTables)
#include "tst_window_tables.moc"
