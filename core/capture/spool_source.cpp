#include "capture/spool_source.h"

#include "capture/arena_check.h"
#include "capture/record_check.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace torchline {

namespace {

constexpr uint64_t kWindowBytes = 256 * 1024;
constexpr uint64_t kLongestRecord = std::max(sizeof(wire::MemoryRecord), sizeof(wire::OpStackRecord));

/// Names of at::ScalarType as torch.profiler writes them, by number.
constexpr std::array<std::string_view, 25> kDtypes = {"unsigned char", "signed char", "short int", "int", "long int",
    "c10::Half", "float", "double", "c10::complex<c10::Half>", "c10::complex<float>", "c10::complex<double>", "bool",
    "c10::qint8", "c10::quint8", "c10::qint32", "c10::BFloat16", "c10::quint4x2", "c10::quint2x4", "c10::bits1x8",
    "c10::bits2x4", "c10::bits4x2", "c10::bits8", "c10::bits16", "c10::Float8_e5m2", "c10::Float8_e4m3fn"};

/// Tags that stand for a number or a truth value in all versions of LibTorch; 9 is a tuple in the oldest of them, which
/// no operator takes.
bool isScalarTag(uint8_t tag)
{
    return tag == 3 || tag == 4 || tag == 5 || tag == 8 || tag == 9;
}

constexpr std::string_view kCallStack = "Call stack";

/// All values but one are numbers and lists, JSON already.
std::string eventText(const ArgList& args)
{
    std::string out = "{\"args\": {";
    for (const auto& [key, value] : args) {
        if (&key != &args.front().first)
            out += ", ";
        out += '"' + key + "\": " + (key == kCallStack ? nlohmann::json(value).dump() : value);
    }
    return out + "}}";
}

std::string_view typeOf(const wire::InputShape& input)
{
    if (input.tag == wire::kTensorTag)
        return (input.flags & wire::InputUndefinedTensor) == 0 && input.dtype < kDtypes.size() ? kDtypes[input.dtype]
                                                                                               : std::string_view();
    return isScalarTag(input.tag) ? "Scalar" : std::string_view();
}

} // namespace

/// What was read of the spool last: records that are asked for in order lie close together.
class SpoolSource::Window {
public:
    explicit Window(const SpoolBytes& spool)
        : m_spool(spool)
    {
    }

    /// Bytes from `place` on; `end` is where the frame ends.
    [[nodiscard]] Result<std::span<const std::byte>> reach(uint64_t place, uint64_t bytes, uint64_t end)
    {
        if (place < m_begin || place + bytes > m_begin + m_bytes.size()) {
            m_bytes.resize(static_cast<size_t>(std::min(std::max(bytes, kWindowBytes), end - place)));
            m_begin = place;
            if (Status status = m_spool.read(place, m_bytes); !status) {
                m_bytes.clear();
                return status.error();
            }
        }
        return std::span<const std::byte>(m_bytes).subspan(static_cast<size_t>(place - m_begin));
    }

private:
    const SpoolBytes& m_spool;
    uint64_t m_begin = 0;
    std::vector<std::byte> m_bytes;
};

SpoolSource::SpoolSource(std::shared_ptr<const SpoolBytes> spool)
    : m_spool(std::move(spool))
{
}

void SpoolSource::addFrame(FrameKind kind, uint64_t place, uint32_t bytes, uint32_t segment, uint32_t slot)
{
    const std::lock_guard lock(m_mutex);
    m_pieces.push_back({place, bytes, static_cast<uint16_t>(segment), static_cast<uint16_t>(slot), kind});
}

void SpoolSource::addShapes(uint32_t segment, std::span<const std::byte> bytes)
{
    const std::lock_guard lock(m_mutex);
    auto known = std::find_if(
        m_shapes.begin(), m_shapes.end(), [&](const ShapesOfSegment& shapes) { return shapes.segment == segment; });
    if (known == m_shapes.end())
        known = m_shapes.insert(known, {segment, {}});
    known->entries.emplace_back(bytes.begin(), bytes.end());
}

