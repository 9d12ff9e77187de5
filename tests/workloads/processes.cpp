#include "workloads.h"

#include <ATen/record_function.h>
#include <torch/torch.h>

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void waitForAll()
{
    int status = 0;
    while (wait(&status) > 0) {
        if (status != 0) {
            std::fprintf(stderr, "a child ended with status %d\n", status);
            std::exit(1);
        }
    }
}

} // namespace

/// `size` children run 50 turns each and leave by _exit; the parent goes on.
void forkChildren(int size)
{
    someOperators(10);
    for (int i = 0; i < size; ++i) {
        RECORD_USER_SCOPE("forks");
        if (fork() == 0) {
            someOperators(50);
            _exit(0);
        }
        someOperators(1);
    }
    waitForAll();
    someOperators(10);
}

void executeItself(int size, const std::string& program)
{
    someOperators(10);
    execl(program.c_str(), program.c_str(), "some", std::to_string(size).c_str(), nullptr);
    _exit(1);
}

void forkAndExecute(int size, const std::string& program)
{
    someOperators(10);
    if (fork() == 0)
        executeItself(size, program);
    waitForAll();
    someOperators(10);
}
