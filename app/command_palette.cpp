#include "command_palette.h"

#include "common/control_paint.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWidth = 560;
constexpr int kRow = 28;
constexpr int kMostRows = 14;
constexpr int kPadding = 8;
constexpr int kGap = 12;
enum Role : int { kMenu = Qt::UserRole, kKeys, kIsEnabled };

/// Title, menu in grey, keys in frames at the right.
class ActionDelegate : public QStyledItemDelegate {
public:
    ActionDelegate(ThemeHost* themes, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_themes(themes)
    {
    }

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {0, Metrics(option.font).px(kRow)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = m_themes->theme();
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        const bool isEnabled = index.data(kIsEnabled).toBool();
        const QColor back = isChosen                                      ? theme.selectedRow
            : option.state.testFlag(QStyle::State_MouseOver) && isEnabled ? theme.hoverRow
                                                                          : theme.panel;
        painter->fillRect(option.rect, back);
        const QRect room = option.rect.adjusted(kPadding, 0, -kPadding, 0);
        const QFont small = Metrics(option.font).lanes();
        const QFontMetrics smallMetrics(small);
        painter->setFont(small);
        int right = room.right() + 1;
        const QStringList keys = index.data(kKeys).toStringList();
        for (qsizetype i = keys.size() - 1; i >= 0; --i) {
            const int width = smallMetrics.horizontalAdvance(keys[i]) + 12;
            const int height = smallMetrics.height() + 4;
            const QRect cap(right - width, room.center().y() - height / 2, width, height);
            drawControlFrame(painter, cap, theme.panel, theme.border);
            painter->setPen(isEnabled ? theme.text : theme.text2);
            painter->drawText(cap, Qt::AlignCenter | Qt::TextSingleLine, keys[i]);
            right = cap.left() - 4;
        }
        const QString menu = isEnabled ? index.data(kMenu).toString()
                                       : CommandPalette::tr("%1 · not now").arg(index.data(kMenu).toString());
        const QFontMetrics metrics(option.font);
        const QString title = index.data(Qt::DisplayRole).toString();
        // Advances are rounded: a text that just fits is not cut.
        const int titleWidth = std::min(metrics.horizontalAdvance(title) + 4, std::max(right - kGap - room.left(), 0));
        painter->setFont(option.font);
        painter->setPen(isEnabled ? theme.text : theme.text2);
        painter->drawText(QRect(room.left(), room.top(), titleWidth, room.height()),
            Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
            metrics.elidedText(title, Qt::ElideRight, titleWidth));
        const int menuLeft = room.left() + titleWidth + kGap;
        const int menuWidth = right - kGap - menuLeft;
        if (menuWidth <= 0)
            return;
        painter->setFont(small);
        painter->setPen(theme.text2);
        painter->drawText(QRect(menuLeft, room.top(), menuWidth, room.height()),
            Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
            smallMetrics.elidedText(menu, Qt::ElideRight, menuWidth));
    }

private:
    ThemeHost* m_themes;
};

/// Letters in this order with others between them, each run of them worth more the longer it is.
int scatteredScore(const QString& title, QStringView word)
{
    qsizetype at = 0;
    int score = 1;
    bool isRun = false;
    for (const QChar letter : word) {
        const qsizetype found = title.indexOf(letter, at, Qt::CaseInsensitive);
        if (found < 0)
            return 0;
        const bool isWordStart = found == 0 || !title[found - 1].isLetterOrNumber();
        score += (isRun && found == at ? 3 : 0) + (isWordStart ? 4 : 0);
        isRun = true;
        at = found + 1;
    }
    return score;
}

bool holdsAll(const QString& title, const QString& typed)
{
    const QStringList words = typed.simplified().split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(words, [&](const QString& word) { return title.contains(word, Qt::CaseInsensitive); });
}

int wordScore(const QString& title, QStringView word)
{
    const qsizetype at = title.indexOf(word, 0, Qt::CaseInsensitive);
    if (at == 0)
        return 100;
    if (at > 0)
        return title[at - 1].isLetterOrNumber() ? 60 : 80;
    return std::min(scatteredScore(title, word), 50);
}

} // namespace

int matchScore(const QString& title, const QString& typed)
{
    int score = 1;
    for (const QString& word : typed.simplified().split(u' ', Qt::SkipEmptyParts)) {
        const int each = wordScore(title, word);
        if (each == 0)
            return 0;
        score += each;
    }
    return score;
}

