#pragma once
// sniffContent: what a file is, by its first bytes, never by its name.
// Thread: any.

#include <cstdint>
#include <string>
#include <string_view>

namespace torchline {

enum class ContentKind : uint8_t {
    Json,
    Gzip,
    Zstd,
    Zip,
    Tar,
    Utf16LittleEndian,
    Utf16BigEndian,
    Blank, ///< nothing, or nothing but white space and zero bytes so far
    Foreign, ///< something that nothing here reads
};

struct Content {
    ContentKind kind = ContentKind::Blank;
    std::string what; ///< Foreign: "a PNG image", and where known what would open it
};

constexpr size_t kSniffBytes = 4096;

/// `head`: the first bytes of the file, kSniffBytes of them if there are that many.
[[nodiscard]] Content sniffContent(std::string_view head);
[[nodiscard]] bool isBlankByte(char c); ///< JSON's white space, or zero

} // namespace torchline
