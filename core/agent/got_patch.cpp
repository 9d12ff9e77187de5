#include "agent/got_patch.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace torchline::agent {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
#error "Relocations of this processor are not known"
#endif

struct Search {
    const char* const* prefixes;
    Redirection* list;
    size_t count;
    int found;
};

struct Relocations {
    const ElfW(Rela) * begin = nullptr;
    size_t bytes = 0;
};

struct Library {
    uintptr_t base = 0;
    uintptr_t readOnlyBegin = 0; // pages that the loader made read-only after relocation
    uintptr_t readOnlyEnd = 0;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    Relocations calls;
    Relocations others;
};

bool isWanted(const char* path, const char* const* prefixes)
{
    const char* const slash = std::strrchr(path, '/');
    const char* const file = slash ? slash + 1 : path;
    for (; *prefixes; ++prefixes) {
        if (std::strncmp(file, *prefixes, std::strlen(*prefixes)) == 0)
            return true;
    }
    return false;
}

void readDynamic(const ElfW(Dyn) * entry, Library& out)
{
    for (; entry->d_tag != DT_NULL; ++entry) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            out.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            out.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            out.calls.begin = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            out.calls.bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            out.others.begin = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            out.others.bytes = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

Library describe(const dl_phdr_info& info)
{
    Library out;
    out.base = info.dlpi_addr;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info.dlpi_phdr[i];
        const uintptr_t at = info.dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_DYNAMIC)
            dynamic = reinterpret_cast<const ElfW(Dyn)*>(at);
        if (segment.p_type == PT_GNU_RELRO) {
            out.readOnlyBegin = at / page * page;
            out.readOnlyEnd = (at + segment.p_memsz) / page * page;
        }
    }
    if (dynamic)
        readDynamic(dynamic, out);
    return out;
}

/// False: the kernel did not let us.
bool write(const Library& library, void** slot, void* value)
{
    const auto at = reinterpret_cast<uintptr_t>(slot);
    const bool readOnly = at >= library.readOnlyBegin && at < library.readOnlyEnd;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* const begin = reinterpret_cast<void*>(at / page * page);
    if (readOnly && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (readOnly)
        mprotect(begin, page, PROT_READ);
    return true;
}

void patch(const Library& library, const Relocations& relocations, Search& search)
{
    if (!relocations.begin || !library.symbols || !library.names)
        return;
    const ElfW(Rela)* const end = relocations.begin + relocations.bytes / sizeof(ElfW(Rela));
    for (const ElfW(Rela)* it = relocations.begin; it != end; ++it) {
        const auto type = static_cast<uint32_t>(ELF64_R_TYPE(it->r_info));
        if (type != kJumpSlot && type != kGlobalData)
            continue;
        const char* const name = library.names + library.symbols[ELF64_R_SYM(it->r_info)].st_name;
        for (size_t i = 0; i < search.count; ++i) {
            Redirection& wanted = search.list[i];
            if (std::strcmp(name, wanted.symbol) != 0)
                continue;
            void** const slot = reinterpret_cast<void**>(library.base + it->r_offset);
            if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) == wanted.replacement
                || write(library, slot, wanted.replacement)) {
                ++wanted.found;
                ++search.found;
            }
        }
    }
}

int visit(dl_phdr_info* info, size_t, void* data)
{
    Search& search = *static_cast<Search*>(data);
    if (!isWanted(info->dlpi_name, search.prefixes))
        return 0;
    const Library library = describe(*info);
    patch(library, library.calls, search);
    patch(library, library.others, search);
    return 0;
}

} // namespace

int redirect(const char* const* prefixes, Redirection* list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        list[i].found = 0;
    Search search = {prefixes, list, count, 0};
    dl_iterate_phdr(visit, &search);
    return search.found;
}

} // namespace torchline::agent
