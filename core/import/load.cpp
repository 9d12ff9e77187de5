#include "import/load.h"

#include "base/parallel.h"
#include "base/text.h"
#include "import/event_args.h"
#include "import/memory_forecast.h"
#include "import/part_schedule.h"
#include "import/scan/decimal.h"
#include "import/source/open_input.h"
#include "import/trace_reader.h"

#include <algorithm>
#include <chrono>
#include <new>

namespace torchline {

namespace {

constexpr uint64_t kLargeFile = uint64_t{256} << 20; ///< below, threads would wait longer for the last of large chunks
constexpr uint64_t kUsualPacking = 10;
constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kLargeChunk = size_t{4} << 20;
constexpr size_t kSmallestChunk = 4096;

/// Tells the caller how far loading is, at most 20 times a second.
class ProgressTeller {
public:
    explicit ProgressTeller(const LoadOptions& options)
        : m_options(options)
    {
    }

    [[nodiscard]] bool isDue() const { return m_options.progress && Clock::now() >= m_next; }
    void tell(const LoadProgress& progress)
    {
        if (!isDue())
            return;
        m_next = Clock::now() + std::chrono::milliseconds(50);
        m_options.progress(progress);
    }

private:
    using Clock = std::chrono::steady_clock;

    const LoadOptions& m_options;
    Clock::time_point m_next{}; ///< the first time at once
};

struct OpenedFile {
    std::string path;
    Input input;
};

class Loader {
public:
    Loader(const LoadOptions& options, std::stop_token stop)
        : m_options(options)
        , m_stop(std::move(stop))
        , m_progress(options)
        , m_threads(options.threads > 0 ? options.threads : usualThreads())
        , m_forecast(options.memoryBytes)
        , m_generation(options.generation)
        , m_pool(std::make_shared<StringPool>())
    {
    }

    Result<std::shared_ptr<const TraceSnapshot>> load(const std::vector<std::string>& paths)
    {
        std::vector<OpenedFile> files;
        for (const std::string& path : paths) {
            auto input = openInput(
                path,
                [this](uint64_t bytes) {
                    m_progress.tell({bytes, 0, m_slices, m_pool->memoryUsage()});
                },
                m_stop);
            if (!input)
                return input.error().within(escapeControls(path));
            m_bytesTotal += input->file->size().value_or(0);
            files.push_back({path, std::move(*input)});
        }
        Stores stores;
        for (const OpenedFile& file : files) {
            Status status;
            try {
                status = loadFile(file, stores);
            } catch (const std::bad_alloc&) {
                status = Error(ErrorCode::Limit, "not enough memory");
            }
            if (!status)
                return status.error().within(escapeControls(file.path));
        }
        return TraceSnapshot::combine(m_pool, std::move(stores), m_generation);
    }

private:
    using Stores = std::vector<std::shared_ptr<const FileStore>>;

    /// A text that was read, before its store is made: notices can still be added.
    struct ReadText {
        std::unique_ptr<TraceBuilder> builder;
        FileInfo info;
        std::shared_ptr<const ByteSource> text;
    };

    Status loadFile(const OpenedFile& file, Stores& stores)
    {
        std::optional<ReadText> last;
        std::vector<std::string> refused; ///< members of an archive that are no traces, not yet noted
        std::optional<Error> firstRefusal;
        for (const InputText& text : file.input.texts) {
            auto read = readText(file, text, last ? nullptr : &stores);
            if (read) {
                if (last)
                    finish(std::move(*last), stores);
                else
                    noteArchive(file.input, *read->builder);
                last = std::move(*read);
            } else if (text.member && isAboutContent(read.error().code())) {
                refused.push_back(*text.member);
                if (!firstRefusal)
                    firstRefusal = read.error().within(escapeControls(*text.member));
            } else {
                return read.error();
            }
            if (last) {
                for (const std::string& member : std::exchange(refused, {}))
                    last->builder->addNotice("archive-file-without-trace",
                        "Files of the archive that hold no trace were skipped: %n", std::nullopt, member);
            }
        }
        if (!last)
            return *firstRefusal;
        finish(std::move(*last), stores);
        m_bytesBefore += file.input.file->size().value_or(0);
        return {};
    }

