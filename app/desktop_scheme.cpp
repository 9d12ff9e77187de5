#include "desktop_scheme.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr QStringView kService = u"org.freedesktop.portal.Desktop";
constexpr QStringView kPath = u"/org/freedesktop/portal/desktop";
constexpr QStringView kInterface = u"org.freedesktop.portal.Settings";
constexpr QStringView kGroup = u"org.freedesktop.appearance";
constexpr QStringView kKey = u"color-scheme";

} // namespace

std::optional<ColorScheme> colorSchemeOf(const QVariant& portalValue)
{
    QVariant value = portalValue;
    while (value.metaType() == QMetaType::fromType<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    bool isNumber = false;
    const uint number = value.toUInt(&isNumber);
    if (!isNumber)
        return std::nullopt;
    // The portal asks that unknown numbers be read as "no preference".
    return number == 1 ? ColorScheme::PreferDark : number == 2 ? ColorScheme::PreferLight : ColorScheme::NoPreference;
}

QDBusConnection DesktopScheme::sessionBus()
{
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    const bool isThere = qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")
        || (!runtime.isEmpty() && QFileInfo::exists(runtime + u"/bus"_s));
    return isThere ? QDBusConnection::sessionBus() : QDBusConnection(u"no session bus"_s);
}

DesktopScheme::DesktopScheme(QDBusConnection bus, QObject* parent)
    : QObject(parent)
    , m_bus(std::move(bus))
{
    if (!m_bus.isConnected())
        return;
    m_bus.connect(kService.toString(), kPath.toString(), kInterface.toString(), u"SettingChanged"_s, this,
        SLOT(onSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage question
        = QDBusMessage::createMethodCall(kService.toString(), kPath.toString(), kInterface.toString(), u"Read"_s);
    question << kGroup.toString() << kKey.toString();
    m_question = std::make_unique<QDBusPendingCallWatcher>(m_bus.asyncCall(question, kAnswerWithinMs));
    connect(m_question.get(), &QDBusPendingCallWatcher::finished, this, &DesktopScheme::takeAnswer);
}

DesktopScheme::~DesktopScheme() = default;

void DesktopScheme::awaitFirstAnswer()
{
    if (m_question && !m_question->isFinished())
        m_question->waitForFinished();
    takeAnswer();
}

void DesktopScheme::takeAnswer()
{
    if (!m_question || !m_question->isFinished())
        return;
    const QDBusPendingReply<QDBusVariant> reply = *m_question;
    m_question.release()->deleteLater();
    if (reply.isValid())
        take(QVariant::fromValue(reply.value()));
}

void DesktopScheme::onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value)
{
    if (group == kGroup && key == kKey)
        take(QVariant::fromValue(value));
}

void DesktopScheme::take(const QVariant& value)
{
    const auto scheme = colorSchemeOf(value);
    if (!scheme || scheme == m_scheme)
        return;
    m_scheme = scheme;
    Q_EMIT schemeChanged();
}

} // namespace torchline
