#pragma once
// FilterField: a condition of the filter language, checked while it is typed. A wrong place is underlined where it is;
// what is wrong stands in fault(). Thread: GUI thread only.

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
    explicit FilterField(ThemeHost* themes, QWidget* parent = nullptr);
    ~FilterField() override;

    /// What is typed, valid or not.
    [[nodiscard]] QString text() const;
    void setText(const QString& text);
    void setPlaceholder(const QString& text);
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

    ThemeHost* m_themes;
    Edit* m_edit;
    PaneButton* m_clear;
    QTimer m_delay;
    QString m_condition;
    std::optional<QueryFault> m_fault;
    bool m_hasRing = false;
};

} // namespace torchline
