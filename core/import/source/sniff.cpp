#include "import/source/sniff.h"

#include "base/text.h"
#include "import/source/zstd_magic.h"

#include <algorithm>
#include <array>

namespace torchline {

namespace {

using namespace std::string_view_literals;

struct Magic {
    std::string_view bytes;
    std::string_view what;
};

constexpr std::array kForeign = {
    Magic{"SQLite format 3\0"sv,
        "an SQLite database (Nsight Systems and rocprof write such files: open it there, or record with torch.profiler)"sv},
    Magic{"\x89PNG"sv, "a PNG image"sv},
    Magic{"\xff\xd8\xff"sv, "a JPEG image"sv},
    Magic{"GIF8"sv, "a GIF image"sv},
    Magic{"%PDF"sv, "a PDF document"sv},
    Magic{"\x7f"
          "ELF"sv,
        "a program or library (ELF)"sv},
    Magic{"BZh"sv, "bzip2 data (unpack it with bunzip2 first)"sv},
    Magic{"\xfd"
          "7zXZ\0"sv,
        "xz data (unpack it with unxz first)"sv},
    Magic{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive (unpack it first)"sv},
    Magic{"Rar!\x1a\x07"sv, "a RAR archive (unpack it first)"sv},
    Magic{"\x04\x22\x4d\x18"sv, "lz4 data (unpack it with unlz4 first)"sv},
    Magic{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"sv},
    Magic{"PAR1"sv, "a Parquet table"sv},
    Magic{"PERFILE2"sv, "a recording of perf (perf script or hotspot opens it)"sv},
    Magic{"QDSTRM"sv, "a recording of Nsight Systems (nsys-ui opens it)"sv},
    Magic{"PK\5\6"sv, "a zip archive without any file in it"sv},
    Magic{"\xff\xfe\0\0"sv, "text in UTF-32 (convert it to UTF-8 first)"sv},
    Magic{"\0\0\xfe\xff"sv, "text in UTF-32 (convert it to UTF-8 first)"sv},
};

constexpr std::string_view kPickle
    = "a Python pickle; if it is a memory snapshot of PyTorch, pytorch.org/memory_viz opens it";
constexpr std::string_view kPerfetto = "a Perfetto protobuf trace (ui.perfetto.dev opens it)";

bool startsWithNoCase(std::string_view text, std::string_view lowerCase)
{
    return text.size() >= lowerCase.size()
        && std::equal(lowerCase.begin(), lowerCase.end(), text.begin(),
            [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

std::string_view skipBlanks(std::string_view text)
{
    const auto begin = std::find_if_not(text.begin(), text.end(), isBlankByte);
    return text.substr(static_cast<size_t>(begin - text.begin()));
}

/// `{` or `[` and then something that can follow it.
bool looksLikeJson(std::string_view text)
{
    if (text.empty() || (text[0] != '{' && text[0] != '['))
        return false;
    const std::string_view next = skipBlanks(text.substr(1));
    if (next.empty())
        return true;
    constexpr std::string_view kAfterBrace = "\"},";
    constexpr std::string_view kAfterBracket = "{[\"],-0123456789tfnNI";
    return (text[0] == '{' ? kAfterBrace : kAfterBracket).find(next[0]) != std::string_view::npos;
}

/// Field 1 of a length, and behind it field 1 again.
bool looksLikePerfetto(std::string_view head)
{
    if (head.size() < 3 || head[0] != '\x0a')
        return false;
    size_t length = 0;
    size_t at = 1;
    for (int shift = 0; at < head.size() && shift < 28; shift += 7) {
        const auto byte = static_cast<uint8_t>(head[at++]);
        length |= size_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) {
            const bool isBinary = head.substr(0, 64).find_first_of("\0\1\2\3\4\5\6\7\x08"sv) != std::string_view::npos;
            return length > 0 && (at + length >= head.size() ? isBinary : head[at + length] == '\x0a');
        }
    }
    return false;
}

bool isMostlyText(std::string_view head)
{
    const auto odd = std::count_if(head.begin(), head.end(),
        [](char c) { return static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b'; });
    return static_cast<size_t>(odd) * 50 <= head.size();
}

Content foreign(std::string_view what)
{
    return {ContentKind::Foreign, std::string(what)};
}

} // namespace

bool isBlankByte(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\0';
}

Content sniffContent(std::string_view head)
{
    if (head.starts_with("\x1f\x8b"))
        return {ContentKind::Gzip, {}};
    if (head.size() >= kZstdMagicBytes && beginsZstdFrame(head))
        return {ContentKind::Zstd, {}};
    if (head.starts_with("PK\3\4"))
        return {ContentKind::Zip, {}};
    if (head.size() >= 262 && head.substr(257, 5) == "ustar")
        return {ContentKind::Tar, {}};
    for (const Magic& magic : kForeign) {
        if (head.starts_with(magic.bytes))
            return foreign(magic.what);
    }
    if (head.starts_with("\xff\xfe") || (head.size() >= 2 && (head[0] == '{' || head[0] == '[') && head[1] == '\0'))
        return {ContentKind::Utf16LittleEndian, {}};
    if (head.starts_with("\xfe\xff") || (head.size() >= 2 && head[0] == '\0' && (head[1] == '{' || head[1] == '[')))
        return {ContentKind::Utf16BigEndian, {}};
    if (head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
        return foreign(kPickle);

    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    const std::string_view text = skipBlanks(head);
    if (text.empty())
        return {ContentKind::Blank, {}};
    if (looksLikeJson(text))
        return {ContentKind::Json, {}};
    if (looksLikePerfetto(head))
        return foreign(kPerfetto);
    if (startsWithNoCase(text, "<!doctype html") || startsWithNoCase(text, "<html") || startsWithNoCase(text, "<head"))
        return foreign("an HTML page (a download that ended on a login or error page?)");
    if (startsWithNoCase(text, "<?xml") || startsWithNoCase(text, "<!"))
        return foreign("an XML or HTML document");
    if (head.find("\"traceEvents\"") != std::string_view::npos)
        return {ContentKind::Json, {}};
    if (isMostlyText(head))
        return foreign("plain text, not JSON: it begins with \"" + escapeControls(text.substr(0, 24)) + "\"");
    return foreign("binary data, neither JSON nor a known format");
}

} // namespace torchline