    static bool isAboutContent(ErrorCode code) { return code == ErrorCode::Format || code == ErrorCode::Unsupported; }

    /// `shown`: what parts of this text are shown with; null: no parts of it are shown.
    Result<ReadText> readText(const OpenedFile& file, const InputText& text, const Stores* shown)
    {
        auto builder = std::make_unique<TraceBuilder>(m_pool);
        TraceReader reader(*text.text, *builder, chunkBytesFor(*file.input.file, text), m_threads);
        Status fits;
        m_nextForecast = 0;
        m_lastPart = 0;
        const auto pause = [&] {
            if (m_progress.isDue())
                m_progress.tell({m_bytesBefore + text.text->diskPosition(), file.input.isPipe ? 0 : m_bytesTotal,
                    m_slices + builder->sliceCount(),
                    m_storeBytes + m_pool->memoryUsage() + builder->memoryUsage() + reader.memoryUsage()});
            if (isForecastDue(reader.position()))
                fits = m_forecast.check(
                    shareRead(file, text, reader), builder->memoryUsage(), m_storeBytes + m_pool->memoryUsage());
            if (shown != nullptr && isPartDue(file, text, reader)) {
                FileInfo info = infoOf(file, text, reader);
                info.partBytes = reader.position();
                showPart(std::move(info), text.text, *builder, *shown);
            }
            return fits.has_value() && !m_stop.stop_requested();
        };
        const Status status = reader.read(pause);
        if (m_options.statistics != nullptr) {
            m_options.statistics->jointsProved += reader.joints().proved;
            m_options.statistics->jointsFailed += reader.joints().failed;
        }
        if (!fits)
            return fits.error();
        if (!status)
            return status.error();

        noteText(*file.input.file, text, *builder);
        return ReadText{std::move(builder), infoOf(file, text, reader), text.text};
    }

    static FileInfo infoOf(const OpenedFile& file, const InputText& text, const TraceReader& reader)
    {
        FileInfo info;
        info.path = file.path;
        info.member = text.member;
        info.compression = text.compression;
        info.sizeBytes = file.input.file->size().value_or(0);
        info.format = reader.isKineto() ? "kineto" : "chrome";
        info.header = reader.header();
        readHeader(info);
        return info;
    }

    void showPart(FileInfo info, const std::shared_ptr<const ByteSource>& text, TraceBuilder& builder, Stores stores)
    {
        const auto began = PartSchedule::Clock::now();
        m_lastPart = *info.partBytes;
        try {
            TraceBuilder part = builder.clone();
            part.addNotice("partial-trace", "The file is not read to its end: these are the slices so far",
                std::nullopt, {}, NoticeSeverity::Info);
            stores.push_back(part.finish(std::move(info), std::make_shared<TextEventSource>(text), m_threads));
            if (stores.back()->sliceCount > 0)
                m_options.partial(TraceSnapshot::combine(m_pool, std::move(stores), m_generation++));
        } catch (const std::bad_alloc&) {
            // The memory may still do for the whole.
        }
        m_parts.made(began);
    }

    bool isPartDue(const OpenedFile& file, const InputText& text, const TraceReader& reader) const
    {
        if (!m_options.partial)
            return false;
        if (m_options.partEveryBytes == 0)
            return m_parts.isDue(shareOfAll(file, text, reader));
        return reader.position() >= m_lastPart + m_options.partEveryBytes;
    }

    bool isForecastDue(uint64_t position)
    {
        constexpr uint64_t kBetween = uint64_t{1} << 20;
        if (position < m_nextForecast)
            return false;
        m_nextForecast = position + kBetween;
        return true;
    }

