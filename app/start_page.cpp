#include "start_page.h"

#include "key_cap.h"
#include "recent_row.h"
#include "shown_keys.h"
#include "start_action.h"
#include "window_actions.h"

#include "common/control_paint.h"
#include "common/elided_label.h"
#include "common/font_follow.h"
#include "common/format.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <array>

#include <sys/stat.h>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kColumnWidth = 1120;
constexpr int kActionsWidth = 346;

/// Four bars of a trace: the mark of the product.
class ProductMark : public QWidget {
public:
    explicit ProductMark(ThemeHost* themes)
        : m_themes(themes)
    {
        const Metrics metrics(font());
        setFixedSize(metrics.px(56), metrics.px(40));
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        struct Bar {
            double left, right;
            WorkClass cls;
        };
        constexpr std::array<Bar, 4> kBars{{{0, 56, WorkClass::Step}, {8, 48, WorkClass::Matrix},
            {8, 33, WorkClass::Reduction}, {17, 33, WorkClass::Elementwise}}};
        QPainter painter(this);
        const double u = width() / 56.0;
        for (size_t i = 0; i < kBars.size(); ++i)
            painter.fillRect(
                QRectF(kBars[i].left * u, static_cast<double>(i) * 10 * u, (kBars[i].right - kBars[i].left) * u, 8 * u)
                    .toAlignedRect(),
                m_themes->theme().of(kBars[i].cls).fill);
    }

private:
    ThemeHost* m_themes;
};

/// Says where files can be dropped; the whole window takes them.
class DropHint : public QWidget {
public:
    explicit DropHint(ThemeHost* themes)
        : m_themes(themes)
    {
        setFixedHeight(Metrics(font()).px(66));
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const Theme& theme = m_themes->theme();
        const Metrics metrics(font());
        painter.setRenderHint(QPainter::Antialiasing);
        QPen dashes(theme.border, 1.5);
        dashes.setDashPattern({5, 3});
        painter.setPen(dashes);
        painter.drawRoundedRect(QRectF(rect()).adjusted(kRingRoom + 1, 1, -kRingRoom - 1, -1), 3, 3);
        painter.setPen(theme.text2);
        const int middle = height() / 2;
        painter.drawText(QRect(0, middle - metrics.px(21), width(), metrics.px(20)), Qt::AlignCenter,
            tr("or drop files anywhere in this window"));
        painter.setFont(metrics.lanes());
        painter.setPen(theme.text3);
        painter.drawText(QRect(0, middle + metrics.px(1), width(), metrics.px(20)), Qt::AlignCenter,
            u".json  .json.gz  .json.zst  .zip"_s);
    }

private:
    ThemeHost* m_themes;
};

/// A thin line across.
class Line : public QWidget {
public:
    explicit Line(ThemeHost* themes)
        : m_themes(themes)
    {
        setFixedHeight(1);
    }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), m_themes->theme().separator); }

private:
    ThemeHost* m_themes;
};

bool isMissing(const RecentFile& entry)
{
    return std::ranges::any_of(entry.paths, [](const std::string& path) {
        struct stat info { };
        return ::stat(path.c_str(), &info) != 0;
    });
}

QLabel* plainLabel(const QString& text)
{
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

void setColor(QWidget* widget, const QColor& color)
{
    QPalette palette;
    // On a page of the Base role a label draws its text in Text.
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text})
        palette.setColor(role, color);
    widget->setPalette(palette);
}

QString sampleDetail(const QString& path)
{
    return StartPage::tr("a generated training run, %1").arg(formatBytes(QFileInfo(path).size()));
}

} // namespace

QString samplePath()
{
    const QString folder = QCoreApplication::applicationDirPath();
    for (const QString& place : {u"/../share/torchline/samples"_s, u"/../../../resources/samples"_s}) {
        const QFileInfo file(folder + place + u"/sample-train.json.gz"_s);
        if (file.isFile())
            return file.canonicalFilePath();
    }
    return {};
}

