#include "keys_card.h"

#include "key_cap.h"
#include "window_actions.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <array>
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

/// The keys of several actions: the first of each, then the second ones.
QStringList keysOf(std::initializer_list<const QAction*> actions)
{
    QStringList texts;
    for (qsizetype nth = 0; nth < 2; ++nth) {
        for (const QAction* action : actions) {
            const QList<QKeySequence> keys = action->shortcuts();
            if (nth < keys.size())
                texts.append(keys[nth].toString(QKeySequence::NativeText));
        }
    }
    return texts;
}

std::vector<Section> sectionsFor(const WindowActions& a)
{
    const auto tr = [](const char* text) { return KeysCard::tr(text); };
    const auto view = [&a](ViewCommand command) { return a.of(command); };
    const auto views = [&](ViewCommand one, ViewCommand other) { return keysOf({view(one), view(other)}); };
    using C = ViewCommand;
    const QString shiftClick = u"Shift+click"_s;
    QStringList panes{keysOf({a.panes.front()}) + QStringList{u"…"_s} + keysOf({a.panes.back()})};
    return {
        {tr("Time"),
            {{views(C::ZoomIn, C::ZoomOut), tr("zoom in, out at the pointer (Shift: faster)")},
                {views(C::PanLeft, C::PanRight), tr("pan (Shift: faster)")},
                {{u"Ctrl+wheel"_s}, tr("zoom at the pointer")}, {{u"wheel"_s}, tr("scroll lanes")},
                {{u"drag"_s}, tr("draw a range; it snaps to slices (Alt: not)")},
                {{tr("drag an edge")}, tr("of the range, at the ruler: move it; over lanes it snaps")},
                {{u"Shift+drag"_s, u"middle drag"_s}, tr("pan")},
                {keysOf({view(C::Fit)}), tr("fit the selection; again: fit all")},
                {keysOf({view(C::RangeOrScope)}), tr("the selection becomes the range; the range becomes the scope")},
                {views(C::Mark, C::MarkAndKeep), tr("mark the selection's span; keep the mark with the trace")},
                {keysOf({a.nextStep, a.previousStep}), tr("next, previous step")},
                {keysOf({a.stepAsScope}) + QStringList{shiftClick}, tr("the step becomes the scope")},
                {keysOf({a.goTo}), tr("go to a time or a step")},
                {keysOf({a.back, a.forward}), tr("back, forward through views")}}},
        {tr("Slices"),
            {{{u"click"_s}, tr("select")}, {{u"double click"_s}, tr("select and zoom")},
                {views(C::NextOfLane, C::PreviousOfLane), tr("next, previous slice of the lane")},
                {views(C::NextOfName, C::PreviousOfName), tr("next, previous slice of the same name")},
                {views(C::FollowBack, C::FollowForth), tr("follow the arrow back, forth")},
                {views(C::Parent, C::Child), tr("parent, child; without a selection: scroll")},
                {keysOf({view(C::AnnotationAsScope)}),
                    tr("the annotation around it becomes the scope, all of its name")},
                {keysOf({a.find}), tr("search")},
                {QStringList{u"Enter"_s, u"Shift+Enter"_s} + keysOf({a.nextHit, a.previousHit}),
                    tr("next, previous hit")},
                {{u"Esc"_s}, tr("clear selection, then range, search, scope")}}},
        {tr("Minimap"),
            {{{u"drag"_s}, tr("move the handle, or its edges")}, {{u"click"_s}, tr("centre the view there")},
                {{u"wheel"_s}, tr("zoom at the pointer")}, {{u"double click"_s}, tr("fit all")}}},
        {tr("Lanes"),
            {{keysOf({view(C::PinLane)}), tr("pin to the top")},
                {views(C::FoldLane, C::FoldFrames), tr("fold or open; its Python frames")},
                {views(C::HideLane, C::ShowAllLanes), tr("hide; show all")},
                {views(C::PreviousLane, C::NextLane), tr("go to another lane")},
                {QStringList{u"drag"_s} + views(C::MoveLaneUp, C::MoveLaneDown), tr("its header: move it")},
                {QStringList{u"drag"_s} + keysOf({view(C::TallerLane)}).mid(0, 1)
                        + views(C::LowerLane, C::UsualLaneHeight),
                    tr("its lower edge: taller, lower, as usual")},
                {keysOf({view(C::FilterLanes)}), tr("filter by name")},
                {keysOf({view(C::LaneAsScope)}), tr("its slices become the scope")},
                {{u"right click"_s, u"Menu"_s}, tr("all of it")},
                {keysOf({view(C::AllArrows)}), tr("all arrows in view")}}},
        {tr("Window"),
            {{keysOf({a.palette}), tr("all commands, found by a few letters")}, {keysOf({a.open}), tr("open")},
                {keysOf({a.save}), tr("save a recording; of a file lanes, view, marks and scope as a session")},
                {keysOf({a.saveSessionAs}), tr("save the session under another name")},
                {keysOf({a.reload}), tr("reload the files")},
                {keysOf({a.exportView}), tr("export a picture or a table")}, {panes, tr("go to operators … details")},
                {{QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText)},
                    tr("copy: rows, a slice, or the picture")},
                {keysOf({a.copyPicture}), tr("copy the picture")},
                {keysOf({a.record, a.stopRecording}), tr("record a program; stop recording")},
                {keysOf({a.liveView, a.follow}), tr("live view of it; follow the newest")},
                {keysOf({a.close, a.quit}), tr("close the trace; quit")},
                {keysOf({a.textLarger}).mid(0, 1) + keysOf({a.textSmaller, a.textUsual}), tr("text size")},
                {{u"Esc"_s}, tr("cancel loading")}, {keysOf({a.keys}), tr("this card")}}}};
}

} // namespace

