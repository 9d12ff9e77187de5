// fake-agent WORD...: a program that speaks the protocol by itself, well or badly, for tests of the reading side.
//   say:TEXT   sends TEXT as a packet       expect:WORD  waits for a command that begins with WORD; else exit 9
//   hello:N    sends hello of protocol N    close        closes the socket
//   print:TEXT to standard output           read         a line of standard input, printed with "got "
//   sleep:MS                                hang         until it is killed; tells SIGTERM apart (exit 15)
//   deaf       ignores SIGTERM              exit:N       kill:N  ends by that signal

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

int connected()
{
    const char* path = std::getenv("TORCHLINE_SOCK");
    const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path != nullptr ? path : "", sizeof address.sun_path - 1);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        std::exit(8);
    return socket;
}

void expect(int socket, std::string_view word)
{
    char line[4096];
    for (;;) {
        const ssize_t size = ::recv(socket, line, sizeof line, 0);
        if (size <= 0)
            std::exit(9);
        if (std::string_view(line, static_cast<size_t>(size)).starts_with(word))
            return;
    }
}

} // namespace

int main(int argc, char** argv)
{
    int socket = -1;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const size_t colon = word.find(':');
        const std::string_view verb = word.substr(0, colon);
        const std::string value(colon == std::string_view::npos ? std::string_view() : word.substr(colon + 1));
        const auto send = [&](const std::string& text) {
            if (socket < 0)
                socket = connected();
            static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL));
        };
        if (verb == "say")
            send(value);
        else if (verb == "hello")
            send("{\"type\":\"hello\",\"protocol\":" + value + ",\"agent\":\"9.9\",\"pid\":"
                + std::to_string(::getpid()) + ",\"ppid\":" + std::to_string(::getppid()) + "}");
        else if (verb == "expect")
            expect(socket, value);
        else if (verb == "close")
            ::close(std::exchange(socket, -1));
        else if (verb == "print")
            std::cout << value << std::endl;
        else if (verb == "read") {
            std::string line;
            const bool isThere = static_cast<bool>(std::getline(std::cin, line));
            std::cout << (isThere ? "got " + line : std::string("end of input")) << std::endl;
        } else if (verb == "sleep")
            ::usleep(static_cast<useconds_t>(std::stoi(value)) * 1000);
        else if (verb == "deaf")
            std::signal(SIGTERM, SIG_IGN);
        else if (verb == "hang") {
            if (std::signal(SIGTERM, [](int) { ::_exit(15); }) == SIG_IGN)
                std::signal(SIGTERM, SIG_IGN);
            for (;;)
                ::pause();
        } else if (verb == "exit")
            return std::stoi(value);
        else if (verb == "kill")
            ::raise(std::stoi(value));
    }
    return 0;
}
