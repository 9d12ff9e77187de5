#pragma once
// RecordForm: the record page before anything runs: which program, what to record, when. Thread: GUI thread only.

#include "record/launch_setup.h"

#include "common/theme_host.h"

#include <QScrollArea>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace torchline {

class Settings;

class RecordForm : public QScrollArea {
    Q_OBJECT

public:
    RecordForm(ThemeHost* themes, Settings& settings, QWidget* parent = nullptr);

    [[nodiscard]] LaunchSetup setup() const;
    void setSetup(const LaunchSetup& setup);
    /// Why it did not start; empty: nothing to say.
    void setFault(const QString& text);
    [[nodiscard]] QString fault() const;
    /// Reads the recent launches again.
    void refresh();

Q_SIGNALS:
    void startRequested(const torchline::LaunchSetup& setup);

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildProgram(QVBoxLayout* column);
    void buildWhat(QVBoxLayout* column);
    void buildWhen(QVBoxLayout* column);
    void buildRecent(QVBoxLayout* column);
    QLabel* addTitle(QVBoxLayout* column, const QString& text);
    void start();
    void choose();
    void showWhen();
    void showCost();
    void applyTheme();

    ThemeHost* m_themes;
    Settings& m_settings;
    qint64 m_operatorsPerSecond = 0; ///< of the launch that is shown
    QLineEdit* m_program;
    QLineEdit* m_arguments;
    QLineEdit* m_folder;
    QLineEdit* m_environment;
    QCheckBox* m_shapes;
    QCheckBox* m_memory;
    QCheckBox* m_stacks;
    QCheckBox* m_userScopes;
    QCheckBox* m_backward;
    QCheckBox* m_children;
    QComboBox* m_when;
    QSpinBox* m_after;
    QSpinBox* m_for;
    QWidget* m_schedule;
    std::array<QSpinBox*, 5> m_counts; ///< skip first, wait, warm-up, active, repeat
    QLineEdit* m_step;
    QDoubleSpinBox* m_spool;
    QLabel* m_cost;
    QLabel* m_fault;
    QPushButton* m_start;
    QVBoxLayout* m_recent;
    QLabel* m_noRecent;
    std::vector<QLabel*> m_hints;
    std::vector<QWidget*> m_recentRows;
};

} // namespace torchline
