// Every case of tests/data/cases (and of the shared folder, where that is there): what its sidecar says about loading.
#include "import/load.h"

#include <QtTest>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

using namespace torchline;
using namespace Qt::StringLiterals;

namespace {

struct Case {
    QString folder;
    QString name;
    QJsonObject sidecar;
};

QJsonObject readObject(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).object();
}

std::vector<Case> allCases()
{
    const QString suffix = u".expect.json"_s;
    std::vector<Case> cases;
    QSet<QString> seen;
    for (const char* folder : {TORCHLINE_TEST_DATA "/cases", TORCHLINE_SHARED_DIR "/cases"}) {
        const QDir dir(QString::fromUtf8(folder));
        for (const QString& side : dir.entryList({u"*"_s + suffix}, QDir::Files, QDir::Name)) {
            const QString name = side.chopped(suffix.size());
            if (!seen.contains(name))
                cases.push_back({dir.path(), name, readObject(dir.filePath(side))});
            seen.insert(name);
        }
    }
    return cases;
}

std::vector<std::string> inputsOf(const Case& one)
{
    std::vector<std::string> paths;
    const QJsonArray open = one.sidecar.value(u"open"_s).toArray(QJsonArray{one.name});
    for (const QJsonValue& file : open)
        paths.push_back(QString(one.folder + u'/' + file.toString()).toStdString());
    return paths;
}

QString microseconds(int64_t ns)
{
    return QString::fromStdString(microsecondsText(ns));
}

/// The word occurs; words of up to three letters must start a word.
bool says(const QString& word, const QString& text)
{
    const QString lower = word.toLower();
    if (lower.size() > 3)
        return text.toLower().contains(lower);
    const QRegularExpression pattern(u"(?<![a-z0-9])"_s + QRegularExpression::escape(lower));
    return text.toLower().contains(pattern);
}

bool matches(const QJsonValue& want, double got, double tolerance = 0)
{
    if (want.isObject()) {
        const QJsonObject choice = want.toObject();
        if (choice.contains(u"any_of"_s)) {
            const QJsonArray any = choice.value(u"any_of"_s).toArray();
            return std::any_of(any.begin(), any.end(), [&](const QJsonValue& w) { return matches(w, got, tolerance); });
        }
        return got >= choice.value(u"min"_s).toDouble(got) - tolerance
            && got <= choice.value(u"max"_s).toDouble(got) + tolerance;
    }
    return std::abs(want.toDouble() - got) <= tolerance;
}

struct Found {
    QStringList notices;
    std::multimap<std::string, SliceRef> slices;
    std::set<std::pair<std::string, std::string>> threads;
    int64_t firstNs = kMaxNs;
    int64_t lastNs = kMinNs;
    uint16_t maxDepth = 0;
};

Found lookThrough(const TraceSnapshot& trace)
{
    Found found;
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        for (const Notice& notice : trace.file(f).notices)
            found.notices.append(QString::fromStdString(notice.code + ": " + notice.text));
    }
    for (const Notice& notice : trace.notices())
        found.notices.append(QString::fromStdString(notice.code + ": " + notice.text));
    for (uint32_t l = 0; l < trace.lanes().size(); ++l) {
        const LaneId id(l);
        const Lane& lane = trace.lane(id);
        found.maxDepth = std::max(found.maxDepth, lane.maxDepth());
        for (uint32_t i = 0; i < lane.size(); ++i) {
            found.slices.emplace(trace.text(lane.name(i)), SliceRef{id, i});
            found.firstNs = std::min(found.firstNs, lane.startNs(i));
            found.lastNs = std::max(found.lastNs, lane.endNs(i));
        }
    }
    return found;
}

} // namespace

class TestImportCases : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loadsAsItsSidecarSays_data();
    void loadsAsItsSidecarSays();
    void healthyFilesHaveNoNotices_data();
    void healthyFilesHaveNoNotices();

private:
    void checkCounts(const TraceSnapshot& trace, const QJsonObject& sidecar, const Found& found);
    void checkSlices(const TraceSnapshot& trace, const QJsonObject& sidecar, const Found& found);
    void checkSeries(const TraceSnapshot& trace, const QJsonObject& sidecar);
};

void TestImportCases::loadsAsItsSidecarSays_data()
{
    QTest::addColumn<int>("index");
    const std::vector<Case> cases = allCases();
    QVERIFY2(cases.size() >= 90, "the cases are not there");
    for (size_t i = 0; i < cases.size(); ++i)
        QTest::newRow(qPrintable(cases[i].name)) << static_cast<int>(i);
}

