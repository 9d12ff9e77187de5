#pragma once
// DesktopScheme: light or dark as the desktop asks for it, by the settings portal (org.freedesktop.appearance
// color-scheme), followed live. Thread: GUI thread only. Nothing blocks but awaitFirstAnswer(), which is bounded.

#include <QDBusConnection>
#include <QObject>
#include <QVariant>

#include <memory>
#include <optional>

class QDBusPendingCallWatcher;
class QDBusVariant;

namespace torchline {

enum class ColorScheme : uint8_t { NoPreference, PreferDark, PreferLight };

/// The portal's number, in however many variants it comes wrapped; none if it is no known value.
[[nodiscard]] std::optional<ColorScheme> colorSchemeOf(const QVariant& portalValue);

class DesktopScheme : public QObject {
    Q_OBJECT

public:
    static constexpr int kAnswerWithinMs = 300;

    /// The session bus, or an unconnected one where there is none: asking for it must not start a bus.
    [[nodiscard]] static QDBusConnection sessionBus();
    /// Asks the portal at once; the answer arrives through the event loop.
    explicit DesktopScheme(QDBusConnection bus = sessionBus(), QObject* parent = nullptr);
    ~DesktopScheme() override;

    /// None: no portal has answered (yet).
    [[nodiscard]] std::optional<ColorScheme> scheme() const { return m_scheme; }
    /// Before the first paint: returns when the answer is there, and at the latest kAnswerWithinMs after the question.
    void awaitFirstAnswer();

Q_SIGNALS:
    void schemeChanged();

private Q_SLOTS:
    void onSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void take(const QVariant& value);
    void takeAnswer();

    QDBusConnection m_bus;
    std::unique_ptr<QDBusPendingCallWatcher> m_question;
    std::optional<ColorScheme> m_scheme;
};

} // namespace torchline
