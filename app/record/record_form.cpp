#include "record/record_form.h"

#include "settings.h"
#include "start_action.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QVBoxLayout>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kColumnWidth = 1040;

void setColor(QWidget* widget, const QColor& color)
{
    QPalette palette;
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text})
        palette.setColor(role, color);
    widget->setPalette(palette);
}

QSpinBox* countBox(int least, int value, const QString& name, const QString& suffix = {})
{
    auto* box = new QSpinBox;
    box->setRange(least, 1'000'000'000);
    box->setValue(value);
    box->setSuffix(suffix);
    box->setAccessibleName(name);
    return box;
}

QLineEdit* field(const QString& name, const QString& example)
{
    auto* line = new QLineEdit;
    line->setAccessibleName(name);
    line->setPlaceholderText(example);
    return line;
}

} // namespace

RecordForm::RecordForm(ThemeHost* themes, Settings& settings, QWidget* parent)
    : QScrollArea(parent)
    , m_themes(themes)
    , m_settings(settings)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Record a program"));
    const Metrics metrics(font());

    auto* title = new QLabel(tr("Record a program"));
    title->setFont(metrics.productName());
    auto* hint = new QLabel(
        tr("Starts it and shows its operators and memory while it runs. The program itself needs no change."));
    hint->setWordWrap(true);
    m_hints.push_back(hint);

    auto* left = new QVBoxLayout;
    left->setSpacing(metrics.px(4));
    buildProgram(left);
    left->addSpacing(metrics.px(12));
    buildWhat(left);
    left->addSpacing(metrics.px(12));
    buildWhen(left);
    left->addSpacing(metrics.px(12));
    m_fault = new QLabel;
    m_fault->setTextFormat(Qt::PlainText);
    m_fault->setWordWrap(true);
    m_fault->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_fault->hide();
    left->addWidget(m_fault);
    m_start = new QPushButton(tr("Record"));
    m_start->setDefault(true);
    m_start->setAutoDefault(true);
    m_start->setMinimumWidth(metrics.px(120));
    m_start->setToolTip(tr("F5"));
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_start);
    m_cost = new QLabel;
    m_cost->setTextFormat(Qt::PlainText);
    m_cost->setWordWrap(true);
    m_hints.push_back(m_cost);
    foot->addSpacing(metrics.px(12));
    foot->addWidget(m_cost, 1);
    left->addLayout(foot);
    left->addStretch(1);

    auto* right = new QVBoxLayout;
    right->setSpacing(metrics.px(4));
    buildRecent(right);

    auto* columns = new QHBoxLayout;
    columns->setSpacing(metrics.px(40));
    columns->addLayout(left, 3);
    auto* side = new QWidget;
    right->setContentsMargins(0, 0, 0, 0);
    side->setLayout(right);
    side->setMinimumWidth(metrics.px(280));
    columns->addWidget(side, 2);
    auto* column = new QWidget;
    column->setMaximumWidth(metrics.px(kColumnWidth));
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(metrics.px(16), metrics.px(28), metrics.px(16), metrics.px(16));
    layout->addWidget(title);
    layout->addWidget(hint);
    layout->addSpacing(metrics.px(20));
    layout->addLayout(columns, 1);
    auto* page = new QWidget;
    auto* centring = new QHBoxLayout(page);
    centring->setContentsMargins(0, 0, 0, 0);
    centring->addStretch(1);
    centring->addWidget(column, 100);
    centring->addStretch(1);
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    setWidget(page);

    connect(m_start, &QPushButton::clicked, this, &RecordForm::start);
    for (QLineEdit* line : {m_program, m_arguments, m_folder, m_environment})
        connect(line, &QLineEdit::returnPressed, this, &RecordForm::start);
    for (QLineEdit* line : {m_program, m_arguments, m_folder}) {
        connect(line, &QLineEdit::textEdited, this, [this] {
            m_operatorsPerSecond = 0; // of another program
            setFault({});
            showCost();
        });
    }
    connect(m_shapes, &QCheckBox::toggled, this, &RecordForm::showCost);
    connect(m_stacks, &QCheckBox::toggled, this, &RecordForm::showCost);
    connect(m_when, &QComboBox::currentIndexChanged, this, &RecordForm::showWhen);
    connect(themes, &ThemeHost::themeChanged, this, &RecordForm::applyTheme);
    setFocusProxy(m_program);
    refresh();
    const std::vector<LaunchSetup> recent = recentLaunches(settings);
    setSetup(recent.empty() ? LaunchSetup() : recent.front());
    applyTheme();
}

QLabel* RecordForm::addTitle(QVBoxLayout* column, const QString& text)
{
    auto* title = new QLabel(text);
    title->setFont(Metrics(font()).scaled(1.0, QFont::DemiBold));
    title->setFixedHeight(Metrics(font()).px(24));
    column->addWidget(title);
    return title;
}

