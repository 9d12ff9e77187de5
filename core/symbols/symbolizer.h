#pragma once
// Symbolizer: names for addresses of machine code: function, source file and line, from the ELF files and their DWARF,
// also where that lies in a file of its own (/usr/lib/debug, by build id). Files only: nothing is fetched.
// Thread: one at a time; blocks on the disk. Cost: the first address of a file reads its symbols (0.2 s for
// LibTorch's), the first of a source file its line table; later ones a search.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace torchline {

/// A file with code, as it was when it was loaded.
struct CodeFile {
    std::string path;
    uint64_t bytes = 0;
    int64_t modifiedNs = 0; ///< Unix time

    friend auto operator<=>(const CodeFile&, const CodeFile&) = default;
};

struct CodePlace {
    std::string function; ///< demangled
    std::string file; ///< of the source; empty: not known
    int line = 0;

    friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

class Symbolizer {
public:
    Symbolizer();
    ~Symbolizer();

    /// What the instruction at this place of the file belongs to: functions inlined there, innermost first, then the
    /// one that they were inlined into. Empty: nothing is known of it, or the file is not the one that was loaded.
    [[nodiscard]] std::vector<CodePlace> placesOf(const CodeFile& file, uint64_t fileOffset);

private:
    class Elf;
    std::map<CodeFile, std::unique_ptr<Elf>> m_files; ///< null: cannot be read
};

/// A C++ symbol as written in source; others as they are.
[[nodiscard]] std::string demangled(const char* symbol);

} // namespace torchline
