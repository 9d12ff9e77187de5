#pragma once
// StateChain: the phases of a recording in a row, with the time spent in each and a mark at where it is.
// Thread: GUI thread only.

#include "capture/session_status.h"
#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class StateChain : public QWidget {
    Q_OBJECT

public:
    explicit StateChain(ThemeHost* themes, QWidget* parent = nullptr);

    void setStatus(const capture::SessionStatus& status);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    enum class Mark : uint8_t { Ahead, Here, Past, Failed };
    struct Link {
        QString name;
        QString detail;
        Mark mark = Mark::Ahead;
    };

    ThemeHost* m_themes;
    std::vector<Link> m_links;
};

} // namespace torchline
