#pragma once
// Between a session and the supervisor of its program (app/supervise): packets on a SEQPACKET socket, one byte of kind,
// then the rest. The supervisor holds the program's terminal: it takes what the program writes also when nobody asks
// for it any more, so that the program's output does not die with the window. Thread: values.

#include "capture/launcher.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace torchline::capture {

constexpr int kSupervisorSocket = 3; ///< its descriptor of the socket

enum class SupervisorPacket : char {
    // to the supervisor
    Launch = 'L', ///< texts: see launchPacket()
    Input = 'I', ///< bytes for the program's terminal
    Signal = 'S', ///< int32_t
    Size = 'R', ///< int32_t columns, int32_t rows
    // from it
    Started = 'P', ///< int32_t process number
    Refused = 'E', ///< why it was not started
    Output = 'O', ///< bytes
    Ended = 'X', ///< int32_t as waitpid has it
};
constexpr size_t kMostSupervisorBytes = size_t{64} << 10; ///< of a packet; a launch may be longer
constexpr size_t kMostLaunchBytes = size_t{192} << 10; ///< below what a socket takes by default

struct SupervisedLaunch {
    LaunchRequest request;
    std::string path;
    AgentWiring wiring;
};
[[nodiscard]] std::string launchPacket(const SupervisedLaunch& launch);
/// Of a packet without its kind.
[[nodiscard]] std::optional<SupervisedLaunch> readLaunch(std::string_view texts);

[[nodiscard]] std::string numbersPacket(SupervisorPacket kind, int32_t first);
[[nodiscard]] std::string numbersPacket(SupervisorPacket kind, int32_t first, int32_t second);
/// The nth number behind the kind; 0 if there is none.
[[nodiscard]] int32_t numberOf(std::string_view packet, size_t n);

} // namespace torchline::capture