void RecordForm::buildProgram(QVBoxLayout* column)
{
    addTitle(column, tr("Program"));
    m_program = field(tr("Program"), u"python3"_s);
    m_arguments = field(tr("Arguments"), u"train.py --batch 16"_s);
    m_folder = field(tr("Folder"), tr("that of this window"));
    m_environment = field(tr("Environment"), tr("inherited; add as NAME=VALUE"));
    auto* browse = new QPushButton(tr("Browse…"));
    browse->setAutoDefault(false);
    auto* program = new QHBoxLayout;
    program->setSpacing(Metrics(font()).px(8));
    program->addWidget(m_program, 1);
    program->addWidget(browse);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(Metrics(font()).px(16));
    form->addRow(tr("Program"), program);
    form->addRow(tr("Arguments"), m_arguments);
    form->addRow(tr("Folder"), m_folder);
    form->addRow(tr("Environment"), m_environment);
    column->addLayout(form);
    connect(browse, &QPushButton::clicked, this, &RecordForm::choose);
}

void RecordForm::buildWhat(QVBoxLayout* column)
{
    addTitle(column, tr("What is recorded"));
    const auto check = [&](const QString& text, const QString& tip) {
        auto* box = new QCheckBox(text);
        box->setToolTip(tip);
        column->addWidget(box);
        return box;
    };
    auto* always = check(tr("Operators"), tr("Name, thread, begin and end of each: always recorded"));
    always->setChecked(true);
    always->setEnabled(false);
    m_shapes = check(tr("Input shapes"), tr("Sizes and types of each operator's inputs; twice the cost"));
    m_memory = check(tr("Memory"), tr("Each allocation and release of LibTorch's allocators, of all threads"));
    m_stacks
        = check(tr("Stacks"), tr("The C++ functions that called each operator, with source lines; needs libunwind8"));
    m_backward = check(tr("Backward operators"), tr("What autograd runs"));
    m_userScopes
        = check(tr("User scopes"), tr("record_function in Python, RECORD_USER_SCOPE in C++; steps are among them"));
    m_children = check(tr("Processes that it starts"), tr("Each becomes a process of its own, as with torchrun"));
}

