#pragma once
// PaneHead: the row over a table: filter, grouping, columns, what the table speaks of, copy and export.
// Thread: GUI thread only.

#include "common/filter_field.h"
#include "common/pane_button.h"

#include <functional>

class QHBoxLayout;
class QMenu;

namespace torchline {

class ElidedLabel;

class PaneHead : public QWidget {
    Q_OBJECT

public:
    /// One part of a scope, removable.
    struct Chip {
        QString text; ///< "step 12"
        QString tip;
        std::function<void()> remove;
    };

    explicit PaneHead(ThemeHost* themes, QWidget* parent = nullptr);

    [[nodiscard]] FilterField* filterField() { return m_filter; }
    /// The menus are filled by the owner as they open.
    [[nodiscard]] QMenu* groupMenu() { return m_group->menu(); }
    [[nodiscard]] QMenu* columnsMenu() { return m_columns->menu(); }
    void setGroupText(const QString& text); ///< "name + shape"
    void setParts(bool hasFilter, bool hasGroup, bool hasColumns);
    void setChips(std::vector<Chip> chips);
    /// "94 names · scope: whole trace"; the hint is its tool tip.
    /// brief: what stands where the text has no room.
    void setStatus(const QString& text, const QString& hint, const QString& brief = {});
    [[nodiscard]] QString status() const;
    void setCanCopy(bool can);
    void setCanExport(bool can); ///< if not, nothing offers it

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void copyRequested();
    void exportRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showStatus();
    void fit();

    ThemeHost* m_themes;
    FilterField* m_filter;
    PaneButton* m_group;
    PaneButton* m_columns;
    QHBoxLayout* m_chipRow;
    std::vector<PaneButton*> m_chips;
    ElidedLabel* m_status;
    PaneButton* m_copy;
    PaneButton* m_export;
    QString m_statusText;
    QString m_statusBrief;
    QString m_statusHint;
    QString m_groupText;
    bool m_hasGroup = true;
    bool m_hasColumns = true;
    bool m_hasExport = true;
};

} // namespace torchline
