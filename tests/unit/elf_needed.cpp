#include "elf_needed.h"

#include <QFile>

#include <cstring>
#include <elf.h>
#include <optional>
#include <vector>

namespace {

template <typename T> std::optional<T> readAt(const QByteArray& bytes, uint64_t offset)
{
    if (offset + sizeof(T) > static_cast<uint64_t>(bytes.size()))
        return std::nullopt;
    T value;
    std::memcpy(&value, bytes.constData() + offset, sizeof(T));
    return value;
}

} // namespace

QByteArrayList neededLibraries(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    const auto header = readAt<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return {};
    std::vector<Elf64_Phdr> segments;
    for (uint64_t i = 0; i < header->e_phnum; ++i) {
        if (const auto segment = readAt<Elf64_Phdr>(bytes, header->e_phoff + i * header->e_phentsize))
            segments.push_back(*segment);
    }
    const auto fileOffset = [&](uint64_t address) -> uint64_t {
        for (const Elf64_Phdr& segment : segments) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address < segment.p_vaddr + segment.p_filesz)
                return address - segment.p_vaddr + segment.p_offset;
        }
        return 0;
    };
    std::vector<uint64_t> names;
    uint64_t texts = 0;
    for (const Elf64_Phdr& segment : segments) {
        for (uint64_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
            const auto entry = readAt<Elf64_Dyn>(bytes, segment.p_offset + at);
            if (entry && entry->d_tag == DT_NEEDED)
                names.push_back(entry->d_un.d_val);
            if (entry && entry->d_tag == DT_STRTAB)
                texts = fileOffset(entry->d_un.d_ptr);
        }
    }
    QByteArrayList out;
    for (const uint64_t name : names)
        out << QByteArray(bytes.constData() + texts + name);
    return out;
}
