#include "capture/supervisor_wire.h"

#include <charconv>
#include <cstring>

namespace torchline::capture {

namespace {

void add(std::string& packet, std::string_view text)
{
    packet += text;
    packet += '\0';
}

/// Takes texts that end in NUL from the front.
class Texts {
public:
    explicit Texts(std::string_view rest)
        : m_rest(rest)
    {
    }

    std::string next()
    {
        const size_t end = m_rest.find('\0');
        m_isWhole = m_isWhole && end != std::string_view::npos;
        if (!m_isWhole)
            return {};
        std::string text(m_rest.substr(0, end));
        m_rest.remove_prefix(end + 1);
        return text;
    }
    size_t count()
    {
        const std::string text = next();
        size_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        m_isWhole = m_isWhole && error == std::errc() && value <= m_rest.size();
        return m_isWhole ? value : 0;
    }
    [[nodiscard]] bool isWhole() const { return m_isWhole && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_isWhole = true;
};

} // namespace

std::string launchPacket(const SupervisedLaunch& launch)
{
    std::string packet(1, static_cast<char>(SupervisorPacket::Launch));
    for (const std::string* text : {&launch.path, &launch.request.program, &launch.request.folder, &launch.wiring.agent,
             &launch.wiring.socket, &launch.wiring.config})
        add(packet, *text);
    add(packet, std::to_string(launch.request.arguments.size()));
    for (const std::string& argument : launch.request.arguments)
        add(packet, argument);
    add(packet, std::to_string(launch.request.environment.size()));
    for (const auto& [name, value] : launch.request.environment) {
        add(packet, name);
        add(packet, value);
    }
    return packet;
}

std::optional<SupervisedLaunch> readLaunch(std::string_view texts)
{
    Texts from(texts);
    SupervisedLaunch launch;
    for (std::string* text : {&launch.path, &launch.request.program, &launch.request.folder, &launch.wiring.agent,
             &launch.wiring.socket, &launch.wiring.config})
        *text = from.next();
    for (size_t left = from.count(); left > 0; --left)
        launch.request.arguments.push_back(from.next());
    for (size_t left = from.count(); left > 0; --left) {
        std::string name = from.next();
        launch.request.environment.emplace_back(std::move(name), from.next());
    }
    if (!from.isWhole())
        return std::nullopt;
    return launch;
}

std::string numbersPacket(SupervisorPacket kind, int32_t first)
{
    std::string packet(1 + sizeof first, static_cast<char>(kind));
    std::memcpy(packet.data() + 1, &first, sizeof first);
    return packet;
}

std::string numbersPacket(SupervisorPacket kind, int32_t first, int32_t second)
{
    std::string packet = numbersPacket(kind, first);
    packet.append(reinterpret_cast<const char*>(&second), sizeof second);
    return packet;
}

int32_t numberOf(std::string_view packet, size_t n)
{
    int32_t number = 0;
    if (packet.size() >= 1 + (n + 1) * sizeof number)
        std::memcpy(&number, packet.data() + 1 + n * sizeof number, sizeof number);
    return number;
}

} // namespace torchline::capture
