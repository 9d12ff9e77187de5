#include "agent/torch_binding.h"

#include "agent/fork_guard.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace torchline::agent {
namespace {

constinit void* g_library = nullptr;

int takePath(dl_phdr_info* info, size_t, void* out)
{
    const char* const file = std::strrchr(info->dlpi_name, '/');
    if (std::strncmp(file ? file + 1 : info->dlpi_name, "libtorch_cpu.so", 15) != 0)
        return 0;
    std::snprintf(static_cast<char*>(out), sizeof(TorchBinding::path), "%s", info->dlpi_name);
    return 1;
}

/// Of LibTorch; false: it is not loaded.
bool findLibrary(char* path)
{
    const NoForkNow guard;
    return dl_iterate_phdr(takePath, path) != 0;
}

template <typename F> bool find(F& out, const char* name)
{
    out = reinterpret_cast<F>(torchSymbol(name));
    return out != nullptr;
}

/// The program's own copy comes first: data that it refers to may have been moved into it.
const void* undefinedTensor()
{
    constexpr char kName[] = "_ZN3c1019UndefinedTensorImpl10_singletonE";
    const void* const symbol = dlsym(RTLD_DEFAULT, kName);
    return symbol ? symbol : torchSymbol(kName);
}

} // namespace

void* torchSymbol(const char* name)
{
    // the handle first: it also finds what its dependencies have
    void* const symbol = g_library ? dlsym(g_library, name) : nullptr;
    return symbol ? symbol : dlsym(RTLD_DEFAULT, name);
}

BindResult bindTorch(TorchBinding& out)
{
    TorchBinding bound;
    if (!findLibrary(bound.path))
        return BindResult::NoTorch;
    g_library = dlopen(bound.path, RTLD_LAZY | RTLD_NOLOAD); // waits for a load that is under way
    if (!g_library)
        return BindResult::SymbolsMissing;
    if (!find(bound.removeCallback, "_ZN2at14removeCallbackEm") || !find(bound.name, "_ZNK2at14RecordFunction4nameEv")
        || !find(bound.addGlobalCallback, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"))
        return BindResult::SymbolsMissing;
    find(bound.currentThreadId, "_ZN2at14RecordFunction15currentThreadIdEv");
    find(bound.construct, "_ZN2at14RecordFunctionC1ENS_11RecordScopeE");
    find(bound.destroy, "_ZN2at14RecordFunctionD1Ev");
    find(bound.beforeText, "_ZN2at14RecordFunction6beforeEPKcl");
    find(bound.beforeDescriptor,
        "_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_viewIcSt11char_traitsIcEE"
        "St17reference_wrapperIKN3c1014FunctionSchemaEEEEl");
    find(bound.tensorFromBlob, "aoti_torch_create_tensor_from_blob");
    find(bound.deleteTensor, "aoti_torch_delete_tensor_object");
    find(bound.emptyCpu,
        "_ZN2at6detail9empty_cpuEN3c108ArrayRefIlEENS1_10ScalarTypeEbNS1_8optionalINS1_12MemoryFormatEEE");
    bound.undefinedTensor = undefinedTensor();
    out = bound;
    return BindResult::Bound;
}

uint64_t librariesLoaded()
{
    unsigned long long loaded = 0;
    const NoForkNow guard;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* count) {
            *static_cast<unsigned long long*>(count) = info->dlpi_adds;
            return 1;
        },
        &loaded);
    return loaded;
}

} // namespace torchline::agent
