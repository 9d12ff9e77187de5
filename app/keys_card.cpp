#include "keys_card.h"

#include "key_cap.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <vector>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

struct Entry {
    QStringList keys;
    QString text;
};

struct Section {
    QString title;
    std::vector<Entry> entries;
};

} // namespace

KeysCard::KeysCard(ThemeHost* themes, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    const std::vector<Section> sections{
        {tr("Time"),
            {{{u"W"_s, u"S"_s}, tr("zoom in, out at the pointer (Shift: faster)")},
                {{u"A"_s, u"D"_s, u"Left"_s, u"Right"_s}, tr("pan (Shift: faster)")},
                {{u"Ctrl+wheel"_s}, tr("zoom at the pointer")}, {{u"wheel"_s}, tr("scroll lanes")},
                {{u"drag"_s}, tr("draw a range; it snaps to slices (Alt: not)")},
                {{u"Shift+drag"_s, u"middle drag"_s}, tr("pan")}, {{u"F"_s}, tr("fit the selection; again: fit all")},
                {{u"R"_s}, tr("the selection becomes the range; the range becomes the scope")},
                {{u"M"_s, u"Shift+M"_s}, tr("mark the selection's span; keep the mark with the trace")},
                {{u"N"_s, u"Shift+N"_s}, tr("next, previous step")},
                {{u"Ctrl+Shift+N"_s, u"Shift+click"_s}, tr("the step becomes the scope")},
                {{u"Ctrl+G"_s}, tr("go to a time or a step")},
                {{u"Alt+Left"_s, u"Alt+Right"_s}, tr("back, forward through views")}}},
        {tr("Window"),
            {{{u"Ctrl+O"_s}, tr("open")}, {{u"Ctrl+S"_s}, tr("save lanes, view, marks and scope as a session")},
                {{u"Ctrl+R"_s}, tr("reload the files")}, {{u"Ctrl+E"_s}, tr("export a picture or a table")},
                {{u"Alt+1"_s, u"…"_s, u"Alt+7"_s}, tr("go to operators … details")},
                {{u"Ctrl+C"_s}, tr("copy: rows, a slice, or the picture")}, {{u"Ctrl+W"_s}, tr("close the trace")},
                {{u"Esc"_s}, tr("cancel loading")}, {{u"?"_s}, tr("this card")}}},
        {tr("Slices"),
            {{{u"click"_s}, tr("select")}, {{u"double click"_s}, tr("select and zoom")},
                {{u"."_s, u","_s}, tr("next, previous slice of the lane")},
                {{u"Alt+."_s, u"Alt+,"_s}, tr("next, previous slice of the same name")},
                {{u"["_s, u"]"_s}, tr("follow the arrow back, forth")},
                {{u"Up"_s, u"Down"_s}, tr("parent, child; without a selection: scroll")},
                {{u"/"_s, u"Ctrl+F"_s}, tr("search")},
                {{u"Enter"_s, u"Shift+Enter"_s, u"F3"_s, u"Shift+F3"_s}, tr("next, previous hit")},
                {{u"Esc"_s}, tr("clear selection, then range, search, scope")}}},
        {tr("Minimap"),
            {{{u"drag"_s}, tr("move the handle, or its edges")}, {{u"click"_s}, tr("centre the view there")},
                {{u"wheel"_s}, tr("zoom at the pointer")}, {{u"double click"_s}, tr("fit all")}}},
        {tr("Lanes"),
            {{{u"P"_s}, tr("pin to the top")}, {{u"E"_s, u"Shift+E"_s}, tr("fold or open; its Python frames")},
                {{u"H"_s, u"Shift+H"_s}, tr("hide; show all")},
                {{u"Alt+Up"_s, u"Alt+Down"_s}, tr("go to another lane")},
                {{u"drag"_s, u"Alt+Shift+Up"_s, u"…"_s}, tr("its header: move it")},
                {{u"drag"_s, u"Alt++"_s, u"Alt+-"_s, u"Alt+0"_s}, tr("its lower edge: taller, lower, as usual")},
                {{u"Ctrl+L"_s}, tr("filter by name")}, {{u"right click"_s, u"Menu"_s}, tr("all of it, and its scope")},
                {{u"L"_s}, tr("all arrows in view")}}}};

    const Metrics metrics(font());
    auto* columns = new QHBoxLayout;
    columns->setSpacing(metrics.px(32));
    QVBoxLayout* column = nullptr;
    for (size_t i = 0; i < sections.size(); ++i) {
        if (i == 0 || i == 2) {
            column = new QVBoxLayout;
            column->setSpacing(metrics.px(8));
            columns->addLayout(column);
        } else {
            column->addSpacing(metrics.px(12));
        }
        auto* title = new QLabel(sections[i].title);
        title->setFont(metrics.paneTitle());
        column->addWidget(title);
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(metrics.px(12));
        grid->setVerticalSpacing(metrics.px(4));
        grid->setColumnStretch(1, 1);
        int row = 0;
        for (const Entry& entry : sections[i].entries) {
            auto* caps = new QHBoxLayout;
            caps->setSpacing(4);
            for (const QString& key : entry.keys)
                caps->addWidget(new KeyCap(themes, key));
            caps->addStretch(1);
            grid->addLayout(caps, row, 0);
            grid->addWidget(new QLabel(entry.text), row++, 1);
        }
        column->addLayout(grid);
    }
    for (int i = 0; i < columns->count(); ++i)
        static_cast<QVBoxLayout*>(columns->itemAt(i)->layout())->addStretch(1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics.px(16), metrics.px(16), metrics.px(16), metrics.px(12));
    layout->addLayout(columns);
    layout->addWidget(buttons);
    layout->setSizeConstraint(QLayout::SetFixedSize);
}

} // namespace torchline
