#include "details/health_report.h"

#include "base/text.h"
#include "common/format.h"
#include "export/analysis_tables.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t kMostPlacesShown = 3;

QString tr(const char* text)
{
    return QCoreApplication::translate("HealthReport", text);
}

/// Codes that say that the end of the input is missing.
bool saysCutShort(std::string_view code)
{
    return code.starts_with("truncated-") || code == "damaged-archive" || code == "damaged-gzip"
        || code == "damaged-zstd" || code == "unreadable-rest";
}

/// Codes whose count is of records that are not in the trace.
bool saysLost(std::string_view code)
{
    static constexpr auto kCodes = std::to_array<std::string_view>({"damaged-event", "not-an-event", "unknown-phase",
        "no-timestamp", "unreadable-timestamp", "oversized-event", "marker-without-timestamp"});
    return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

QString titleOf(std::string_view code)
{
    QString title = displayText(code).replace(u'-', u' ');
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    title.replace(u"utf8"_s, u"UTF-8"_s).replace(u"Utf8"_s, u"UTF-8"_s).replace(u"zstd"_s, u"Zstandard"_s);
    return title;
}

QString placesText(const Notice& notice)
{
    QStringList places;
    for (const NoticePlace& place : notice.places) {
        if (static_cast<size_t>(places.size()) == kMostPlacesShown)
            break;
        const QString found = displayText(place.text);
        if (!place.offset)
            places.append(found);
        else if (found.isEmpty())
            places.append(formatCount(static_cast<int64_t>(*place.offset)));
        else
            places.append(u"%1 (%2)"_s.arg(formatCount(static_cast<int64_t>(*place.offset)), found));
    }
    if (places.isEmpty())
        return {};
    const bool hasOffsets = notice.places.front().offset.has_value();
    const QString more = notice.count > static_cast<uint64_t>(places.size()) ? u", …"_s : QString();
    return (hasOffsets ? tr("at byte %1") : tr("found: %1")).arg(places.join(u", "_s)) + more;
}

struct Entry {
    const Notice* notice;
    std::optional<uint32_t> file; ///< none: of how the files fit together
};

/// Slices that begin at these bytes of their file.
std::map<std::pair<uint32_t, uint64_t>, SliceRef> slicesAt(
    const TraceSnapshot& trace, const std::vector<Entry>& entries, const std::stop_token& stop)
{
    std::map<std::pair<uint32_t, uint64_t>, SliceRef> found;
    for (const Entry& entry : entries) {
        for (const NoticePlace& place : entry.notice->places) {
            if (entry.file && place.offset)
                found[{*entry.file, *place.offset}] = {};
        }
    }
    if (found.empty())
        return found;
    for (uint32_t id = 0; id < trace.lanes().size() && !stop.stop_requested(); ++id) {
        const Lane& lane = trace.lane(LaneId(id));
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const auto at = found.find({lane.fileIndex(), lane.eventOffset(i)});
            if (at != found.end())
                at->second = {LaneId(id), i};
        }
    }
    return found;
}

std::string_view severityText(NoticeSeverity severity)
{
    if (severity == NoticeSeverity::Error)
        return "error";
    return severity == NoticeSeverity::Warning ? "warning" : "hint";
}

std::string pathOf(const TraceSnapshot& trace, std::optional<uint32_t> file)
{
    return file ? toValidUtf8(trace.file(*file).info.path) : std::string();
}

Table tableOf(const TraceSnapshot& trace, const std::vector<Entry>& entries)
{
    Table table;
    table.command = "health";
    nameFiles(table, trace);
    table.columns = {{"severity", "Severity", ColumnUnit::Text}, {"code", "Code", ColumnUnit::Text},
        {"text", "Notice", ColumnUnit::Text}, {"count", "Count", ColumnUnit::Count},
        {"offset", "Byte", ColumnUnit::Count}, {"file", "File", ColumnUnit::Text}};
    for (const Entry& entry : entries) {
        const Notice& notice = *entry.notice;
        const auto& places = notice.places;
        const bool hasOffset = !places.empty() && places.front().offset;
        table.rows.push_back({std::string(severityText(notice.severity)), notice.code, toValidUtf8(notice.text),
            static_cast<int64_t>(notice.count), hasOffset ? Cell(static_cast<int64_t>(*places.front().offset)) : Cell(),
            pathOf(trace, entry.file)});
    }
    table.sourceRows.resize(table.rows.size());
    std::iota(table.sourceRows.begin(), table.sourceRows.end(), 0u);
    return table;
}

QString summaryOf(const TraceSnapshot& trace, const HealthReport& report, uint64_t lost)
{
    const bool isOne = trace.files().size() == 1;
    const QString slices = formatCounted(static_cast<int64_t>(trace.sliceCount()), tr("slice"), tr("slices"));
    const auto damaged = static_cast<int64_t>(lost);
    QString outcome;
    if (trace.isPartial())
        outcome = isOne ? tr("The file is not read to its end") : tr("The files are not read to their ends");
    else if (report.isCutShort)
        outcome = isOne ? tr("The file ends early: all before the cut was read")
                        : tr("A file ends early: all before the cut was read");
    else if (report.isComplete)
        outcome = isOne ? tr("The file was read completely") : tr("All files were read completely");
    else
        outcome = isOne ? tr("The file was read to its end") : tr("The files were read to their ends");
    const QString separator = report.isCutShort ? u", "_s : u": "_s;
    const QString records = report.isComplete || report.isCutShort
        ? formatCounted(damaged, tr("damaged record"), tr("damaged records"))
        : formatCounted(damaged, tr("damaged or skipped record"), tr("damaged or skipped records"));
    return outcome + separator + slices + u", "_s + records;
}

} // namespace

HealthReport healthReport(const TraceSnapshot& trace, std::stop_token stop)
{
    std::vector<Entry> entries;
    for (const Notice& notice : trace.notices())
        entries.push_back({&notice, std::nullopt});
    for (uint32_t file = 0; file < trace.files().size(); ++file) {
        for (const Notice& notice : trace.file(file).notices)
            entries.push_back({&notice, file});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        if (a.notice->severity != b.notice->severity)
            return a.notice->severity > b.notice->severity;
        return a.notice->count > b.notice->count;
    });

    HealthReport report;
    uint64_t lost = 0;
    const auto slices = slicesAt(trace, entries, stop);
    for (const Entry& entry : entries) {
        const Notice& notice = *entry.notice;
        report.isCutShort = report.isCutShort || saysCutShort(notice.code);
        lost += saysLost(notice.code) ? notice.count : 0;
        HealthRow row;
        row.severity = notice.severity;
        row.title = titleOf(notice.code);
        row.text = displayText(notice.text);
        row.places = placesText(notice);
        row.count = notice.count;
        if (trace.files().size() > 1)
            row.file = displayText(pathOf(trace, entry.file));
        for (const NoticePlace& place : notice.places) {
            const auto at = entry.file && place.offset ? slices.find({*entry.file, *place.offset}) : slices.end();
            if (!row.target.isValid() && at != slices.end())
                row.target = at->second;
        }
        report.rows.push_back(std::move(row));
    }
    report.isComplete = !trace.isPartial() && !report.isCutShort && lost == 0;
    report.summary = summaryOf(trace, report, lost);
    report.table = tableOf(trace, entries);
    return report;
}

} // namespace torchline
