#pragma once
// FilterField: a condition of the filter language, checked while it is typed: to filter a table, or to search. A wrong
// place is underlined where it is; what is wrong stands in fault(). Thread: GUI thread only.

#include "common/keyboard_focus.h"
#include "common/theme_host.h"
#include "query/query.h"

#include <QLineEdit>
#include <QTimer>

#include <optional>

namespace torchline {

class PaneButton;

class FilterField : public QWidget {
    Q_OBJECT

public:
    enum class Purpose : uint8_t { Filter, Search };

    explicit FilterField(ThemeHost* themes, QWidget* parent = nullptr, Purpose purpose = Purpose::Filter);
    ~FilterField() override;

    /// What is typed, valid or not.
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    void setPlaceholder(const QString& text);
    /// Stands at the right of the text: "3 of 864", a key.
    void setNote(const QString& note);
    [[nodiscard]] const QString& note() const { return m_note; }
    void selectAll();
    /// The last valid condition.
    [[nodiscard]] const QString& condition() const { return m_condition; }
    /// What is wrong with the text; none when it is the condition.
    [[nodiscard]] const std::optional<QueryFault>& fault() const { return m_fault; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A quarter of a second after the last key, at once on Enter.
    void conditionChanged(const QString& condition);
    void faultChanged();
    /// Down: the focus wants to go to what is filtered.
    void leftDownwards();
    /// A search: Enter (Shift+Enter: not forward) when the condition stands already; Esc.
    void walked(bool forward);
    void left();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Edit;

    void check();
    void apply();
    void applyTheme();
    void applyFont();
    bool keyPressed(const QKeyEvent& event);

    ThemeHost* m_themes;
    Purpose m_purpose;
    Edit* m_edit;
    KeyboardFocus m_focus;
    QString m_note;
    PaneButton* m_clear;
    QTimer m_delay;
    QString m_condition;
    std::optional<QueryFault> m_fault;
};

} // namespace torchline
