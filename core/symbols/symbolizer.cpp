#include "symbols/symbolizer.h"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace torchline {

namespace {

/// dwfl_standard_find_debuginfo would also ask servers.
int findDebugInfo(Dwfl_Module* module, void** user, const char* name, Dwarf_Addr base, const char* path,
    const char* linkName, GElf_Word linkCrc, char** found)
{
    return dwfl_build_id_find_debuginfo(module, user, name, base, path, linkName, linkCrc, found);
}

int findNoElf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**)
{
    return -1;
}

constexpr Dwfl_Callbacks kCallbacks{findNoElf, findDebugInfo, dwfl_offline_section_address, nullptr};

bool isSame(const CodeFile& file)
{
    struct stat now = {};
    return ::stat(file.path.c_str(), &now) == 0 && static_cast<uint64_t>(now.st_size) == file.bytes
        && int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + now.st_mtim.tv_nsec == file.modifiedNs;
}

/// -1: there is none.
int numberOf(Dwarf_Die* die, unsigned attribute)
{
    Dwarf_Attribute holder;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(die, attribute, &holder), &value) != 0 || value > 1u << 30)
        return -1;
    return static_cast<int>(value);
}

std::string functionOf(Dwarf_Die* die)
{
    Dwarf_Attribute holder;
    if (Dwarf_Attribute* linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &holder)) {
        if (const char* const symbol = dwarf_formstring(linkage))
            return demangled(symbol);
    }
    const char* const name = dwarf_diename(die);
    return name ? name : "";
}

/// The source file from which this inlined function is called.
std::string callFileOf(Dwarf_Die* unit, Dwarf_Die* inlined)
{
    Dwarf_Files* files = nullptr;
    size_t count = 0;
    const int number = numberOf(inlined, DW_AT_call_file);
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || number < 0 || static_cast<size_t>(number) >= count)
        return {};
    const char* const path = dwarf_filesrc(files, static_cast<size_t>(number), nullptr, nullptr);
    return path && path[0] != '?' ? path : ""; // number 0 before DWARF 5
}

} // namespace

std::string demangled(const char* symbol)
{
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text : symbol;
    std::free(text); // NOLINT: it was allocated so
    return result;
}

class Symbolizer::Elf {
public:
    static std::unique_ptr<Elf> open(const CodeFile& file)
    {
        if (!isSame(file))
            return nullptr;
        std::unique_ptr<Elf> elf(new Elf);
        return elf->read(file) ? std::move(elf) : nullptr;
    }
    ~Elf()
    {
        if (m_dwfl)
            dwfl_end(m_dwfl);
    }
    Elf(const Elf&) = delete;
    Elf& operator=(const Elf&) = delete;

    [[nodiscard]] std::vector<CodePlace> placesAt(uint64_t fileOffset)
    {
        const auto segment = std::find_if(m_segments.begin(), m_segments.end(),
            [&](const Segment& s) { return fileOffset >= s.offset && fileOffset - s.offset < s.bytes; });
        if (segment == m_segments.end())
            return {};
        const uint64_t address = fileOffset - segment->offset + segment->address;
        CodePlace place;
        place.function = symbolAt(address);
        if (Dwfl_Line* const line = dwfl_module_getsrc(m_module, address)) {
            if (const char* const path = dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr))
                place.file = path;
        }
        std::vector<CodePlace> places;
        addInlined(places, place, address);
        if (!place.function.empty() || !place.file.empty())
            places.push_back(std::move(place));
        return places;
    }

private:
    struct Segment {
        uint64_t offset; ///< in the file
        uint64_t bytes;
        uint64_t address; ///< as libdwfl has it
    };
    struct Symbol {
        uint64_t address;
        uint64_t bytes;
        int index; ///< of libdwfl
    };

    Elf() = default;

    bool read(const CodeFile& file)
    {
        m_dwfl = dwfl_begin(&kCallbacks);
        if (!m_dwfl)
            return false;
        dwfl_report_begin(m_dwfl);
        m_module = dwfl_report_elf(m_dwfl, file.path.c_str(), file.path.c_str(), -1, 0, true);
        dwfl_report_end(m_dwfl, nullptr, nullptr);
        GElf_Addr bias = 0;
        ::Elf* const elf = m_module ? dwfl_module_getelf(m_module, &bias) : nullptr;
        size_t headers = 0;
        if (!elf || elf_getphdrnum(elf, &headers) != 0)
            return false;
        for (size_t i = 0; i < headers; ++i) {
            GElf_Phdr header;
            if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_LOAD)
                m_segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr + bias});
        }
        readSymbols();
        return true;
    }

    void readSymbols()
    {
        const int count = dwfl_module_getsymtab(m_module);
        for (int i = 0; i < count; ++i) {
            GElf_Sym symbol;
            GElf_Addr address = 0;
            if (!dwfl_module_getsym_info(m_module, i, &symbol, &address, nullptr, nullptr, nullptr))
                continue;
            const int type = GELF_ST_TYPE(symbol.st_info);
            if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0)
                m_symbols.push_back({address, symbol.st_size, i});
        }
        std::stable_sort(
            m_symbols.begin(), m_symbols.end(), [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
    }

    [[nodiscard]] std::string symbolAt(uint64_t address) const
    {
        auto behind = std::upper_bound(m_symbols.begin(), m_symbols.end(), address,
            [](uint64_t value, const Symbol& symbol) { return value < symbol.address; });
        if (behind == m_symbols.begin() || address - (behind - 1)->address >= (behind - 1)->bytes)
            return {};
        GElf_Sym symbol;
        GElf_Addr at = 0;
        const char* const name
            = dwfl_module_getsym_info(m_module, (behind - 1)->index, &symbol, &at, nullptr, nullptr, nullptr);
        const std::string_view whole = name ? name : "";
        return demangled(std::string(whole.substr(0, whole.find('@'))).c_str()); // without the version
    }

    /// Innermost first. `place` has the line of the instruction; then that of the outermost call in its function.
    void addInlined(std::vector<CodePlace>& places, CodePlace& place, uint64_t address)
    {
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(m_module, address, &bias);
        if (!unit)
            return;
        Dwarf_Die* scopes = nullptr;
        const int count = dwarf_getscopes(unit, address - bias, &scopes);
        for (int i = 0; i < count; ++i) {
            Dwarf_Die* const scope = scopes + i;
            if (dwarf_tag(scope) == DW_TAG_inlined_subroutine) {
                places.push_back({functionOf(scope), place.file, place.line});
                place.file = callFileOf(unit, scope);
                place.line = std::max(0, numberOf(scope, DW_AT_call_line));
            } else if (dwarf_tag(scope) == DW_TAG_subprogram) {
                if (place.function.empty())
                    place.function = functionOf(scope);
                break;
            }
        }
        std::free(scopes); // NOLINT: it was allocated so
    }

    Dwfl* m_dwfl = nullptr;
    Dwfl_Module* m_module = nullptr;
    std::vector<Segment> m_segments;
    std::vector<Symbol> m_symbols; ///< by address
};

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

std::vector<CodePlace> Symbolizer::placesOf(const CodeFile& file, uint64_t fileOffset)
{
    const auto [entry, isNew] = m_files.try_emplace(file);
    if (isNew)
        entry->second = Elf::open(file);
    return entry->second ? entry->second->placesAt(fileOffset) : std::vector<CodePlace>();
}

} // namespace torchline
