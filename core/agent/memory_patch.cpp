#include "agent/memory_patch.h"

#include "agent/agent.h"
#include "agent/callbacks.h"
#include "agent/fork_guard.h"
#include "agent/got_patch.h"

#include <cstddef>
#include <cstdint>

namespace torchline::agent {
namespace {

constexpr const char* kLibraries[] = {"libc10", "libtorch", nullptr};
constexpr char kNew[] = "_ZN3c1025ProfiledCPUMemoryReporter3NewEPvm";
constexpr char kDelete[] = "_ZN3c1025ProfiledCPUMemoryReporter6DeleteEPv";
constexpr char kReportSigned[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE";
constexpr char kReportUnsigned[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";
constexpr Device kCpu = {0, -1};

struct Originals {
    void (*allocated)(void* self, void* address, size_t bytes);
    void (*freed)(void* self, void* address);
    void (*reported)(void* address, int64_t bytes, uint64_t allocated, uint64_t reserved, uint16_t device);
};
constinit Originals g_original = {};

bool isWanted()
{
    return g_agent.wantMemory.load(std::memory_order_relaxed);
}

void allocated(void* self, void* address, size_t bytes)
{
    if (isWanted() && address && bytes != 0)
        memoryChanges(address, static_cast<int64_t>(bytes), 0, 0, kCpu);
    g_original.allocated(self, address, bytes);
}

void freed(void* self, void* address)
{
    if (isWanted() && address)
        memoryChanges(address, 0, 0, 0, kCpu);
    g_original.freed(self, address);
}

/// For every block of a device; of the CPU only while LibTorch's own profiler runs, and those were seen already.
void reported(void* address, int64_t bytes, uint64_t total, uint64_t reserved, uint16_t device)
{
    const auto type = static_cast<int8_t>(device & 0xFF); // c10::Device: type, then index
    const auto index = static_cast<int8_t>(device >> 8);
    if (isWanted() && type != kCpu.type)
        memoryChanges(address, bytes, total, reserved, {type, index});
    g_original.reported(address, bytes, total, reserved, device);
}

template <typename F> bool take(F& original, const char* symbol)
{
    if (!original)
        original = reinterpret_cast<F>(torchSymbol(symbol));
    return original != nullptr;
}

} // namespace

int patchMemoryReports()
{
    Redirection list[3];
    size_t count = 0;
    if (take(g_original.allocated, kNew) && take(g_original.freed, kDelete)) {
        list[count++] = {kNew, reinterpret_cast<void*>(allocated)};
        list[count++] = {kDelete, reinterpret_cast<void*>(freed)};
    }
    const char* const report = torchSymbol(kReportUnsigned) ? kReportUnsigned : kReportSigned;
    if (take(g_original.reported, report))
        list[count++] = {report, reinterpret_cast<void*>(reported)};
    const NoForkNow guard;
    return redirect(kLibraries, list, count);
}

} // namespace torchline::agent
