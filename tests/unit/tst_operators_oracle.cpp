// Operator tables of recorded traces against the rows of key_averages() in the process that recorded them.
#include "analysis/operators.h"
#include "import/load.h"

#include <QTest>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

using namespace torchline;
using Json = nlohmann::json;

namespace {

const std::string kFolder = TORCHLINE_TEST_DATA "/oracle/";

std::string unpacked(const std::string& path)
{
    std::string text;
    gzFile file = gzopen(path.c_str(), "rb");
    std::array<char, 1 << 16> buffer;
    for (int n = 0; file != nullptr && (n = gzread(file, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<size_t>(n));
    gzclose(file);
    return text;
}

/// One spelling of input shapes; torch shows [] for a list of tensors, the file all of them.
std::string flatShapes(const std::string& text)
{
    const Json dims = text.empty() ? Json::array() : Json::parse(text, nullptr, false);
    Json flat = Json::array();
    for (const Json& each : dims) {
        const bool isList = each.is_array()
            && std::any_of(each.begin(), each.end(), [](const Json& size) { return size.is_array(); });
        flat.push_back(isList ? Json::array() : each);
    }
    return flat.dump();
}

struct Figures {
    int64_t calls = 0;
    int64_t selfCpuNs = 0;
    int64_t cpuTotalNs = 0;
    int64_t cpuMemBytes = 0;
    int64_t selfCpuMemBytes = 0;
    int64_t cudaMemBytes = 0;
    int64_t flops = 0;
};

std::string textOf(const Figures& figures, bool withSelf)
{
    std::string text = std::to_string(figures.calls) + " calls, total " + std::to_string(figures.cpuTotalNs) + " ns, "
        + std::to_string(figures.cpuMemBytes) + " B, device " + std::to_string(figures.cudaMemBytes) + " B, "
        + std::to_string(figures.flops) + " FLOPs";
    if (withSelf)
        text
            += ", self " + std::to_string(figures.selfCpuNs) + " ns, " + std::to_string(figures.selfCpuMemBytes) + " B";
    return text;
}

Figures operator+(const Figures& a, const OperatorRow& b)
{
    return {a.calls + b.calls, a.selfCpuNs + b.selfCpuNs, a.cpuTotalNs + b.cpuTotalNs,
        a.cpuMemBytes + b.cpuMemBytes.value_or(-1), a.selfCpuMemBytes + b.selfCpuMemBytes.value_or(-1),
        a.cudaMemBytes + b.cudaMemBytes.value_or(-1), a.flops + b.flops.value_or(0)};
}

using Key = std::tuple<std::string, bool, std::string, std::string>; ///< name, annotation, shapes, stack

} // namespace

class TestOperatorsOracle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowsEqualThoseOfTheProfiler_data();
    void rowsEqualThoseOfTheProfiler();
};

void TestOperatorsOracle::rowsEqualThoseOfTheProfiler_data()
{
    QTest::addColumn<QString>("workload");
    QTest::addColumn<QString>("table");
    QTest::addColumn<int>("leastRows");
    const auto row = [](const char* workload, const char* table, int leastRows) {
        QTest::addRow("%s %s", workload, table)
            << QString::fromLatin1(workload) << QString::fromLatin1(table) << leastRows;
    };
    row("mlp", "plain", 65);
    row("mlp", "by_input_shape", 140);
    row("mlp", "by_stack_5", 110);
    row("mlp", "by_shape_and_stack_5", 170);
    row("nested", "plain", 49);
    row("nested", "by_input_shape", 70);
}

void TestOperatorsOracle::rowsEqualThoseOfTheProfiler()
{
    QFETCH(QString, workload);
    QFETCH(QString, table);
    QFETCH(int, leastRows);
    const std::string stem = kFolder + workload.toStdString();
    const Json oracle = Json::parse(unpacked(stem + ".key_averages.json.gz"), nullptr, false);
    QVERIFY(oracle.is_object());
    const Json& wanted = oracle[table.toStdString()];
    QVERIFY(static_cast<int>(wanted.size()) >= leastRows);
    const bool withFlops = oracle["options"]["with_flops"].get<bool>(); // torch counts them only when asked to

    const auto trace = loadTraces({stem + ".trace.json.gz"});
    QVERIFY2(trace, trace ? "" : trace.error().message().c_str());
    OperatorOptions options;
    options.withFlops = withFlops;
    const bool isByShape = table.contains(QLatin1String("shape"));
    const bool isByStack = table.contains(QLatin1String("stack"));
    if (isByShape)
        options.groupBy.push_back(GroupKey::Shape);
    if (isByStack)
        options.groupBy.push_back(GroupKey::Stack);
    const Result<OperatorTable> ours = operatorTable(**trace, options);
    QVERIFY2(ours, ours ? "" : ours.error().message().c_str());

    std::map<Key, Figures> got;
    for (const OperatorRow& row : ours->rows) {
        QCOMPARE(row.flops.has_value(), withFlops);
        const std::string shapes = isByShape ? flatShapes(row.keys[0]) : std::string();
        Figures& figures
            = got[{row.name, row.kind == RowKind::Annotation, shapes, isByStack ? row.keys.back() : std::string()}];
        figures = figures + row;
    }
    bool hasAllSelfTimes = true;
    for (const Json& row : wanted) {
        std::string stack;
        for (const Json& frame : isByStack ? row["stack"] : Json::array())
            stack += (stack.empty() ? "" : ";") + frame.get<std::string>();
        const std::string shapes = isByShape
            ? flatShapes(
                row["input_shapes"].is_string() ? row["input_shapes"].get<std::string>() : row["input_shapes"].dump())
            : std::string();
        const auto name = row["key"].get<std::string>();
        const auto found = got.find({name, row["is_user_annotation"].get<bool>(), shapes, stack});
        QVERIFY2(found != got.end(), (name + ' ' + shapes + ' ' + stack).c_str());
        // What ended on another thread has no self figures for torch, and TorchScript functions (scope 2) may have.
        const bool withSelf = !row["is_async"].get<bool>() && row["scope"].get<int>() != 2;
        hasAllSelfTimes = hasAllSelfTimes && withSelf;
        const Figures figures{row["count"].get<int64_t>(), row["self_cpu_time_total_ns"].get<int64_t>(),
            row["cpu_time_total_ns"].get<int64_t>(), row["cpu_memory_usage"].get<int64_t>(),
            row["self_cpu_memory_usage"].get<int64_t>(), row["device_memory_usage"].get<int64_t>(),
            row["flops"].get<int64_t>()};
        QCOMPARE(QString::fromStdString(name + ": " + textOf(found->second, withSelf)),
            QString::fromStdString(name + ": " + textOf(figures, withSelf)));
        got.erase(found);
    }
    QVERIFY2(got.empty(), got.empty() ? "" : std::get<0>(got.begin()->first).c_str());
    if (hasAllSelfTimes) {
        const double microseconds = oracle["self_cpu_time_total"].get<double>();
        QCOMPARE(ours->selfCpuTotalNs, static_cast<int64_t>(std::llround(microseconds * 1000)));
    }
}

QTEST_GUILESS_MAIN(TestOperatorsOracle)
#include "tst_operators_oracle.moc"
