#include "export_dialog.h"

#include "common/format.h"
#include "export/output_file.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>

#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

struct Form {
    QStringView title;
    QStringView suffix;
};
constexpr std::array<Form, 3> kPictureForms{{{u"PNG", u"png"}, {u"SVG", u"svg"}, {u"PDF", u"pdf"}}};
constexpr std::array<Form, 4> kTableForms{
    {{u"CSV", u"csv"}, {u"TSV", u"tsv"}, {u"JSON", u"json"}, {u"Markdown", u"md"}}};
constexpr std::array<TableFormat, 4> kTableFormats{
    TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Markdown};

QSpinBox* pixelBox(int value, const QString& name)
{
    auto* box = new QSpinBox;
    box->setRange(1, 1'000'000); // what is too large is said in words, not cut down in silence
    box->setValue(value);
    box->setSuffix(u" px"_s);
    box->setAccessibleName(name);
    return box;
}

} // namespace

ExportDialog::ExportDialog(
    ThemeHost* themes, std::vector<ExportSubject> subjects, size_t chosen, const QString& folder, QWidget* parent)
    : QDialog(parent)
    , m_themes(themes)
    , m_subjects(std::move(subjects))
    , m_folder(folder)
    , m_job(this)
    , m_what(new QComboBox)
    , m_format(new QComboBox)
    , m_pictureRow(new QWidget)
    , m_width(pixelBox(1920, tr("Width")))
    , m_height(pixelBox(1080, tr("Height")))
    , m_scale(new QDoubleSpinBox)
    , m_path(new QLineEdit)
    , m_message(new QLabel)
{
    setWindowTitle(tr("Export"));
    for (const ExportSubject& entry : m_subjects)
        m_what->addItem(entry.isPicture() ? tr("%1 (picture)").arg(entry.title) : tr("%1 (table)").arg(entry.title));
    m_what->setAccessibleName(tr("What"));
    m_format->setAccessibleName(tr("Form"));
    m_scale->setRange(0.1, 100);
    m_scale->setDecimals(2);
    m_scale->setSingleStep(0.25);
    m_scale->setValue(1);
    m_scale->setAccessibleName(tr("Scale"));
    m_scale->setToolTip(tr("Pixels of the picture for each pixel of the window: 2 draws the same view in finer lines"));
    m_path->setAccessibleName(tr("File"));
    m_path->setMinimumWidth(Metrics(font()).px(380));
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->hide();

    auto* size = new QHBoxLayout(m_pictureRow);
    size->setContentsMargins(0, 0, 0, 0);
    size->addWidget(m_width);
    size->addWidget(new QLabel(u"×"_s));
    size->addWidget(m_height);
    size->addSpacing(Metrics(font()).px(12));
    size->addWidget(new QLabel(tr("scale")));
    size->addWidget(m_scale);
    size->addStretch(1);
    auto* browse = new QPushButton(tr("Browse…"));
    browse->setAutoDefault(false);
    auto* file = new QHBoxLayout;
    file->addWidget(m_path, 1);
    file->addWidget(browse);

    auto* form = new QFormLayout;
    form->addRow(tr("What"), m_what);
    form->addRow(tr("Form"), m_format);
    form->addRow(tr("Size"), m_pictureRow);
    form->addRow(tr("File"), file);
    auto* buttons = new QDialogButtonBox;
    m_export = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    m_export->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel)->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_message);
    layout->addWidget(buttons);

    connect(m_what, &QComboBox::currentIndexChanged, this, &ExportDialog::chooseSubject);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::chooseFormat);
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, [this](double scale) {
        m_width->setValue(qRound(m_width->value() * scale / m_lastScale));
        m_height->setValue(qRound(m_height->value() * scale / m_lastScale));
        m_lastScale = scale;
    });
    connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::run);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_path, &QLineEdit::textEdited, m_message, &QWidget::hide);
    m_what->setCurrentIndex(static_cast<int>(std::min(chosen, m_subjects.size() - 1)));
    chooseSubject();
    m_path->setFocus();
}

const ExportSubject& ExportDialog::subject() const
{
    return m_subjects[static_cast<size_t>(std::max(0, m_what->currentIndex()))];
}