void SpoolSource::addInner(uint64_t place, uint64_t innerPlace)
{
    const std::lock_guard lock(m_mutex);
    m_inner.emplace_back(place, innerPlace);
}

std::optional<SpoolSource::Piece> SpoolSource::pieceAt(uint64_t place) const
{
    const std::lock_guard lock(m_mutex);
    const auto behind = std::partition_point(
        m_pieces.begin(), m_pieces.end(), [place](const Piece& piece) { return piece.place <= place; });
    if (behind == m_pieces.begin() || place >= (behind - 1)->place + (behind - 1)->bytes)
        return std::nullopt;
    return *(behind - 1);
}

uint64_t SpoolSource::innerOf(uint64_t place) const
{
    const std::lock_guard lock(m_mutex);
    const auto known = std::lower_bound(m_inner.begin(), m_inner.end(), std::pair(place, uint64_t{0}));
    return known != m_inner.end() && known->first == place ? known->second : 0;
}

Result<ArgList> SpoolSource::readArgs(Window& window, uint64_t place) const
{
    const std::optional<Piece> piece = pieceAt(place);
    if (!piece)
        return Error(ErrorCode::Format, "no event at byte " + std::to_string(place) + " of the recording");
    const uint64_t end = piece->place + piece->bytes;
    if (piece->kind == FrameKind::OpenOps) {
        const Result<std::span<const std::byte>> bytes = window.reach(place, sizeof(wire::OpenOp), end);
        if (!bytes)
            return bytes.error();
        wire::OpenOp op{};
        if (bytes->size() < sizeof(op))
            return ArgList();
        std::memcpy(&op, bytes->data(), sizeof(op));
        ArgList args;
        addOperatorArgs(args, *piece, {op.sequence, 0, op.shapes, op.number, op.stack});
        return args;
    }
    const Result<std::span<const std::byte>> bytes
        = window.reach(place, std::min<uint64_t>(end - place, kLongestRecord), end);
    if (!bytes)
        return bytes.error();
    return argsOfRecord(window, *piece, *bytes, place);
}

Result<ArgList> SpoolSource::argsOfRecord(
    Window& window, const Piece& piece, std::span<const std::byte> bytes, uint64_t place) const
{
    ArgList args;
    if (bytes.size() < sizeof(wire::RecordHead) || bytes.size() < leastRecordBytes(recordHead(bytes).type))
        return args;
    switch (recordHead(bytes).type) {
    case wire::RecordType::Op: {
        const auto op = readRecord<wire::OpRecord>(bytes);
        OperatorNumbers numbers{op.sequence, op.forwardThread, op.shapes, op.number, stackOfOperator(bytes)};
        if (const uint64_t inner = innerOf(place); inner != 0) {
            const Result<std::span<const std::byte>> innerBytes = window.reach(inner, sizeof(op), place + sizeof(op));
            if (!innerBytes)
                return innerBytes.error();
            const auto innerOp = readRecord<wire::OpRecord>(*innerBytes);
            numbers.sequence = innerOp.sequence;
            numbers.forwardThread = innerOp.forwardThread;
        }
        addOperatorArgs(args, piece, numbers);
        break;
    }
    case wire::RecordType::AsyncOpen: {
        const auto async = readRecord<wire::AsyncRecord>(bytes);
        if (async.sequence >= 0)
            args.emplace_back("Sequence number", std::to_string(async.sequence));
        addStackArg(args, piece.segment, async.stack);
        break;
    }
    case wire::RecordType::Memory: {
        const auto memory = readRecord<wire::MemoryRecord>(bytes);
        args.emplace_back("Device Id", std::to_string(memory.deviceIndex));
        args.emplace_back("Device Type", std::to_string(memory.deviceType));
        args.emplace_back("Addr", std::to_string(memory.address));
        break;
    }
    default:
        break;
    }
    return args;
}

