#pragma once
// ExportDialog: writes a view as PNG, SVG or PDF, or a table as CSV, TSV, JSON or Markdown. What goes wrong is told in
// the dialog, which stays open; nothing half written is left. Thread: GUI thread only; tables are written on a worker.

#include "common/background_job.h"
#include "common/theme_host.h"
#include "export/table.h"

#include "picture.h"

#include <QDialog>

#include <functional>
#include <optional>
#include <variant>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace torchline {

struct PictureSubject {
    QSize size; ///< as it is shown now, logical pixels
    DrawPicture draw;
};
struct TableSubject {
    std::function<std::optional<Table>()> table; ///< as it is shown now; none while it is computed
};
struct ExportSubject {
    QString title; ///< "Operators"
    QString fileStem; ///< "run-operators"
    std::variant<PictureSubject, TableSubject> content;

    [[nodiscard]] bool isPicture() const { return std::holds_alternative<PictureSubject>(content); }
};

class ExportDialog : public QDialog {
    Q_OBJECT

public:
    /// folder: where the file goes unless another is chosen.
    ExportDialog(ThemeHost* themes, std::vector<ExportSubject> subjects, size_t chosen, const QString& folder,
        QWidget* parent = nullptr);

    [[nodiscard]] QString message() const;

Q_SIGNALS:
    void exported(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void chooseSubject();
    void chooseFormat();
    void browse();
    void run();
    void writeTableNow(Table table, const std::string& path);
    void finish(const Status& status);
    void tell(const QString& text);
    [[nodiscard]] const ExportSubject& subject() const;
    [[nodiscard]] QString suffix() const;

    ThemeHost* m_themes;
    std::vector<ExportSubject> m_subjects;
    QString m_folder;
    BackgroundJob m_job;
    QComboBox* m_what;
    QComboBox* m_format;
    QWidget* m_pictureRow;
    QSpinBox* m_width;
    QSpinBox* m_height;
    QDoubleSpinBox* m_scale;
    double m_lastScale = 1;
    QLineEdit* m_path;
    QLabel* m_message;
    QPushButton* m_export;
    QString m_stemShown; ///< the path that was filled in, so that one typed by hand is kept
    QString m_confirmed; ///< the existing file that may be replaced
};

} // namespace torchline