void RecordForm::buildWhen(QVBoxLayout* column)
{
    addTitle(column, tr("When"));
    m_when = new QComboBox;
    m_when->setAccessibleName(tr("Begin"));
    m_when->addItems({tr("At once"), tr("After a time"), tr("By hand"), tr("By a schedule of steps")});
    m_after = countBox(1, 10, tr("Begin after"), tr(" s"));
    m_for = countBox(0, 0, tr("Record for"), tr(" s"));
    m_for->setSpecialValueText(tr("until it ends"));
    auto* begin = new QHBoxLayout;
    begin->addWidget(m_when);
    begin->addWidget(m_after);
    begin->addStretch(1);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(Metrics(font()).px(16));
    form->addRow(tr("Begin"), begin);

    m_schedule = new QWidget;
    auto* counts = new QHBoxLayout;
    counts->setSpacing(Metrics(font()).px(6));
    const std::array<QString, 5> names{tr("skip"), tr("wait"), tr("warm up"), tr("record"), tr("rounds")};
    constexpr std::array kValues{0, 1, 1, 3, 0};
    for (size_t i = 0; i < names.size(); ++i) {
        m_counts[i] = countBox(i == 3 ? 1 : 0, kValues[i], names[i]);
        m_counts[i]->setFixedWidth(Metrics(font()).px(60));
        auto* label = new QLabel(names[i]);
        m_hints.push_back(label);
        counts->addWidget(label);
        counts->addWidget(m_counts[i]);
    }
    m_counts[4]->setSpecialValueText(u"∞"_s);
    counts->addStretch(1);
    m_step = field(tr("A step ends with"), u"scope:ProfilerStep*"_s);
    m_step->setToolTip(tr("scope:PATTERN, the end of an operator or scope with that name; ops:N, every Nth outermost "
                          "operator; ms:N"));
    auto* schedule = new QFormLayout(m_schedule);
    schedule->setContentsMargins(0, 0, 0, 0);
    schedule->setHorizontalSpacing(Metrics(font()).px(16));
    schedule->addRow(counts);
    schedule->addRow(tr("A step ends with"), m_step);
    form->addRow(m_schedule);
    form->addRow(tr("Record"), m_for);
    m_spool = new QDoubleSpinBox;
    m_spool->setRange(0.1, 10'000);
    m_spool->setDecimals(1);
    m_spool->setSuffix(u" GiB"_s);
    m_spool->setAccessibleName(tr("Spool limit"));
    m_spool->setToolTip(
        tr("What arrives is kept in a file until it is saved; recording ends when the file is this long"));
    form->addRow(tr("Spool limit"), m_spool);
    for (QWidget* box : {static_cast<QWidget*>(m_for), static_cast<QWidget*>(m_spool)})
        box->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    column->addLayout(form);
}

void RecordForm::buildRecent(QVBoxLayout* column)
{
    addTitle(column, tr("Recent"));
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(Metrics(font()).px(2));
    column->addLayout(m_recent);
    m_noRecent = new QLabel(tr("Programs that were recorded show here."));
    m_noRecent->setWordWrap(true);
    m_hints.push_back(m_noRecent);
    column->addWidget(m_noRecent);
    if (const auto demo = demoLaunch()) {
        column->addSpacing(Metrics(font()).px(12));
        addTitle(column, tr("Nothing at hand?"));
        auto* action = new StartAction(
            m_themes, u"sample"_s, tr("Demo: train a small network"), tr("convolutions and a perceptron, 1 000 steps"));
        connect(action, &QAbstractButton::clicked, this, [this, setup = *demo] { Q_EMIT startRequested(setup); });
        column->addWidget(action);
    }
    column->addStretch(1);
}

void RecordForm::refresh()
{
    for (QWidget* row : m_recentRows)
        row->deleteLater();
    m_recentRows.clear();
    for (const LaunchSetup& each : recentLaunches(m_settings)) {
        auto* action = new StartAction(m_themes, u"play"_s,
            QFileInfo(each.program).fileName() + (each.arguments.isEmpty() ? QString() : u' ' + each.arguments),
            each.folder.isEmpty() ? tr("in the folder of this window") : each.folder);
        action->setToolTip(each.commandText());
        connect(action, &QAbstractButton::clicked, this, [this, each] {
            setSetup(each);
            m_start->setFocus(Qt::OtherFocusReason);
        });
        m_recent->addWidget(action);
        m_recentRows.push_back(action);
        if (m_recentRows.size() == 5)
            break;
    }
    m_noRecent->setVisible(m_recentRows.empty());
}

LaunchSetup RecordForm::setup() const
{
    LaunchSetup setup;
    setup.program = m_program->text().trimmed();
    setup.arguments = m_arguments->text().trimmed();
    setup.folder = m_folder->text().trimmed();
    setup.environment = m_environment->text().trimmed();
    setup.shapes = m_shapes->isChecked();
    setup.memory = m_memory->isChecked();
    setup.stacks = m_stacks->isChecked();
    setup.backward = m_backward->isChecked();
    setup.userScopes = m_userScopes->isChecked();
    setup.children = m_children->isChecked();
    setup.when = static_cast<LaunchSetup::When>(std::max(0, m_when->currentIndex()));
    setup.afterSeconds = m_after->value();
    setup.forSeconds = m_for->value();
    setup.skipFirst = m_counts[0]->value();
    setup.wait = m_counts[1]->value();
    setup.warmup = m_counts[2]->value();
    setup.active = m_counts[3]->value();
    setup.repeat = m_counts[4]->value();
    setup.step = m_step->text().trimmed();
    setup.spoolGib = m_spool->value();
    setup.operatorsPerSecond = m_operatorsPerSecond;
    return setup;
}

void RecordForm::setSetup(const LaunchSetup& setup)
{
    m_program->setText(setup.program);
    m_arguments->setText(setup.arguments);
    m_folder->setText(setup.folder);
    m_environment->setText(setup.environment);
    m_shapes->setChecked(setup.shapes);
    m_memory->setChecked(setup.memory);
    m_stacks->setChecked(setup.stacks);
    m_backward->setChecked(setup.backward);
    m_userScopes->setChecked(setup.userScopes);
    m_children->setChecked(setup.children);
    m_when->setCurrentIndex(static_cast<int>(setup.when));
    m_after->setValue(setup.afterSeconds);
    m_for->setValue(setup.forSeconds);
    const std::array values{setup.skipFirst, setup.wait, setup.warmup, setup.active, setup.repeat};
    for (size_t i = 0; i < values.size(); ++i)
        m_counts[i]->setValue(values[i]);
    m_step->setText(setup.step);
    m_spool->setValue(setup.spoolGib);
    m_operatorsPerSecond = setup.operatorsPerSecond;
    setFault({});
    showWhen();
    showCost();
}

void RecordForm::start()
{
    if (m_program->text().trimmed().isEmpty()) {
        setFault(tr("No program is given: write its path, or a name that is in PATH."));
        m_program->setFocus();
        return;
    }
    Q_EMIT startRequested(setup());
}

void RecordForm::choose()
{
    auto* dialog = new QFileDialog(this, tr("Program to Record"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_program->setText(path);
        m_operatorsPerSecond = 0;
        setFault({});
        showCost();
    });
    dialog->open();
}

void RecordForm::setFault(const QString& text)
{
    m_fault->setText(text);
    m_fault->setVisible(!text.isEmpty());
    if (!text.isEmpty())
        ensureWidgetVisible(m_fault);
}

QString RecordForm::fault() const
{
    return m_fault->text();
}

void RecordForm::showWhen()
{
    const auto when = static_cast<LaunchSetup::When>(m_when->currentIndex());
    m_after->setVisible(when == LaunchSetup::When::After);
    m_schedule->setVisible(when == LaunchSetup::When::Schedule);
}

void RecordForm::showCost()
{
    m_cost->setText(tr("Cost to the program: %1.").arg(costText(setup())));
}

void RecordForm::applyTheme()
{
    const Theme& theme = m_themes->theme();
    for (QLabel* hint : m_hints)
        setColor(hint, theme.text2);
    setColor(m_fault, theme.error);
}

void RecordForm::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_start != nullptr)
        applyTheme();
}

} // namespace torchline
