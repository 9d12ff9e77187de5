#include "keys_dialog.h"

#include "key_bindings.h"
#include "key_field.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

enum Column : uint8_t { kAction, kMenu, kKeys, kColumns };
constexpr int kBinding = Qt::UserRole;

} // namespace

KeysDialog::KeysDialog(ThemeHost* themes, KeyBindings* bindings, QWidget* parent)
    : QDialog(parent)
    , m_themes(themes)
    , m_bindings(bindings)
    , m_filter(new QLineEdit)
    , m_list(new QTreeWidget)
    , m_field(new KeyField)
    , m_message(new QLabel)
    , m_take(new QPushButton(tr("&Take It")))
    , m_remove(new QPushButton(tr("Re&move Key")))
    , m_reset(new QPushButton(tr("&Reset")))
    , m_resetAll(new QPushButton(tr("Reset &All")))
{
    setWindowTitle(tr("Change Keys"));
    const Metrics metrics(font());
    m_filter->setPlaceholderText(tr("Find an action or a key"));
    m_filter->setAccessibleName(tr("Find an action or a key"));
    m_filter->setClearButtonEnabled(true);
    m_list->setColumnCount(kColumns);
    m_list->setHeaderLabels({tr("Action"), tr("Menu"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setAccessibleName(tr("Actions and their keys"));
    m_list->setMinimumSize(metrics.px(240), metrics.px(80));
    m_list->header()->setStretchLastSection(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(QFontMetrics(font()).height() * 2);
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    auto* change = new QHBoxLayout;
    change->setSpacing(metrics.px(8));
    change->addWidget(m_field, 1);
    for (QPushButton* button : {m_take, m_remove, m_reset, m_resetAll}) {
        button->setAutoDefault(false);
        change->addWidget(button);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics.px(16), metrics.px(16), metrics.px(16), metrics.px(12));
    layout->setSpacing(metrics.px(8));
    layout->addWidget(m_filter);
    layout->addWidget(m_list, 1);
    layout->addLayout(change);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    resize(QSize(metrics.px(560), metrics.px(460)).boundedTo(screen()->availableSize() * 9 / 10));

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_filter, &QLineEdit::textChanged, this, &KeysDialog::filter);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysDialog::showChosen);
    connect(m_list, &QTreeWidget::itemActivated, this, [this] { m_field->setFocus(Qt::OtherFocusReason); });
    connect(m_field, &KeyField::pressed, this, &KeysDialog::propose);
    connect(m_field, &KeyField::left, this, [this] { m_list->setFocus(Qt::OtherFocusReason); });
    connect(m_take, &QAbstractButton::clicked, this, &KeysDialog::take);
    connect(m_remove, &QAbstractButton::clicked, this, &KeysDialog::remove);
    connect(m_reset, &QAbstractButton::clicked, this, [this] {
        if (const auto binding = chosen())
            m_bindings->reset(*binding);
    });
    connect(m_resetAll, &QAbstractButton::clicked, m_bindings, &KeyBindings::resetAll);
    connect(m_bindings, &KeyBindings::changed, this, &KeysDialog::showBindings);

    for (size_t i = 0; i < m_bindings->bindings().size(); ++i) {
        const MenuAction& entry = m_bindings->bindings()[i].entry;
        auto* item = new QTreeWidgetItem(m_list, {entry.title, entry.menu});
        item->setSizeHint(kAction, QSize(0, metrics.px(22)));
        item->setData(kAction, kBinding, QVariant::fromValue(static_cast<qulonglong>(i)));
    }
    showBindings();
    for (int column = 0; column < kKeys; ++column) {
        m_list->resizeColumnToContents(column);
        m_list->setColumnWidth(column, m_list->columnWidth(column) + metrics.px(12));
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
    m_list->setFocus();
}

std::optional<size_t> KeysDialog::chosen() const
{
    const QTreeWidgetItem* item = m_list->currentItem();
    return item == nullptr || item->isHidden() ? std::nullopt
                                               : std::optional<size_t>(item->data(kAction, kBinding).toULongLong());
}

void KeysDialog::showBindings()
{
    bool isAnyChanged = false;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = m_list->topLevelItem(row);
        const auto binding = static_cast<size_t>(item->data(kAction, kBinding).toULongLong());
        const bool isUsual = m_bindings->isUsual(binding);
        isAnyChanged = isAnyChanged || !isUsual;
        item->setText(kKeys, isUsual ? m_bindings->text(binding) : tr("%1 (changed)").arg(m_bindings->text(binding)));
        QFont font = m_list->font();
        font.setWeight(isUsual ? QFont::Normal : QFont::DemiBold);
        item->setFont(kKeys, font);
    }
    m_resetAll->setEnabled(isAnyChanged);
    showChosen();
}

void KeysDialog::showChosen()
{
    const auto binding = chosen();
    m_proposed = {};
    m_take->setEnabled(false);
    m_field->clear();
    m_field->setEnabled(binding.has_value());
    m_remove->setEnabled(binding && !m_bindings->keys(*binding).isEmpty());
    m_reset->setEnabled(binding && !m_bindings->isUsual(*binding));
    say(binding
            ? tr("Choose the field and press the new key of “%1”.").arg(m_bindings->bindings()[*binding].entry.title)
            : QString(),
        false);
}

void KeysDialog::filter(const QString& text)
{
    QTreeWidgetItem* first = nullptr;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = m_list->topLevelItem(row);
        bool shows = text.isEmpty();
        for (int column = 0; column < kColumns; ++column)
            shows = shows || item->text(column).contains(text, Qt::CaseInsensitive);
        item->setHidden(!shows);
        if (shows && first == nullptr)
            first = item;
    }
    if (m_list->currentItem() == nullptr || m_list->currentItem()->isHidden())
        m_list->setCurrentItem(first);
    showChosen();
}

void KeysDialog::propose(const QKeySequence& key)
{
    const auto binding = chosen();
    if (!binding)
        return;
    m_proposed = {};
    m_take->setEnabled(false);
    m_field->setText(key.toString(QKeySequence::NativeText));
    if (const QString problem = KeyBindings::problemWith(key); !problem.isEmpty()) {
        say(problem + u'.', true);
        return;
    }
    if (const auto holder = m_bindings->holderOf(key, *binding)) {
        m_proposed = key;
        m_take->setEnabled(true);
        say(tr("%1 is the key of “%2”. Take It gives it to “%3” instead.")
                .arg(key.toString(QKeySequence::NativeText), m_bindings->bindings()[*holder].entry.title,
                    m_bindings->bindings()[*binding].entry.title),
            true);
        return;
    }
    m_bindings->setKeys(*binding, {key});
    m_field->setText(key.toString(QKeySequence::NativeText));
}

void KeysDialog::take()
{
    const auto binding = chosen();
    if (!binding || m_proposed.isEmpty())
        return;
    m_bindings->takeKey(*binding, QKeySequence(m_proposed));
    m_list->setFocus(Qt::OtherFocusReason);
}

void KeysDialog::remove()
{
    if (const auto binding = chosen())
        m_bindings->setKeys(*binding, {});
}

void KeysDialog::say(const QString& text, bool isProblem)
{
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, isProblem ? m_themes->theme().warn : m_themes->theme().text2);
    m_message->setPalette(colors);
    m_message->setText(text);
}

QString KeysDialog::message() const
{
    return m_message->text();
}

} // namespace torchline