QString ExportDialog::suffix() const
{
    const auto index = static_cast<size_t>(std::max(0, m_format->currentIndex()));
    return (subject().isPicture() ? kPictureForms.at(index) : kTableForms.at(index)).suffix.toString();
}

void ExportDialog::chooseSubject()
{
    const QSignalBlocker quiet(m_format);
    m_format->clear();
    if (const auto* picture = std::get_if<PictureSubject>(&subject().content)) {
        for (const Form& form : kPictureForms)
            m_format->addItem(form.title.toString());
        m_width->setValue(std::max(1, picture->size.width()));
        m_height->setValue(std::max(1, picture->size.height()));
    } else {
        for (const Form& form : kTableForms)
            m_format->addItem(form.title.toString());
        (void)std::get<TableSubject>(subject().content).table(); // so that it is computed until it is wanted
    }
    m_pictureRow->setEnabled(subject().isPicture());
    chooseFormat();
}

void ExportDialog::chooseFormat()
{
    m_message->hide();
    QString path = m_path->text();
    if (path.isEmpty() || path == m_stemShown) {
        path = QDir(m_folder).filePath(subject().fileStem + u'.' + suffix());
    } else if (const QFileInfo info(path); !info.suffix().isEmpty()) {
        path = path.left(path.size() - info.suffix().size()) + suffix();
    }
    m_path->setText(path);
    const QFileInfo shown(path);
    m_path->setSelection(
        static_cast<int>(path.size() - shown.fileName().size()), static_cast<int>(shown.completeBaseName().size()));
    if (QFileInfo(path).completeBaseName() == subject().fileStem)
        m_stemShown = path;
}

void ExportDialog::browse()
{
    auto* dialog = new QFileDialog(this, tr("Export to"), m_path->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(u"*.%1"_s.arg(suffix()));
    dialog->setDefaultSuffix(suffix());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_path->setText(path);
        m_confirmed = path; // the file dialog has asked
    });
    dialog->open();
}

void ExportDialog::run()
{
    const QString typed = m_path->text();
    if (typed.isEmpty()) {
        tell(tr("Name a file to write to."));
        return;
    }
    const QString path = QFileInfo(typed).absoluteFilePath();
    if (QFileInfo::exists(path) && !QFileInfo(path).isDir() && m_confirmed != typed) {
        m_confirmed = typed;
        tell(tr("%1 is there already. Export once more to replace it.").arg(QFileInfo(path).fileName()));
        return;
    }
    const std::string bytes = QFile::encodeName(path).toStdString();
    if (const auto* picture = std::get_if<PictureSubject>(&subject().content)) {
        PictureSpec spec;
        spec.format = static_cast<PictureFormat>(m_format->currentIndex());
        spec.scale = m_scale->value();
        spec.width = m_width->value();
        spec.height = m_height->value();
        finish(writePicture(bytes, spec, m_themes->theme().panel, picture->draw));
        return;
    }
    auto table = std::get<TableSubject>(subject().content).table();
    if (!table) {
        tell(tr("The figures are still being computed. Try again in a moment."));
        return;
    }
    writeTableNow(std::move(*table), bytes);
}

void ExportDialog::writeTableNow(Table table, const std::string& path)
{
    m_export->setEnabled(false);
    const TableFormat format = kTableFormats.at(static_cast<size_t>(m_format->currentIndex()));
    m_job.start(
        [table = std::move(table), path, format](const std::stop_token&) -> Status {
            auto file = OutputFile::toPath(path);
            if (!file)
                return file.error();
            writeTable(table, format, file->stream());
            return file->commit();
        },
        [this](const Status& status) {
            m_export->setEnabled(true);
            finish(status);
        });
}

void ExportDialog::finish(const Status& status)
{
    if (!status) {
        tell(displayText(status.error().message()));
        return;
    }
    Q_EMIT exported(QFileInfo(m_path->text()).absoluteFilePath());
    accept();
}

void ExportDialog::tell(const QString& text)
{
    QPalette palette;
    palette.setColor(QPalette::WindowText, m_themes->theme().error);
    m_message->setPalette(palette);
    m_message->setText(text);
    m_message->show();
}

QString ExportDialog::message() const
{
    return m_message->isHidden() ? QString() : m_message->text();
}

void ExportDialog::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_themes->theme().window);
}

} // namespace torchline
