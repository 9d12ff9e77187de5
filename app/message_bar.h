#pragma once
// MessageBar: one message over the page, with buttons; never modal, never in the way of what is open.
// Thread: GUI thread only.

#include "common/theme_host.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QHBoxLayout;

namespace torchline {

class PaneButton;

class MessageBar : public QWidget {
    Q_OBJECT

public:
    enum class Kind : uint8_t { Info, Warning, Error };
    struct Action {
        QString label;
        std::function<void()> run; ///< the bar closes before it runs
    };

    explicit MessageBar(ThemeHost* themes, QWidget* parent = nullptr);

    /// Replaces what is shown. News that asks for nothing goes away by itself.
    void tell(Kind kind, const QString& text, const std::vector<Action>& actions = {});
    /// Hides the bar.
    void dismiss();
    [[nodiscard]] QString text() const;
    [[nodiscard]] Kind kind() const { return m_kind; }

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyTheme();

    ThemeHost* m_themes;
    Kind m_kind = Kind::Info;
    QTimer m_stay;
    QLabel* m_icon;
    QLabel* m_text;
    QHBoxLayout* m_actions;
    PaneButton* m_close;
};

} // namespace torchline
