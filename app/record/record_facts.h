#pragma once
// RecordFacts: the left column of a running recording: the program, what is recorded, counters with their rates, the
// spool, what it costs. Thread: GUI thread only.

#include "record/launch_setup.h"

#include "capture/session_status.h"
#include "common/theme_host.h"

#include <QWidget>

namespace torchline {

class RecordFacts : public QWidget {
    Q_OBJECT

public:
    explicit RecordFacts(ThemeHost* themes, QWidget* parent = nullptr);

    struct StepTimes {
        int64_t nowNs = 0; ///< median of the last 50; 0: unknown, as the next
        int64_t beforeNs = 0; ///< mean of those before the recording
        uint64_t before = 0; ///< how many those are
    };
    /// viewerBytes: memory of the trace as shown.
    void show(
        const LaunchSetup& setup, const capture::SessionStatus& status, size_t viewerBytes, const StepTimes& steps);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row {
        QString label;
        QString value;
        QString extra; ///< right of the value
        bool isNumber = false;
        bool isBad = false; ///< with a triangle
    };
    struct Section {
        QString title;
        std::vector<Row> rows;
    };
    void addProgram(const LaunchSetup& setup, const capture::SessionStatus& status);
    void addCounters(const capture::SessionStatus& status, size_t viewerBytes);
    int paintSection(QPainter& painter, const Section& section, int y) const;

    ThemeHost* m_themes;
    std::vector<Section> m_sections;
    double m_spoolShare = 0;
    QString m_spoolText;
};

} // namespace torchline
