#include "import/source/archive.h"

#include "base/text.h"
#include "import/source/file_source.h"
#include "import/source/sniff.h"

#include <array>
#include <cerrno>

#include <archive.h>
#include <archive_entry.h>

namespace torchline {

namespace {

constexpr size_t kBlockBytes = 256 * 1024;
constexpr size_t kMostMembers = 4096;

struct FreeArchive {
    void operator()(struct archive* reader) const { archive_read_free(reader); }
};
using ArchiveReader = std::unique_ptr<struct archive, FreeArchive>;

/// What the callbacks of libarchive read from.
struct Input {
    std::shared_ptr<const ByteSource> bytes;
    uint64_t offset = 0;
    std::vector<char> block = std::vector<char>(kBlockBytes);
    std::optional<Error> error;
};

la_ssize_t readBlock(struct archive* reader, void* data, const void** block)
{
    auto* input = static_cast<Input*>(data);
    const auto got = input->bytes->readAt(input->offset, input->block);
    if (!got) {
        input->error = got.error();
        archive_set_error(reader, EIO, "%s", got.error().message().c_str());
        return -1;
    }
    input->offset += *got;
    *block = input->block.data();
    return static_cast<la_ssize_t>(*got);
}

la_int64_t skipBytes(struct archive* /*reader*/, void* data, la_int64_t count)
{
    auto* input = static_cast<Input*>(data);
    const auto size = input->bytes->size();
    if (!size)
        return 0;
    const uint64_t rest = *size - std::min(*size, input->offset);
    const uint64_t skipped = std::min(rest, static_cast<uint64_t>(std::max<la_int64_t>(count, 0)));
    input->offset += skipped;
    return static_cast<la_int64_t>(skipped);
}

la_int64_t seekTo(struct archive* /*reader*/, void* data, la_int64_t offset, int whence)
{
    auto* input = static_cast<Input*>(data);
    const auto size = input->bytes->size();
    la_int64_t base = 0;
    if (whence == SEEK_CUR)
        base = static_cast<la_int64_t>(input->offset);
    else if (whence == SEEK_END && !size)
        return ARCHIVE_FATAL;
    else if (whence == SEEK_END)
        base = static_cast<la_int64_t>(*size);
    if (base + offset < 0)
        return ARCHIVE_FATAL;
    input->offset = static_cast<uint64_t>(base + offset);
    return base + offset;
}

std::string nameOf(struct archive_entry* entry)
{
    if (const char* name = archive_entry_pathname(entry); name != nullptr)
        return name;
    if (const char* name = archive_entry_pathname_utf8(entry); name != nullptr)
        return name;
    return "?";
}

std::string reasonOf(struct archive* reader)
{
    const char* text = archive_error_string(reader);
    return text != nullptr ? escapeControls(text) : "unknown reason";
}

bool canBeTrace(std::string_view head)
{
    const ContentKind kind = sniffContent(head).kind;
    return kind == ContentKind::Json || kind == ContentKind::Gzip || kind == ContentKind::Zstd
        || kind == ContentKind::Utf16LittleEndian || kind == ContentKind::Utf16BigEndian;
}

/// Takes the files of an archive one after the other.
class Unpacker {
public:
    Unpacker(struct archive* reader, Spool& spool, const std::stop_token& stop)
        : m_reader(reader)
        , m_spool(spool)
        , m_stop(stop)
    {
    }

    struct Range {
        std::string name;
        uint64_t begin;
        uint64_t size;
    };

    /// Only what ends everything is an error: the disk, or cancelling.
    Status takeAll(ArchiveContent& content)
    {
        struct archive_entry* entry = nullptr;
        for (;;) {
            const int result = archive_read_next_header(m_reader, &entry);
            if (result == ARCHIVE_EOF)
                return {};
            if (result < ARCHIVE_WARN) {
                content.troubles.push_back(
                    {"damaged-archive", "The archive is truncated or corrupt: " + reasonOf(m_reader), 0, 1});
                return {};
            }
            if (archive_entry_filetype(entry) != AE_IFREG)
                continue;
            if (auto taken = takeFile(nameOf(entry), content); !taken)
                return taken;
        }
    }

    std::vector<Range> ranges;

private:
    Status takeFile(const std::string& name, ArchiveContent& content)
    {
        std::array<char, kBlockBytes> buffer; // NOLINT: filled by read
        size_t filled = 0;
        bool ends = false;
        std::string trouble;
        const auto fill = [&] {
            while (filled < buffer.size() && !ends) {
                const la_ssize_t got = archive_read_data(m_reader, buffer.data() + filled, buffer.size() - filled);
                if (got < 0 && got != ARCHIVE_WARN)
                    trouble = reasonOf(m_reader);
                ends = got <= 0;
                filled += ends ? 0 : static_cast<size_t>(got);
            }
        };
        fill();
        if (!canBeTrace(std::string_view(buffer.data(), std::min(filled, kSniffBytes)))
            || ranges.size() == kMostMembers) {
            content.others.push_back(name);
            if (!trouble.empty())
                content.troubles.push_back({"damaged-archive", name + " cannot be unpacked: " + trouble, 0, 1});
            return {};
        }
        const uint64_t begin = m_spool.size();
        while (filled > 0) {
            if (m_stop.stop_requested())
                return Error(ErrorCode::Cancelled, "cancelled");
            if (auto put = m_spool.append(std::span(buffer.data(), filled)); !put)
                return put;
            filled = 0;
            fill();
        }
        if (!trouble.empty())
            content.troubles.push_back(
                {"damaged-archive", name + " is truncated or corrupt in the archive: " + trouble, 0, 1});
        ranges.push_back({name, begin, m_spool.size() - begin});
        return {};
    }

    struct archive* m_reader;
    Spool& m_spool;
    const std::stop_token& m_stop;
};

} // namespace

Result<ArchiveContent> unpackArchive(
    const std::shared_ptr<const ByteSource>& packed, const std::string& kind, const std::stop_token& stop)
{
    Input input;
    input.bytes = packed;
    const ArchiveReader reader(archive_read_new());
    archive_read_support_format_zip(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_set_read_callback(reader.get(), readBlock);
    archive_read_set_skip_callback(reader.get(), skipBytes);
    archive_read_set_seek_callback(reader.get(), seekTo);
    archive_read_set_callback_data(reader.get(), &input);
    if (archive_read_open1(reader.get()) < ARCHIVE_WARN)
        return Error(ErrorCode::Format, "the " + kind + " archive cannot be opened: " + reasonOf(reader.get()));

    auto spool = Spool::create();
    if (!spool)
        return spool.error();
    ArchiveContent content;
    Unpacker unpacker(reader.get(), *spool, stop);
    if (auto taken = unpacker.takeAll(content); !taken)
        return taken.error();
    if (input.error)
        return *input.error;
    auto file = spool->finish();
    if (!file)
        return file.error();
    for (Unpacker::Range& range : unpacker.ranges)
        content.members.push_back(
            {std::move(range.name), std::make_shared<PartSource>(*file, range.begin, range.size)});
    return content;
}

} // namespace torchline