void TestImportCases::loadsAsItsSidecarSays()
{
    QFETCH(int, index);
    const Case one = allCases()[static_cast<size_t>(index)];
    const QJsonObject& sidecar = one.sidecar;
    const QJsonValue loads = sidecar.value(u"loads"_s);

    const auto trace = loadTraces(inputsOf(one));
    if (!trace) {
        const QString message = QString::fromStdString(trace.error().message());
        QVERIFY2(!loads.isBool() || !loads.toBool(), qPrintable(message));
        QVERIFY2(message.startsWith(QString::fromStdString(inputsOf(one).front())), qPrintable(message));
        const QString cause = QString(message).remove(QString::fromStdString(inputsOf(one).front()));
        const QJsonArray words = sidecar.value(u"error_contains"_s).toArray();
        QVERIFY2(words.isEmpty()
                || std::any_of(
                    words.begin(), words.end(), [&](const QJsonValue& w) { return says(w.toString(), cause); }),
            qPrintable(cause));
        return;
    }
    QVERIFY2(!loads.isBool() || loads.toBool(), "opened, though it is no trace");
    const Found found = lookThrough(**trace);
    checkCounts(**trace, sidecar, found);
    checkSlices(**trace, sidecar, found);
    checkSeries(**trace, sidecar);
    for (const QString& field : {u"warnings_contain"_s, u"messages_contain"_s}) {
        for (const QJsonValue& words : sidecar.value(field).toArray()) {
            const QJsonArray any = words.toArray();
            const bool isSaid = std::any_of(any.begin(), any.end(), [&](const QJsonValue& w) {
                return std::any_of(found.notices.begin(), found.notices.end(),
                    [&](const QString& notice) { return says(w.toString(), notice); });
            });
            QVERIFY2(isSaid, qPrintable(found.notices.join(u'\n')));
        }
    }
}

void TestImportCases::checkCounts(const TraceSnapshot& trace, const QJsonObject& sidecar, const Found& found)
{
    size_t flows = 0;
    size_t instants = 0;
    size_t asyncSlices = 0;
    std::set<std::pair<uint32_t, uint32_t>> processes;
    for (uint32_t f = 0; f < trace.files().size(); ++f) {
        const FileStore& file = trace.file(f);
        flows += file.links.arrows.size();
        instants += file.instants.size() + file.memory.size();
        asyncSlices += file.asyncSlices.size();
        for (const LaneStore& lane : file.lanes)
            processes.emplace(f, lane.process);
    }
    const auto check = [&](const QString& field, size_t got) {
        if (sidecar.contains(field))
            QVERIFY2(matches(sidecar.value(field), static_cast<double>(got)),
                qPrintable(field + u": "_s + QString::number(got)));
    };
    check(u"events"_s, trace.sliceCount());
    check(u"threads"_s, trace.lanes().size());
    check(u"processes"_s, processes.size());
    check(u"flows"_s, flows);
    check(u"instants"_s, instants);
    check(u"async_slices"_s, asyncSlices);
    check(u"max_depth"_s, found.maxDepth);
    if (sidecar.contains(u"max_end_us"_s)) {
        const FileStore& file = trace.file(0);
        QCOMPARE(
            microseconds(addSaturated(file.info.originNs, file.lastNs)), sidecar.value(u"max_end_us"_s).toString());
    }
    if (sidecar.contains(u"span_us"_s)) {
        const double spanUs = static_cast<double>(found.lastNs - found.firstNs) / 1000;
        QVERIFY2(matches(sidecar.value(u"span_us"_s), spanUs, 0.0005), qPrintable(QString::number(spanUs, 'f', 3)));
    }
    if (sidecar.contains(u"info_contains"_s)) {
        QString header;
        for (const auto& [key, value] : trace.file(0).info.header)
            header += QString::fromStdString(key + '=' + value + '\n');
        for (const QJsonValue& word : sidecar.value(u"info_contains"_s).toArray())
            QVERIFY2(header.contains(word.toString()), qPrintable(header));
    }
}

