#pragma once
// DetailsPane: all that is known of the selected slice; without one the sums of the slices that a table has marked, or
// else of those that start in the drawn range.
// Thread: GUI thread only. Facts and arguments come from a worker; name, place and duration are there at once.

#include "common/background_job.h"
#include "common/empty_pane.h"
#include "common/growth_pace.h"
#include "common/pane_button.h"
#include "common/view_state.h"
#include "details/details_parts.h"
#include "details/duration_histogram.h"
#include "details/slice_args.h"
#include "details/text_grid.h"

#include <QTimer>

class QScrollArea;

namespace torchline {

class FocusLine;

class DetailsPane : public QWidget {
    Q_OBJECT

public:
    DetailsPane(ViewState* state, ThemeHost* themes, QWidget* parent = nullptr);
    ~DetailsPane() override;

    /// What the pane shows now, as it shows it; for those who read it aloud and for tests.
    [[nodiscard]] const std::optional<SliceFacts>& facts() const { return m_facts; }
    [[nodiscard]] const std::optional<SliceArgs>& args() const { return m_args; }
    [[nodiscard]] const std::optional<MarkFacts>& marked() const { return m_marked; }
    /// Of all slices that have the selection's name.
    [[nodiscard]] const std::optional<NameFigures>& ofName() const { return m_ofName; }
    [[nodiscard]] bool isBusy() const
    {
        return m_rangeRest.isActive() || m_factsJob.isRunning() || m_argsJob.isRunning() || m_nameJob.isRunning()
            || m_binJob.isRunning();
    }
    /// The same whatever the pane shows, so that docks keep their share.
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    /// What keys mean, to be shown beside links; the map outlives the pane.
    void setKeys(const KeyMap* keys);

    void copy(); ///< name and times to the clipboard

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Section {
        SectionTitle* title = nullptr;
        TextGrid* text = nullptr; ///< null: links
        QWidget* foot = nullptr; ///< below the text
        PaneButton* copy = nullptr; ///< beside the title
        std::vector<LinkRow*> rows;
        int column = 0; ///< 0 left, 1 right, 2 across
        bool isShown = false;
    };

    void showSelection();
    void showMarks();
    void showRange();
    void showNothing();
    void takeTrace();
    void refresh();
    [[nodiscard]] bool waits();
    void readArgs(SliceRef slice);
    void readName(SliceRef slice);
    void showName();
    void markBin(size_t bin);
    [[nodiscard]] QString conditionOf(size_t bin) const;
    void dropBin();
    void showHead(const QString& name, const QColor& swatch, const QString& place);
    void showFacts();
    void showArgs();
    void showMarked();
    void setLinks(std::vector<DetailLink> links);
    void follow(const DetailLink& link);
    void setText(Section& section, const QString& title, bool isShown);
    void place();
    [[nodiscard]] int placeSection(Section& section, int x, int y, int width);
    void applyTheme();

    ViewState* m_state;
    ThemeHost* m_themes;
    FocusLine* m_focusLine;
    EmptyPane* m_empty;
    QScrollArea* m_scroll;
    const KeyMap* m_keys = &KeyMap::usual();
    QWidget* m_body;
    NameTitle* m_name;
    ElidedLabel* m_place;
    PaneButton* m_copy;
    Section m_time, m_links, m_sameName, m_inputs, m_stack, m_argsList;
    DurationHistogram* m_histogram;
    QStringList m_stackLines;
    GrowthPace m_pace;
    BackgroundJob m_factsJob;
    BackgroundJob m_argsJob;
    BackgroundJob m_nameJob;
    BackgroundJob m_binJob;
    TracePtr m_factsTrace; ///< what m_facts is about: the trace, or an earlier picture of it
    std::optional<NameFigures> m_ofName;
    TracePtr m_ofNameTrace; ///< what m_ofName is about
    MaskPtr m_binMarks; ///< the slices of the chosen bin, as this pane has marked them
    std::optional<SliceFacts> m_facts;
    std::optional<SliceArgs> m_args;
    std::optional<MarkFacts> m_marked;
    std::optional<TimeRange> m_markedRange; ///< what m_marked sums up; none: marks
    QTimer m_rangeRest; ///< runs out when the range is no longer being drawn
    WorkClass m_swatchClass = WorkClass::Op;
    bool m_hasSwatch = false;
};

} // namespace torchline
