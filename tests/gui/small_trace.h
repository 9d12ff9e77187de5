#pragma once
// A small trace written to a file, for tests of the window: one thread, one stream, steps, memory, arrows.
// Thread: any.

#include <QByteArray>
#include <QFile>

namespace torchline::test {

/// Two steps of 1 ms; each has an operator aten::mm (200 us) with a launch (10 us) and its kernel (300 us).
inline QByteArray smallTraceText(int steps = 2)
{
    QByteArray events;
    const auto add = [&events](const QByteArray& event) { events += (events.isEmpty() ? "\n" : ",\n") + event; };
    add(R"({"ph":"M","name":"process_name","pid":100,"tid":0,"args":{"name":"python"}})");
    add(R"({"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"python"}})");
    for (int i = 0; i < steps; ++i) {
        const QByteArray n = QByteArray::number(i);
        const auto us = [i](double offset) { return QByteArray::number(1000.0 * i + offset, 'f', 3); };
        add(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + n + R"(","pid":100,"tid":100,"ts":)" + us(0)
            + R"(,"dur":990.000,"args":{"External id":)" + QByteArray::number(1000 + i) + "}}");
        add(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":)" + us(10)
            + R"(,"dur":200.000,"args":{"External id":)" + QByteArray::number(1 + i)
            + R"(,"Input Dims":[[8,8],[8,8]]}})");
        add(R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":)" + us(50)
            + R"(,"dur":10.000,"args":{"correlation":)" + QByteArray::number(77 + i) + R"(,"External id":)"
            + QByteArray::number(1 + i) + "}}");
        add(R"({"ph":"X","cat":"kernel","name":"sgemm_128","pid":0,"tid":7,"ts":)" + us(100)
            + R"(,"dur":300.000,"args":{"device":0,"stream":7,"correlation":)" + QByteArray::number(77 + i)
            + R"(,"External id":)" + QByteArray::number(1 + i) + "}}");
        add(R"({"ph":"s","cat":"ac2g","name":"ac2g","id":)" + QByteArray::number(77 + i)
            + R"(,"pid":100,"tid":100,"ts":)" + us(50) + "}");
        add(R"({"ph":"f","bp":"e","cat":"ac2g","name":"ac2g","id":)" + QByteArray::number(77 + i)
            + R"(,"pid":0,"tid":7,"ts":)" + us(100) + "}");
        add(R"({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":100,"tid":100,"ts":)" + us(20)
            + R"(,"args":{"Device Type":1,"Device Id":0,"Addr":1,"Bytes":1024,"Total Allocated":)"
            + QByteArray::number(1024 * (i + 1)) + R"(,"Total Reserved":2097152}})");
    }
    return R"({"schemaVersion":1,"traceEvents":[)" + events + "\n]}\n";
}

inline bool writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace torchline::test