void TestImportCases::checkSlices(const TraceSnapshot& trace, const QJsonObject& sidecar, const Found& found)
{
    const auto only = [&](const QString& name) {
        const auto [begin, end] = found.slices.equal_range(name.toStdString());
        return begin == end ? SliceRef() : begin->second;
    };
    for (const QJsonValue& name : sidecar.value(u"names"_s).toArray())
        QVERIFY2(found.slices.count(name.toString().toStdString()) > 0, qPrintable(name.toString()));
    for (const QJsonValue& name : sidecar.value(u"absent_names"_s).toArray())
        QVERIFY2(found.slices.count(name.toString().toStdString()) == 0, qPrintable(name.toString()));
    const QJsonObject slices = sidecar.value(u"slices"_s).toObject();
    for (auto it = slices.begin(); it != slices.end(); ++it) {
        const SliceRef slice = only(it.key());
        QVERIFY2(slice.isValid(), qPrintable(it.key()));
        const double startUs = static_cast<double>(trace.startNs(slice) - found.firstNs) / 1000;
        const double durationUs = static_cast<double>(trace.durationNs(slice)) / 1000;
        QVERIFY(matches(it->toObject().value(u"start_us"_s), startUs, 0.0005));
        QVERIFY(matches(it->toObject().value(u"dur_us"_s), durationUs, 0.0005));
    }
    const QJsonObject parents = sidecar.value(u"parents"_s).toObject();
    for (auto it = parents.begin(); it != parents.end(); ++it) {
        const SliceRef slice = only(it.key());
        QVERIFY2(slice.isValid(), qPrintable(it.key()));
        const SliceRef parent = trace.parent(slice);
        const std::string_view parentName = parent.isValid() ? trace.text(trace.name(parent)) : std::string_view();
        QCOMPARE(QString::fromUtf8(parentName.data(), static_cast<qsizetype>(parentName.size())), it->toString());
        QCOMPARE(parent.isValid(), !it->isNull());
    }
    const QJsonObject args = sidecar.value(u"args"_s).toObject();
    for (auto it = args.begin(); it != args.end(); ++it) {
        const SliceRef slice = only(it.key());
        QVERIFY2(slice.isValid(), qPrintable(it.key()));
        const auto got = trace.args(slice);
        QVERIFY2(got, qPrintable(it.key()));
        const QJsonObject wanted = it->toObject();
        for (auto arg = wanted.begin(); arg != wanted.end(); ++arg) {
            const std::string* value = findArg(*got, arg.key().toStdString());
            QVERIFY2(value != nullptr, qPrintable(arg.key()));
            QCOMPARE(QString::fromStdString(*value), arg->toString());
        }
    }
    // Whatever else: the arguments of each slice can be read.
    for (const auto& [name, slice] : found.slices) {
        const auto got = trace.args(slice);
        QVERIFY2(got, got ? "" : qPrintable(QString::fromStdString(got.error().message())));
    }
}

void TestImportCases::checkSeries(const TraceSnapshot& trace, const QJsonObject& sidecar)
{
    const QJsonObject counters = sidecar.value(u"counters"_s).toObject();
    for (auto it = counters.begin(); it != counters.end(); ++it) {
        uint64_t records = 0;
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (const Counter& counter : trace.file(0).counters) {
            if (trace.text(counter.name) != it.key().toStdString())
                continue;
            records += counter.records;
            for (const CounterSeries& series : counter.series) {
                for (const CounterSample& sample : series.samples) {
                    lowest = std::min(lowest, sample.value);
                    highest = std::max(highest, sample.value);
                }
            }
        }
        QVERIFY(matches(it->toObject().value(u"samples"_s), static_cast<double>(records)));
        QVERIFY(matches(it->toObject().value(u"min"_s), lowest, 0.0005));
        QVERIFY(matches(it->toObject().value(u"max"_s), highest, 0.0005));
    }
    const QJsonObject memory = sidecar.value(u"memory"_s).toObject();
    for (auto it = memory.begin(); it != memory.end(); ++it) {
        std::vector<int64_t> totals;
        for (const MemorySample& sample : trace.file(0).memory) {
            const MemoryOrigin& origin = trace.file(0).memoryOrigins[sample.origin];
            const QString device = QString::number(origin.deviceType) + u':' + QString::number(origin.deviceId);
            if (device == it.key() && sample.totalAllocated != kNoValue)
                totals.push_back(sample.totalAllocated);
        }
        QVERIFY(!totals.empty());
        const auto [lowest, highest] = std::minmax_element(totals.begin(), totals.end());
        QVERIFY(matches(it->toObject().value(u"samples"_s), static_cast<double>(totals.size())));
        QVERIFY(matches(it->toObject().value(u"min_bytes"_s), static_cast<double>(*lowest)));
        QVERIFY(matches(it->toObject().value(u"max_bytes"_s), static_cast<double>(*highest)));
    }
}

void TestImportCases::healthyFilesHaveNoNotices_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name :
        {u"healthy-train-step.json"_s, u"healthy-train-step-b.json.gz"_s, u"valid-escapes.json"_s,
            u"minified-any-key-order.json"_s, u"header-after-events.json"_s, u"utf8-bom.json"_s, u"time-as-text.json"_s,
            u"gzip-two-members.json.gz"_s, u"duplicate-args-keys.json"_s, u"args-of-any-shape.json"_s})
        QTest::newRow(qPrintable(name)) << name;
}

void TestImportCases::healthyFilesHaveNoNotices()
{
    QFETCH(QString, name);
    const auto trace = loadTraces({TORCHLINE_TEST_DATA "/cases/" + name.toStdString()});
    QVERIFY(trace);
    QCOMPARE(lookThrough(**trace).notices, QStringList());
}

QTEST_GUILESS_MAIN(TestImportCases)
#include "tst_import_cases.moc"
