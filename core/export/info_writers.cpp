#include "export/info_report.h"

#include "base/text.h"
#include "export/display_text.h"
#include "export/json_writer.h"
#include "export/table_text.h"

#include <ostream>

namespace torchline {

namespace {

constexpr size_t kHeaderWidth = 100;

void writeCounts(JsonWriter& json, const InfoCounts& counts)
{
    for (const auto& [key, count] : {std::pair("events", counts.events), std::pair("threads", counts.threads),
             std::pair("processes", counts.processes), std::pair("flows", counts.flows),
             std::pair("instants", counts.instants), std::pair("async_slices", counts.asyncSlices)}) {
        json.key(key);
        json.unsignedInteger(count);
    }
}

void writeText(JsonWriter& json, std::string_view key, std::string_view text)
{
    json.key(key);
    json.text(text);
}

void writeCount(JsonWriter& json, std::string_view key, uint64_t count)
{
    json.key(key);
    json.unsignedInteger(count);
}

void writeTime(JsonWriter& json, std::string_view key, int64_t ns)
{
    json.key(key);
    json.time(ns);
}

/// Times on a file's own axis are texts: a double would lose their nanoseconds.
void writeAxisTime(JsonWriter& json, std::string_view key, std::optional<int64_t> ns)
{
    json.key(key);
    if (ns)
        json.text(microsecondsText(*ns));
    else
        json.null();
}

void writeBusy(JsonWriter& json, const BusyTimes& busy)
{
    json.key("gpu_busy_us");
    json.beginObject();
    for (const auto& [device, ns] : busy)
        writeTime(json, device, ns);
    json.endObject();
}

void writeFile(JsonWriter& json, const InfoFile& file)
{
    json.beginObject();
    writeText(json, "path", file.path);
    json.key("member");
    if (file.member)
        json.text(*file.member);
    else
        json.null();
    writeText(json, "format", file.format);
    writeText(json, "compression", file.compression);
    writeCount(json, "size_bytes", file.sizeBytes);
    writeCounts(json, file.counts);
    json.key("rank");
    if (file.rank)
        json.integer(*file.rank);
    else
        json.null();
    writeAxisTime(json, "first_us", file.firstNs);
    writeAxisTime(json, "last_us", file.lastNs);
    json.key("offset_us");
    if (file.offsetNs)
        json.time(*file.offsetNs);
    else
        json.null();
    writeTime(json, "span_us", file.spanNs);
    writeBusy(json, file.busy);
    json.key("header");
    json.beginObject();
    for (const auto& [key, value] : file.header)
        writeText(json, key, value);
    json.endObject();
    json.endObject();
}

void writeLane(JsonWriter& json, const InfoLane& lane)
{
    json.beginObject();
    writeText(json, "process", lane.process);
    writeText(json, "pid", lane.pid);
    writeText(json, "thread", lane.thread);
    writeText(json, "tid", lane.tid);
    writeCount(json, "file", lane.fileIndex);
    writeCount(json, "slices", lane.slices);
    writeCount(json, "max_depth", lane.maxDepth);
    json.endObject();
}

void writeNotice(JsonWriter& json, const InfoNotice& entry)
{
    json.beginObject();
    writeText(json, "code", entry.notice.code);
    writeText(json, "text", escapeControls(entry.notice.text));
    writeCount(json, "count", entry.notice.count);
    json.key("offset");
    if (!entry.notice.places.empty() && entry.notice.places.front().offset)
        json.unsignedInteger(*entry.notice.places.front().offset);
    else
        json.null();
    writeText(json, "file", entry.file);
    json.endObject();
}

template <typename Entries, typename Write>
void writeList(JsonWriter& json, std::string_view key, const Entries& entries, const Write& write)
{
    json.key(key);
    json.beginArray();
    for (const auto& entry : entries)
        write(json, entry);
    json.endArray();
}

std::string counted(uint64_t count, std::string_view one, std::string_view many)
{
    return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

std::string countsText(const InfoCounts& counts)
{
    return counted(counts.events, "slice", "slices") + " on " + counted(counts.threads, "thread", "threads") + " of "
        + counted(counts.processes, "process", "processes") + ", " + counted(counts.flows, "arrow", "arrows") + ", "
        + counted(counts.instants, "instant", "instants") + ", "
        + counted(counts.asyncSlices, "async slice", "async slices");
}

void writeFileText(const InfoFile& file, std::ostream& out)
{
    out << escapeControls(file.path);
    if (file.member)
        out << ": " << escapeControls(*file.member);
    out << "\n  " << file.format << ", compression " << file.compression << ", "
        << torchBytesText(static_cast<int64_t>(file.sizeBytes));
    if (file.rank)
        out << ", rank " << std::to_string(*file.rank);
    out << "\n  " << countsText(file.counts) << '\n';
    if (file.firstNs && file.lastNs && file.offsetNs) {
        out << "  from " << microsecondsText(*file.firstNs) << " to " << microsecondsText(*file.lastNs)
            << " us of its own axis, " << torchTimeText(file.spanNs) << " long, begins at "
            << torchTimeText(*file.offsetNs) << '\n';
    }
    for (const auto& [device, ns] : file.busy)
        out << "  device " << escapeControls(device) << " is busy for " << torchTimeText(ns) << '\n';
    for (const auto& [key, value] : file.header) {
        out << "  " << escapeControls(key) << ": " << elidedText(escapeControls(value), kHeaderWidth) << '\n';
    }
    out << '\n';
}

void writeTotalsText(const InfoReport& report, std::ostream& out)
{
    out << "In all\n  " << countsText(report.counts) << ", " << counted(report.counters, "counter", "counters") << '\n'
        << "  " << counted(report.distinctNames, "different name", "different names") << ", nested at most "
        << std::to_string(report.maxDepth) << " deep\n"
        << "  " << torchTimeText(report.spanNs) << " long; the first view begins at "
        << torchTimeText(report.fit.beginNs) << " and shows " << torchTimeText(report.fit.spanNs()) << '\n'
        << "  device work " << torchTimeText(report.workSumNs) << ", of it without an operator "
        << torchTimeText(report.unattributedNs) << '\n'
        << "  " << counted(report.stepNs.size(), "step", "steps");
    for (size_t i = 0; i < report.stepNs.size(); ++i)
        out << (i == 0 ? ": " : ", ") << torchTimeText(report.stepNs[i]);
    out << "\n\n";
}

void writeLanesText(const InfoReport& report, std::ostream& out)
{
    std::vector<TextColumn> columns{
        {"Process", false, 0}, {"Thread", false, 0}, {"Slices", true, 0}, {"Depth", true, 0}};
    const bool severalFiles = report.files.size() > 1;
    if (severalFiles)
        columns.insert(columns.begin(), TextColumn{"File", true, 0});
    const auto label = [](const std::string& name, const std::string& id) {
        return elidedText(escapeControls(name == id ? name : name + " (" + id + ")"), 55);
    };
    std::vector<std::vector<std::string>> lines;
    for (const InfoLane& lane : report.lanes) {
        std::vector<std::string> line{label(lane.process, lane.pid), label(lane.thread, lane.tid),
            std::to_string(lane.slices), std::to_string(lane.maxDepth)};
        if (severalFiles)
            line.insert(line.begin(), std::to_string(lane.fileIndex));
        lines.push_back(std::move(line));
    }
    writeAligned(columns, lines, out);
    out << '\n';
}

void writeNoticesText(const InfoReport& report, std::ostream& out)
{
    out << (report.notices.empty() ? "Nothing was repaired, skipped or guessed.\n" : "Notices\n");
    for (const InfoNotice& entry : report.notices) {
        out << "  " << entry.notice.code << ": " << escapeControls(entry.notice.text);
        if (!entry.notice.places.empty() && entry.notice.places.front().offset)
            out << " (first at byte " << std::to_string(*entry.notice.places.front().offset) << ')';
        if (report.files.size() > 1)
            out << " [" << escapeControls(entry.file) << ']';
        out << '\n';
    }
}

} // namespace

void writeInfoJson(const InfoReport& report, std::ostream& out)
{
    JsonWriter json(out, 2);
    json.beginObject();
    writeText(json, "program", "torchline-cli");
    writeText(json, "version", TORCHLINE_VERSION);
    writeList(json, "files", report.files, writeFile);
    writeCounts(json, report.counts);
    writeCount(json, "counters", report.counters);
    writeCount(json, "distinct_names", report.distinctNames);
    writeTime(json, "span_us", report.spanNs);
    writeTime(json, "fit_start_us", report.fit.beginNs);
    writeTime(json, "fit_span_us", report.fit.spanNs());
    writeCount(json, "max_depth", report.maxDepth);
    writeCount(json, "steps", report.stepNs.size());
    writeList(json, "step_us", report.stepNs, [](JsonWriter& writer, int64_t ns) { writer.time(ns); });
    writeBusy(json, report.busy);
    writeTime(json, "gpu_work_sum_us", report.workSumNs);
    writeTime(json, "unattributed_device_us", report.unattributedNs);
    writeList(json, "lanes", report.lanes, writeLane);
    writeList(json, "warnings", report.notices, writeNotice);
    json.endObject();
    json.newLine();
}

void writeInfoText(const InfoReport& report, std::ostream& out)
{
    for (const InfoFile& file : report.files)
        writeFileText(file, out);
    writeTotalsText(report, out);
    writeLanesText(report, out);
    writeNoticesText(report, out);
}

} // namespace torchline
