#pragma once
// TextSize: how large the texts of the program are, kept in the settings. Everything that draws goes by the font of the
// application, so all of it follows. Thread: GUI thread only.

#include "settings.h"

#include <QFont>
#include <QObject>

namespace torchline {

class TextSize : public QObject {
    Q_OBJECT

public:
    /// Takes the application's font as the usual one, and gives it back in the end.
    explicit TextSize(Settings& settings, QObject* parent = nullptr);
    ~TextSize() override;

    [[nodiscard]] int percent() const { return m_percent; }
    void change(int steps); ///< larger or smaller by so many steps
    void reset();
    [[nodiscard]] bool canChange(int steps) const;

Q_SIGNALS:
    void changed();

private:
    void set(int percent);
    void apply() const;

    Settings& m_settings;
    QFont m_usual;
    int m_percent = 100;
};

} // namespace torchline