StartPage::StartPage(ThemeHost* themes, RecentFiles* recent, const WindowActions& window, QWidget* parent)
    : QScrollArea(parent)
    , m_themes(themes)
    , m_recent(recent)
    , m_existence(this)
    , m_column(new QWidget)
    , m_recentLayout(new QVBoxLayout)
    , m_product(plainLabel(u"Torchline"_s))
    , m_tagline(plainLabel(tr("See where the time of a PyTorch program goes.")))
    , m_startTitle(plainLabel(tr("Start")))
    , m_recentTitle(plainLabel(tr("Recent")))
    , m_stripHint(plainLabel({}))
    , m_clear(new LinkLabel(themes))
    , m_keys(new QWidget)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Start page"));
    const Metrics metrics(font());

    followFont(this, [this](const Metrics& now) {
        m_product->setFont(now.productName());
        m_startTitle->setFont(now.scaled(1.0, QFont::DemiBold));
        m_recentTitle->setFont(now.scaled(1.0, QFont::DemiBold));
        m_stripHint->setFont(now.lanes());
        m_clear->setFont(now.tables());
        for (QWidget* title :
            {static_cast<QWidget*>(m_startTitle), static_cast<QWidget*>(m_recentTitle), static_cast<QWidget*>(m_clear)})
            title->setFixedHeight(now.px(24));
    });
    m_stripHint->setWordWrap(true);
    m_clear->setText(tr("Clear list"));
    connect(m_clear, &LinkLabel::activated, m_recent, &RecentFiles::clear);

    auto* names = new QVBoxLayout;
    names->setSpacing(metrics.px(2));
    names->addWidget(m_product);
    names->addWidget(m_tagline);
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics.px(24));
    head->addWidget(new ProductMark(themes));
    head->addLayout(names);
    head->addStretch(1);

    auto* actions = new QVBoxLayout;
    actions->setSpacing(metrics.px(4));
    actions->addWidget(m_startTitle);
    actions->addSpacing(metrics.px(8));
    const auto add = [&](QAction* action, const QString& icon, const QString& title, const QString& detail) {
        auto* button = new StartAction(themes, icon, title, detail);
        followKeys(button, {action}, [button](const QString& key) { button->setKey(key); });
        connect(button, &QAbstractButton::clicked, action, &QAction::trigger);
        m_actions.push_back(button);
    };
    add(window.open, u"folder"_s, tr("Open a trace…"), tr("Kineto or Chrome JSON, plain or compressed"));
    add(window.record, u"record"_s, tr("Record a program…"), tr("starts it and watches it live"));
    if (const QString sample = samplePath(); !sample.isEmpty())
        add(window.openSample, u"sample"_s, tr("Open the sample"), sampleDetail(sample));
    for (StartAction* action : m_actions)
        actions->addWidget(action);
    actions->addSpacing(metrics.px(8));
    actions->addWidget(new DropHint(themes));
    actions->addStretch(1);
    auto* actionsColumn = new QWidget;
    actionsColumn->setLayout(actions);
    actionsColumn->setMaximumWidth(metrics.px(kActionsWidth));
    actions->setContentsMargins(0, 0, 0, 0);

    auto* recentHead = new QHBoxLayout;
    recentHead->addWidget(m_recentTitle);
    recentHead->addStretch(1);
    recentHead->addWidget(m_clear);
    auto* recentColumn = new QVBoxLayout;
    recentColumn->setSpacing(0);
    recentColumn->addLayout(recentHead);
    recentColumn->addSpacing(metrics.px(8));
    m_recentLayout->setSpacing(0);
    recentColumn->addLayout(m_recentLayout);
    recentColumn->addSpacing(metrics.px(12));
    recentColumn->addWidget(m_stripHint);
    recentColumn->addStretch(1);

    auto* columns = new QHBoxLayout;
    columns->setSpacing(metrics.px(40));
    columns->addWidget(actionsColumn, 1);
    columns->addLayout(recentColumn, 2);

    buildKeys(window);

    auto* column = new QVBoxLayout(m_column);
    column->setContentsMargins(metrics.px(16), metrics.px(72), metrics.px(16), metrics.px(24));
    column->addLayout(head);
    column->addSpacing(metrics.px(32));
    column->addLayout(columns);
    column->addStretch(1);
    column->addWidget(new Line(themes));
    column->addWidget(m_keys);

    auto* page = new QWidget;
    auto* centring = new QHBoxLayout(page);
    centring->setContentsMargins(0, 0, 0, 0);
    centring->addWidget(m_column);
    setWidget(page);
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);

    connect(m_recent, &RecentFiles::changed, this, &StartPage::rebuildRecent);
    connect(themes, &ThemeHost::themeChanged, this, &StartPage::applyTheme);
    rebuildRecent();
    applyTheme();
    setFocusProxy(m_actions.front());
}

