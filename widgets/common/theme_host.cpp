#include "common/theme_host.h"

namespace torchline {

ThemeHost::ThemeHost(ThemeMode mode, QObject* parent)
    : QObject(parent)
    , m_mode(mode)
{
}

void ThemeHost::setMode(ThemeMode mode)
{
    if (mode == m_mode)
        return;
    m_mode = mode;
    Q_EMIT themeChanged();
}

} // namespace torchline
