#include "application.h"

#include "app_style.h"

#include "base/text.h"
#include "export/info_report.h"

#include <QApplication>
#include <QIcon>

#include <iostream>

namespace torchline {

using namespace Qt::StringLiterals;

void dressApplication(ThemeHost* themes)
{
    QApplication::setApplicationName(u"torchline"_s);
    QApplication::setApplicationDisplayName(u"Torchline"_s);
    QApplication::setApplicationVersion(QString::fromLatin1(TORCHLINE_VERSION));
    QApplication::setDesktopFileName(u"org.torchline.Torchline"_s);
    QApplication::setWindowIcon(QIcon(u":/icons/torchline.svg"_s));
    QApplication::setStyle(new AppStyle(themes));
    QApplication::setPalette(themes->theme().palette());
    QObject::connect(
        themes, &ThemeHost::themeChanged, qApp, [themes] { QApplication::setPalette(themes->theme().palette()); });
}

int report(const Error& error)
{
    std::cerr << "torchline: " + error.message() + '\n';
    return error.code() == ErrorCode::Usage ? kWrongUsage : kFailed;
}

void reportNotices(const TraceSnapshot& trace)
{
    const std::vector<InfoNotice> notices = allNotices(trace);
    if (notices.empty())
        return;
    const std::string count = std::to_string(notices.size()) + (notices.size() == 1 ? " notice" : " notices");
    std::cerr << "torchline: " + escapeControls(notices.front().file) + ": " + count
            + " (see torchline-cli info): " + escapeControls(notices.front().notice.text) + '\n';
}

} // namespace torchline
