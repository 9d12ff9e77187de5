#pragma once
// OutputPane: what the recorded program writes, as it comes; what is typed below goes to its standard input.
// Thread: GUI thread only.

#include "record/terminal_text.h"

#include "common/theme_host.h"

#include <QTimer>
#include <QWidget>

class QLineEdit;
class QPlainTextEdit;

namespace torchline {

class OutputPane : public QWidget {
    Q_OBJECT

public:
    explicit OutputPane(ThemeHost* themes, QWidget* parent = nullptr);

    void add(const QByteArray& bytes);
    /// No input is taken any more.
    void setEnded(bool hasEnded);
    void clear();
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void entered(const QString& text); ///< with its line end
    void resized(int columns, int rows);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showChanges();
    void applyTheme();

    ThemeHost* m_themes;
    TerminalText m_text;
    QPlainTextEdit* m_view;
    QLineEdit* m_input;
    QTimer m_show; ///< a program that prints much is shown now and then, not at each line
    qsizetype m_shownFrom = 0; ///< number of the first line in the view
};

} // namespace torchline
