#include "import/source/open_input.h"

#include "base/text.h"
#include "import/source/archive.h"
#include "import/source/decoded_source.h"
#include "import/source/sniff.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace torchline {

namespace {

constexpr size_t kMostLayers = 3; ///< of compression, one around the other
constexpr size_t kBlankBytes = 256 * 1024;

std::string nameOfKind(ContentKind kind)
{
    switch (kind) {
    case ContentKind::Gzip:
        return "gzip";
    case ContentKind::Zstd:
        return "zstd";
    case ContentKind::Zip:
        return "zip";
    case ContentKind::Tar:
        return "tar";
    case ContentKind::Utf16LittleEndian:
    case ContentKind::Utf16BigEndian:
        return "UTF-16";
    default:
        return {};
    }
}

std::shared_ptr<const ByteSource> unpacked(
    std::shared_ptr<const ByteSource> source, const std::vector<ContentKind>& layers)
{
    for (const ContentKind kind : layers) {
        DecodedSource::MakeDecoder make = makeGzipDecoder;
        if (kind == ContentKind::Zstd)
            make = makeZstdDecoder;
        else if (kind == ContentKind::Utf16LittleEndian)
            make = [] { return makeUtf16Decoder(false); };
        else if (kind == ContentKind::Utf16BigEndian)
            make = [] { return makeUtf16Decoder(true); };
        source = std::make_shared<DecodedSource>(std::move(source), 0, std::move(make));
    }
    return source;
}

/// Looks past leading white space and zero bytes, however many.
Result<Content> contentOf(const ByteSource& source)
{
    std::string head(kSniffBytes, '\0');
    uint64_t offset = 0;
    for (;;) {
        const auto got = source.readAt(offset, head);
        if (!got)
            return got.error();
        const std::string_view bytes = std::string_view(head).substr(0, *got);
        Content content = sniffContent(bytes);
        if (content.kind != ContentKind::Blank || *got < head.size())
            return content;
        // Overlaps, so that a mark is not cut in two.
        const size_t last = bytes.find_last_not_of(std::string_view("\0 \n\r\t", 5));
        offset += last == std::string_view::npos ? bytes.size() : last;
        head.resize(kBlankBytes);
    }
}

Error nothingIn(const ByteSource& source, const std::vector<ContentKind>& layers)
{
    for (const SourceTrouble& trouble : source.troubles()) {
        if (trouble.code.starts_with("damaged") || trouble.code.starts_with("truncated"))
            return Error(ErrorCode::Format, trouble.text + ": nothing, at byte 0 of the unpacked text");
    }
    std::string message = "the file is empty";
    if (!layers.empty())
        message = "the " + nameOfKind(layers.back()) + " data holds an empty file";
    else if (source.size().value_or(0) > 0)
        message += ": nothing but " + std::to_string(*source.size()) + " blanks or zero bytes";
    return Error(ErrorCode::Format, message);
}

/// Decompresses until something is not compressed any more; that can be an archive.
struct Layered {
    std::vector<ContentKind> layers;
    ContentKind kind = ContentKind::Json;
};

Result<Layered> peel(const std::shared_ptr<const ByteSource>& packed)
{
    Layered result;
    for (;;) {
        const auto source = unpacked(packed, result.layers);
        const auto content = contentOf(*source);
        if (!content)
            return content.error();
        switch (content->kind) {
        case ContentKind::Blank:
            return nothingIn(*source, result.layers);
        case ContentKind::Foreign: {
            const std::string where
                = result.layers.empty() ? "" : "inside the " + nameOfKind(result.layers.back()) + " data is ";
            return Error(ErrorCode::Unsupported, "not a trace: " + where + content->what);
        }
        case ContentKind::Json:
        case ContentKind::Zip:
        case ContentKind::Tar:
            result.kind = content->kind;
            return result;
        default:
            break;
        }
        if (result.layers.size() == kMostLayers)
            return Error(ErrorCode::Unsupported,
                "compressed more than " + std::to_string(kMostLayers) + " times: unpack it first");
        result.layers.push_back(content->kind);
    }
}

InputText textOf(
    const std::shared_ptr<const ByteSource>& packed, const std::vector<ContentKind>& layers, std::string outer)
{
    InputText text;
    text.text = unpacked(packed, layers);
    text.compression = std::move(outer);
    for (const ContentKind kind : layers) {
        if (kind == ContentKind::Utf16LittleEndian || kind == ContentKind::Utf16BigEndian) {
            text.encoding = nameOfKind(kind);
            continue;
        }
        text.compression += (text.compression.empty() ? "" : "+") + nameOfKind(kind);
    }
    if (text.compression.empty())
        text.compression = "none";
    return text;
}

std::string listOf(const std::vector<std::string>& names)
{
    constexpr size_t kMostNamed = 5;
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
        list += (i == 0 ? "" : ", ") + escapeControls(names[i]);
    if (names.size() > kMostNamed)
        list += " and " + std::to_string(names.size() - kMostNamed) + " more";
    return list;
}

Status addMembers(Input& input, const Layered& outside, const std::stop_token& stop)
{
    const std::string kind = nameOfKind(outside.kind);
    auto content = unpackArchive(unpacked(input.file, outside.layers), kind, stop);
    if (!content)
        return content.error();
    std::string outer;
    for (const ContentKind layer : outside.layers)
        outer += nameOfKind(layer) + "+";
    outer += kind;

    std::vector<std::string> others = std::move(content->others);
    for (ArchiveMember& member : content->members) {
        const auto inside = peel(member.bytes);
        if (!inside || inside->kind != ContentKind::Json) {
            others.push_back(member.name);
            continue;
        }
        InputText text = textOf(member.bytes, inside->layers, outer);
        text.member = std::move(member.name);
        input.texts.push_back(std::move(text));
    }
    input.troubles = std::move(content->troubles);
    if (input.texts.empty()) {
        std::string message = "the " + kind + " archive holds no trace";
        if (!others.empty())
            message += ", only " + listOf(others);
        else if (!input.troubles.empty())
            message += ": " + input.troubles.front().text;
        return Error(ErrorCode::Unsupported, message);
    }
    if (!others.empty())
        input.troubles.push_back({"archive-files-skipped",
            "Files of the " + kind + " archive that are no traces were skipped (" + listOf(others) + "): %n", 0,
            others.size()});
    return {};
}

Result<Input> openFile(
    const std::string& path, const std::function<void(uint64_t bytes)>& progress, const std::stop_token& stop)
{
    const bool isStandardInput = path == "-";
    FileDescriptor file(isStandardInput ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.isOpen())
        return Error(ErrorCode::Io, "cannot be opened: " + systemErrorText(errno));
    struct stat status { };
    if (fstat(file.get(), &status) != 0)
        return Error(ErrorCode::Io, "cannot be opened: " + systemErrorText(errno));
    if (S_ISDIR(status.st_mode))
        return Error(ErrorCode::Io, "is a folder, not a trace file");
    if (S_ISBLK(status.st_mode))
        return Error(ErrorCode::Io, "is a device, not a trace file");

    Input input;
    // Files of /proc say that they are empty; standard input can be a file that was read from already.
    char first = 0;
    const bool hasTrueSize = status.st_size > 0 || pread(file.get(), &first, 1, 0) == 0;
    const bool canSeek
        = S_ISREG(status.st_mode) && hasTrueSize && (!isStandardInput || lseek(file.get(), 0, SEEK_CUR) == 0);
    if (canSeek) {
        input.file = std::make_shared<FileSource>(std::move(file), status);
        return input;
    }
    auto copy = spoolAll(file.get(), progress, stop);
    if (!copy)
        return copy.error();
    input.file = *copy;
    input.isPipe = !S_ISREG(status.st_mode);
    return input;
}

} // namespace

Result<Input> openInput(
    const std::string& path, const std::function<void(uint64_t bytes)>& progress, const std::stop_token& stop)
{
    auto input = openFile(path, progress, stop);
    if (!input)
        return input.error();
    const auto outside = peel(input->file);
    if (!outside)
        return outside.error();
    if (outside->kind == ContentKind::Json) {
        input->texts.push_back(textOf(input->file, outside->layers, {}));
    } else if (auto added = addMembers(*input, *outside, stop); !added) {
        return added.error();
    }
    return input;
}

} // namespace torchline
