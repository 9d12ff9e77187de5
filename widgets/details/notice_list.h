#pragma once
// NoticeList: notices one below the other, each with its shape; scrolls. Thread: GUI thread only.

#include "details/notice_row.h"

#include <QScrollArea>

#include <vector>

namespace torchline {

class NoticeList : public QScrollArea {
    Q_OBJECT

public:
    enum class Shape : uint8_t { Ok, Info, Warning, Error };
    struct Entry {
        Shape shape = Shape::Info;
        QString title;
        QStringList evidence;
        QString count; ///< may be empty
        SliceRef target; ///< a slice it concerns; invalid: none
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    explicit NoticeList(ThemeHost* themes, QWidget* parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }

Q_SIGNALS:
    void targetRequested(torchline::SliceRef target);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void place();
    void applyTheme();

    ThemeHost* m_themes;
    QWidget* m_body;
    std::vector<Entry> m_entries;
    std::vector<NoticeRow*> m_rows;
};

} // namespace torchline
