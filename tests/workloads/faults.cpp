#include "workloads.h"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

[[noreturn]] void end(const std::string& how)
{
    RECORD_USER_SCOPE("inner");
    someOperators(1);
    if (how == "segv")
        raise(SIGSEGV);
    else if (how == "abort")
        std::abort();
    else if (how == "terminate")
        std::terminate();
    else if (how == "kill")
        kill(getpid(), SIGKILL);
    _exit(3);
}

} // namespace

void crash(const std::string& how)
{
    someOperators(100);
    RECORD_USER_SCOPE("outer");
    end(how);
}

/// Closes all it sees and opens files of its own under the same numbers: nothing may be written into those.
void closeAllDescriptors(int size)
{
    constexpr int kMany = 5000;
    someOperators(size);
    for (int fd = 3; fd < kMany; ++fd)
        close(fd);
    char path[] = "/tmp/torchline-fds-XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    while (dup(file) >= 0) { }
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < until) {
        someOperators(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    struct stat status = {};
    if (fstat(file, &status) != 0 || status.st_size != 0) {
        std::fprintf(stderr, "somebody wrote into a file of the program\n");
        std::exit(1);
    }
    for (int fd = 3; fd < kMany; ++fd)
        close(fd);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    someOperators(size);
}

void changeIdentity(int size)
{
    someOperators(size);
    if (chdir("/") != 0)
        std::exit(1);
    if (getuid() == 0 && setuid(65534) != 0)
        std::exit(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    someOperators(size);
}