StartPage::~StartPage() = default;

void StartPage::buildKeys(const WindowActions& window)
{
    const Metrics metrics(font());
    auto* keys = new QHBoxLayout(m_keys);
    keys->setContentsMargins(0, metrics.px(12), 0, 0);
    keys->setSpacing(metrics.px(8));
    const auto add = [&](const std::vector<const QAction*>& actions, const QString& text) {
        auto* cap = new KeyCap(m_themes, {});
        QLabel* label = plainLabel(text);
        keys->addWidget(cap);
        keys->addWidget(label);
        followFont(label, [label](const Metrics& now) { label->setFont(now.tables()); });
        followKeys(cap, actions, [cap, label](const QString& key) {
            cap->setKey(key);
            cap->setVisible(!key.isEmpty());
            label->setVisible(!key.isEmpty());
        });
        keys->addSpacing(metrics.px(16));
    };
    using C = ViewCommand;
    add({window.keys}, tr("all keys"));
    add({window.of(C::ZoomIn), window.of(C::PanLeft), window.of(C::ZoomOut), window.of(C::PanRight)},
        tr("zoom and pan"));
    add({window.of(C::Fit)}, tr("fit"));
    add({window.of(C::FollowBack), window.of(C::FollowForth)}, tr("follow an arrow"));
    keys->addStretch(1);
}

void StartPage::rebuildRecent()
{
    for (RecentRow* row : m_rows)
        row->deleteLater();
    m_rows.clear();
    while (QLayoutItem* item = m_recentLayout->takeAt(0))
        delete item;
    bool hasStrip = false;
    for (const RecentFile& entry : m_recent->entries()) {
        auto* row = new RecentRow(m_themes, entry);
        connect(row, &QAbstractButton::clicked, this, [this, row] {
            if (!row->isMissing())
                Q_EMIT recentRequested(row->file().paths);
        });
        connect(row, &RecentRow::removeRequested, this, [this, row] { m_recent->remove(row->file().paths); });
        connect(row, &RecentRow::locateRequested, this, [this, row] { Q_EMIT locateRequested(row->file().paths); });
        m_recentLayout->addWidget(row);
        m_rows.push_back(row);
        hasStrip = hasStrip || !entry.density.isEmpty();
    }
    const bool isEmpty = m_rows.empty();
    m_clear->setVisible(!isEmpty);
    m_stripHint->setVisible(isEmpty || hasStrip);
    m_stripHint->setText(isEmpty
            ? tr("Traces that were open show here, with their place, size, length and shape.")
            : tr("The strip is the GPU density of the trace as last seen; without a GPU, that of its threads."));
    checkExistence();
}

void StartPage::checkExistence()
{
    if (!isVisible())
        return;
    m_existence.start(
        [entries = m_recent->entries()](const std::stop_token&) {
            std::vector<bool> missing;
            for (const RecentFile& entry : entries)
                missing.push_back(isMissing(entry));
            return missing;
        },
        [this](const std::vector<bool>& missing) {
            for (size_t i = 0; i < std::min(missing.size(), m_rows.size()); ++i)
                m_rows[i]->setMissing(missing[i]);
        });
}

void StartPage::applyTheme()
{
    const Theme& theme = m_themes->theme();
    for (QLabel* label : {m_tagline, m_stripHint})
        setColor(label, theme.text2);
    for (QLabel* label : m_keys->findChildren<QLabel*>())
        setColor(label, theme.text2);
    update();
}

void StartPage::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    // A new application palette resets what labels had.
    if (event->type() == QEvent::PaletteChange && m_keys != nullptr)
        applyTheme();
}

void StartPage::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    checkExistence();
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    fitColumn();
}

void StartPage::fitColumn()
{
    const Metrics metrics(font());
    m_column->setFixedWidth(std::min(viewport()->width(), metrics.px(kColumnWidth) + 2 * metrics.px(16)));
}

} // namespace torchline