void SpoolSource::addOperatorArgs(ArgList& args, const Piece& piece, const OperatorNumbers& numbers) const
{
    args.emplace_back("External id", std::to_string(externalIdOf(piece.segment, piece.slot, numbers.number)));
    if (numbers.sequence >= 0) {
        args.emplace_back("Sequence number", std::to_string(numbers.sequence));
        args.emplace_back("Fwd thread id", std::to_string(numbers.forwardThread));
    }
    args.emplace_back("Record function id", "0");
    if (numbers.shapes != 0)
        addShapeArgs(args, piece.segment, numbers.shapes);
    addStackArg(args, piece.segment, numbers.stack);
}

void SpoolSource::addStackArg(ArgList& args, uint32_t segment, uint32_t stack) const
{
    if (std::string text = m_stacks.text(segment, stack); !text.empty())
        args.emplace_back(kCallStack, std::move(text));
}

void SpoolSource::addShapeArgs(ArgList& args, uint32_t segment, uint32_t shapes) const
{
    std::vector<std::byte> bytes;
    {
        const std::lock_guard lock(m_mutex);
        const auto known = std::find_if(
            m_shapes.begin(), m_shapes.end(), [&](const ShapesOfSegment& s) { return s.segment == segment; });
        if (known == m_shapes.end() || shapes > known->entries.size())
            return;
        bytes = known->entries[shapes - 1];
    }
    std::string types = "[";
    std::string dims = "[";
    std::span<const std::byte> rest = bytes;
    while (const std::optional<ShapeItem> item = takeShapeItem(rest)) {
        const std::string_view comma = types.size() > 1 ? "," : "";
        types.append(comma).append("\"").append(typeOf(item->head)).append("\"");
        dims.append(comma).append("[");
        for (uint8_t i = 0; i < item->head.rank; ++i)
            dims.append(i == 0 ? "" : ",").append(std::to_string(item->sizes[i]));
        dims.append("]");
    }
    args.emplace_back("Input type", types + "]");
    args.emplace_back("Input Dims", dims + "]");
}

Result<ArgList> SpoolSource::args(uint64_t eventOffset) const
{
    Window window(*m_spool);
    return readArgs(window, eventOffset);
}

Result<std::string> SpoolSource::text(uint64_t eventOffset) const
{
    const Result<ArgList> list = args(eventOffset);
    if (!list)
        return list.error();
    return eventText(*list);
}

Status SpoolSource::textsOfMany(
    std::span<const uint64_t> eventOffsets, const std::function<bool(size_t, std::string&&)>& done) const
{
    Window window(*m_spool);
    for (size_t i = 0; i < eventOffsets.size(); ++i) {
        const Result<ArgList> list = readArgs(window, eventOffsets[i]);
        if (!list)
            return list.error();
        if (!done(i, eventText(*list)))
            return {};
    }
    return {};
}

Status SpoolSource::argsOfMany(
    std::span<const uint64_t> eventOffsets, const std::function<void(size_t, ArgList&&)>& done) const
{
    Window window(*m_spool);
    for (size_t i = 0; i < eventOffsets.size(); ++i) {
        Result<ArgList> list = readArgs(window, eventOffsets[i]);
        if (!list)
            return list.error();
        done(i, std::move(*list));
    }
    return {};
}

size_t SpoolSource::memoryUsage() const
{
    const std::lock_guard lock(m_mutex);
    size_t bytes
        = m_stacks.memoryUsage() + m_pieces.capacity() * sizeof(Piece) + m_inner.capacity() * sizeof(m_inner[0]);
    for (const ShapesOfSegment& shapes : m_shapes) {
        for (const std::vector<std::byte>& entry : shapes.entries)
            bytes += sizeof(entry) + entry.capacity();
    }
    return bytes;
}

} // namespace torchline