CommandPalette::CommandPalette(ThemeHost* themes, std::vector<MenuAction> actions, QWidget* window)
    : QWidget(window)
    , m_themes(themes)
    , m_actions(std::move(actions))
    , m_field(new QLineEdit)
    , m_list(new QListView)
    , m_model(new QStandardItemModel(this))
    , m_focusBefore(QApplication::focusWidget())
{
    setAttribute(Qt::WA_DeleteOnClose);
    setAccessibleName(tr("Command palette"));
    m_field->setPlaceholderText(tr("What to do"));
    m_field->setAccessibleName(tr("What to do"));
    m_field->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new ActionDelegate(themes, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setMouseTracking(true);
    m_list->setAccessibleName(tr("Commands"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kPadding, kPadding, kPadding, kPadding);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::list);
    connect(m_list, &QListView::clicked, this, &CommandPalette::run);
    connect(themes, &ThemeHost::themeChanged, this, qOverload<>(&QWidget::update));
    window->installEventFilter(this);
    list({});
    place();
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::list(const QString& typed)
{
    struct Found {
        size_t index = 0;
        int score = 0;
        bool isWhole = false;
    };
    std::vector<Found> found;
    for (size_t i = 0; i < m_actions.size(); ++i) {
        const QString withMenu = m_actions[i].menu + u' ' + m_actions[i].title;
        const int score = std::max(2 * matchScore(m_actions[i].title, typed), matchScore(withMenu, typed));
        if (score > 0)
            found.push_back({i, score + (m_actions[i].action->isEnabled() ? 1 : 0), holdsAll(withMenu, typed)});
    }
    // Letters strewn over a title are meant only where nothing has them together.
    if (std::ranges::any_of(found, &Found::isWhole))
        std::erase_if(found, [](const Found& each) { return !each.isWhole; });
    if (!typed.trimmed().isEmpty())
        std::ranges::stable_sort(found, std::greater(), &Found::score);
    m_model->clear();
    m_shown.clear();
    for (const Found& each : found) {
        const MenuAction& entry = m_actions[each.index];
        QStringList keys;
        for (const QKeySequence& key : entry.action->shortcuts())
            keys.append(key.toString(QKeySequence::NativeText));
        if (!entry.fixedKey.isEmpty())
            keys.append(entry.fixedKey);
        const bool isChecked = entry.action->isCheckable() && entry.action->isChecked();
        auto* item = new QStandardItem(isChecked ? tr("%1 (now)").arg(entry.title) : entry.title);
        item->setData(entry.menu, kMenu);
        item->setData(keys, kKeys);
        item->setData(entry.action->isEnabled(), kIsEnabled);
        m_model->appendRow(item);
        m_shown.push_back(each.index);
    }
    m_list->setVisible(m_model->rowCount() > 0);
    m_list->setCurrentIndex(m_model->index(0, 0));
    m_list->verticalScrollBar()->setValue(0);
    place();
}

void CommandPalette::place()
{
    const Metrics metrics(font());
    const QWidget* window = parentWidget();
    const int width = std::min(metrics.px(kWidth), window->width() - 2 * kPadding);
    const int rows = std::clamp(m_model->rowCount(), 1, kMostRows);
    const int wanted = m_field->sizeHint().height() + rows * metrics.px(kRow) + 3 * kPadding + 4;
    const int top = std::min(metrics.px(72), window->height() / 8);
    setGeometry((window->width() - width) / 2, top, width, std::min(wanted, window->height() - top - kPadding));
}

QStringList CommandPalette::titles() const
{
    QStringList titles;
    for (const size_t index : m_shown)
        titles.append(m_actions[index].title);
    return titles;
}

QAction* CommandPalette::chosen() const
{
    const QModelIndex current = m_list->currentIndex();
    return current.isValid() ? m_actions[m_shown[static_cast<size_t>(current.row())]].action : nullptr;
}

void CommandPalette::closeEvent(QCloseEvent* event)
{
    if (m_focusBefore && m_field->hasFocus())
        m_focusBefore->setFocus(Qt::OtherFocusReason);
    QWidget::closeEvent(event);
}

void CommandPalette::run()
{
    QAction* action = chosen();
    if (action == nullptr || !action->isEnabled())
        return;
    close();
    // Once the focus is where it was before: what an action does may depend on it.
    QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize)
            place();
        return false;
    }
    if (event->type() == QEvent::FocusOut) {
        const auto reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason != Qt::PopupFocusReason && reason != Qt::ActiveWindowFocusReason)
            close();
        return false;
    }
    // Keys of the window mean nothing while a command is chosen.
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (event->type() != QEvent::KeyPress)
        return false;
    const int key = static_cast<QKeyEvent*>(event)->key();
    switch (key) {
    case Qt::Key_Escape:
        close();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        run();
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown: {
        const int page = key == Qt::Key_PageUp || key == Qt::Key_PageDown ? kMostRows : 1;
        const int by = key == Qt::Key_Up || key == Qt::Key_PageUp ? -page : page;
        const int row = std::clamp(m_list->currentIndex().row() + by, 0, std::max(m_model->rowCount() - 1, 0));
        m_list->setCurrentIndex(m_model->index(row, 0));
        return true;
    }
    default:
        return false;
    }
}

void CommandPalette::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = m_themes->theme();
    drawControlFrame(&painter, rect(), theme.panel, theme.border);
    if (m_model->rowCount() > 0)
        return;
    painter.setPen(theme.text2);
    painter.drawText(rect().adjusted(0, m_field->geometry().bottom(), 0, 0), Qt::AlignCenter | Qt::TextSingleLine,
        tr("No command has these letters"));
}

} // namespace torchline