KeysCard::KeysCard(ThemeHost* themes, const WindowActions& actions, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    const std::vector<Section> sections = sectionsFor(actions);

    const Metrics metrics(font());
    auto* page = new QWidget;
    auto* columns = new QHBoxLayout(page);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(metrics.px(32));
    std::array<QVBoxLayout*, 2> sides{new QVBoxLayout, new QVBoxLayout};
    for (QVBoxLayout* side : sides) {
        side->setSpacing(metrics.px(8));
        columns->addLayout(side);
    }
    for (size_t i = 0; i < sections.size(); ++i) {
        QVBoxLayout* column = sides[i % sides.size()];
        if (i >= sides.size())
            column->addSpacing(metrics.px(12));
        auto* title = new QLabel(sections[i].title);
        title->setFont(metrics.paneTitle());
        column->addWidget(title);
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(metrics.px(12));
        grid->setVerticalSpacing(metrics.px(4));
        grid->setColumnStretch(1, 1);
        int row = 0;
        for (const Entry& entry : sections[i].entries) {
            if (entry.keys.isEmpty())
                continue;
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
    for (QVBoxLayout* side : sides)
        side->addStretch(1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* change = buttons->addButton(tr("Change Keys…"), QDialogButtonBox::ActionRole);
    change->setAutoDefault(false);
    connect(change, &QAbstractButton::clicked, this, [this] {
        Q_EMIT changeRequested();
        reject();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics.px(16), metrics.px(16), metrics.px(16), metrics.px(12));
    // Large texts on a small screen: the keys scroll, the buttons stay.
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("All keys"));
    scroll->setWidget(page);
    layout->addWidget(scroll, 1);
    layout->addWidget(buttons);
    const QMargins margins = layout->contentsMargins();
    const QSize around(margins.left() + margins.right(),
        margins.top() + margins.bottom() + layout->spacing() + buttons->sizeHint().height());
    const QSize wanted = page->sizeHint() + around;
    const QSize room = screen()->availableSize() * 9 / 10;
    const int bar = wanted.height() > room.height() ? scroll->verticalScrollBar()->sizeHint().width() : 0;
    resize((wanted + QSize(bar, 0)).boundedTo(room));
}

} // namespace torchline
