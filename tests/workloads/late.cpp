// late-workload [PLUGIN SIZE COUNTS]: without arguments a program that has nothing to do with LibTorch; with them one
// that loads it late, into its own scope, and runs some operators then.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

int main(int argc, char** argv)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (argc < 4)
        return 0;
    void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500)); // the agent looks twenty times a second
    const auto run = reinterpret_cast<void (*)(int, const char*)>(dlsym(plugin, "run"));
    run(std::atoi(argv[2]), argv[3]);
    return 0;
}