    static double shareOf(uint64_t part, uint64_t whole)
    {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    }

    /// Of all files.
    [[nodiscard]] double shareOfAll(const OpenedFile& file, const InputText& text, const TraceReader& reader) const
    {
        const auto size = static_cast<double>(file.input.file->size().value_or(0));
        const double read = static_cast<double>(m_bytesBefore) + size * shareRead(file, text, reader);
        return m_bytesTotal > 0 ? read / static_cast<double>(m_bytesTotal) : 0;
    }

    static double shareRead(const OpenedFile& file, const InputText& text, const TraceReader& reader)
    {
        if (const auto size = text.text->size())
            return shareOf(reader.position(), *size);
        return shareOf(text.text->diskPosition(), file.input.file->size().value_or(0));
    }

    void finish(ReadText read, Stores& stores)
    {
        stores.push_back(
            read.builder->finish(std::move(read.info), std::make_shared<TextEventSource>(read.text), m_threads));
        m_slices += stores.back()->sliceCount;
        m_storeBytes += stores.back()->memoryUsage();
    }

    static void readHeader(FileInfo& info)
    {
        if (const std::string* base = findArg(info.header, "baseTimeNanoseconds"))
            info.baseTimeNs = parseSigned(*base);
        const std::string* distributed = findArg(info.header, "distributedInfo");
        if (distributed == nullptr)
            return;
        const ArgList members = readMembers(*distributed);
        if (const std::string* rank = findArg(members, "rank"))
            info.rank = parseSigned(*rank);
    }

    static void noteText(const FileSource& file, const InputText& text, TraceBuilder& builder)
    {
        if (!text.encoding.empty())
            builder.addNotice("converted-text", "The text is " + text.encoding + " and was converted to UTF-8",
                std::nullopt, {}, NoticeSeverity::Info);
        for (const SourceTrouble& trouble : text.text->troubles())
            builder.addNotice(trouble.code, trouble.text, trouble.offset, {}, NoticeSeverity::Warning, trouble.count);
        if (file.hasChanged())
            builder.addNotice("file-changed",
                "The file was changed while it was read: what was read may belong to two states of it", std::nullopt);
    }

    static void noteArchive(const Input& input, TraceBuilder& builder)
    {
        for (const SourceTrouble& trouble : input.troubles)
            builder.addNotice(trouble.code, trouble.text, std::nullopt, {}, NoticeSeverity::Warning, trouble.count);
    }

    [[nodiscard]] size_t chunkBytesFor(const FileSource& file, const InputText& text) const
    {
        if (m_options.chunkBytes > 0)
            return m_options.chunkBytes;
        const uint64_t onDisk = file.size().value_or(0);
        const uint64_t size = text.text->size().value_or(onDisk * kUsualPacking);
        if (size >= kLargeFile)
            return kLargeChunk;
        return static_cast<size_t>(std::clamp<uint64_t>(size + 1, kSmallestChunk, kChunk));
    }

    const LoadOptions& m_options;
    std::stop_token m_stop;
    ProgressTeller m_progress;
    size_t m_threads;
    MemoryForecast m_forecast;
    PartSchedule m_parts;
    uint64_t m_lastPart = 0; ///< place in the text
    uint64_t m_generation;
    uint64_t m_nextForecast = 0; ///< place in the text
    std::shared_ptr<StringPool> m_pool;
    uint64_t m_bytesTotal = 0;
    uint64_t m_bytesBefore = 0;
    uint64_t m_slices = 0;
    size_t m_storeBytes = 0;
};

} // namespace

Result<std::shared_ptr<const TraceSnapshot>> loadTraces(
    const std::vector<std::string>& paths, const LoadOptions& options, std::stop_token stop)
{
    try {
        return Loader(options, std::move(stop)).load(paths);
    } catch (const std::bad_alloc&) {
        return Error(ErrorCode::Limit, "not enough memory");
    }
}

} // namespace torchline
