#include "common/font_follow.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QWidget>

#include <utility>
#include <vector>

namespace torchline {

namespace {

/// Only windows are told of another font, and a widget that has set its own size hears nothing from them: one object
/// listens for all.
class FontNotice : public QObject {
public:
    static FontNotice& instance()
    {
        static QPointer<FontNotice> notice;
        if (!notice)
            notice = new FontNotice(qApp);
        return *notice;
    }

    void add(QWidget* widget, std::function<void(const Metrics&)> apply)
    {
        m_followers.emplace_back(widget, std::move(apply));
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::ApplicationFontChange || watched != qApp)
            return false;
        std::erase_if(m_followers, [](const Follower& each) { return each.first.isNull(); });
        const Metrics metrics(QApplication::font());
        for (const Follower& each : m_followers)
            each.second(metrics);
        return false;
    }

private:
    using Follower = std::pair<QPointer<QWidget>, std::function<void(const Metrics&)>>;

    explicit FontNotice(QObject* parent)
        : QObject(parent)
    {
        qApp->installEventFilter(this);
    }

    std::vector<Follower> m_followers;
};

} // namespace

void followFont(QWidget* widget, std::function<void(const Metrics&)> apply)
{
    apply(Metrics(QApplication::font()));
    FontNotice::instance().add(widget, std::move(apply));
}

} // namespace torchline
