#include "kineto_writer.h"

#include <cassert>
#include <utility>

namespace torchline::test {

namespace {

constexpr size_t kSpillBytes = size_t{8} << 20;

void appendQuoted(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text) {
        assert(static_cast<unsigned char>(c) >= 0x20);
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

/// Process and thread as Kineto writes them: a number stands bare, a text in quotes.
void appendRowId(std::string& out, std::string_view id)
{
    const bool isNumber = !id.empty() && id.find_first_not_of("0123456789") == std::string_view::npos;
    if (isNumber)
        out += id;
    else
        appendQuoted(out, id);
}

} // namespace

std::string kinetoTime(int64_t ns)
{
    std::string text = std::to_string(ns / 1000);
    const std::string decimals = std::to_string(1000 + ns % 1000);
    return text.append(1, '.').append(decimals, 1, 3);
}

std::string decimalText(int64_t numerator, int64_t denominator)
{
    constexpr int64_t kScale = 1000000;
    const int64_t whole = numerator / denominator;
    const int64_t millionths = ((numerator % denominator) * kScale + denominator / 2) / denominator;
    std::string text = std::to_string(whole + millionths / kScale);
    const std::string decimals = std::to_string(kScale + millionths % kScale);
    return text.append(1, '.').append(decimals, 1, 6);
}

void OpInputs::add(std::string_view dims, std::string_view type, std::string_view concrete)
{
    const std::string_view separator = m_dims.empty() ? "" : ", ";
    m_dims.append(separator).append(dims);
    m_types.append(separator);
    appendQuoted(m_types, type);
    m_concrete.append(separator);
    appendQuoted(m_concrete, concrete);
}

OpInputs& OpInputs::tensor(std::initializer_list<int64_t> shape, std::string_view type)
{
    std::string dims;
    for (const int64_t extent : shape)
        dims.append(dims.empty() ? "[" : ", ").append(std::to_string(extent));
    add(dims.empty() ? "[]" : dims += ']', type, "");
    return *this;
}

OpInputs& OpInputs::scalar(std::string_view value)
{
    add("[]", "Scalar", value);
    return *this;
}

OpInputs& OpInputs::list(std::string_view value)
{
    add("[]", "ScalarList", value);
    return *this;
}

OpInputs& OpInputs::none()
{
    add("[]", "", "");
    return *this;
}

void OpInputs::appendTo(std::string& args) const
{
    if (isEmpty())
        return;
    args.append("\"Concrete Inputs\": [").append(m_concrete).append("], ");
    args.append("\"Input type\": [").append(m_types).append("], ");
    args.append("\"Input Dims\": [").append(m_dims).append("], ");
}

KinetoWriter::KinetoWriter(TextSink sink, int64_t pid)
    : m_sink(std::move(sink))
    , m_pid(pid)
{
}

KinetoWriter::~KinetoWriter()
{
    for (const Section& section : m_sections) {
        if (section.file)
            std::fclose(section.file);
    }
}

void KinetoWriter::begin(int64_t beginNs, std::string_view header)
{
    m_beginNs = beginNs;
    std::string text = "{\n  \"schemaVersion\": 1,\n";
    text.append(header).append("  \"traceEvents\": [\n");
    m_sink(text);
}

void KinetoWriter::openSlice(
    std::string_view category, std::string_view name, int64_t pid, int64_t tid, int64_t startNs, int64_t endNs)
{
    m_event.assign("  {\n    \"ph\": \"X\", \"cat\": ");
    appendQuoted(m_event, category);
    m_event += ", \"name\": ";
    appendQuoted(m_event, name);
    if (m_namesToNumber > 0 && m_slices % 4 != 0) {
        m_event.back() = ' ';
        m_event.append(std::to_string(m_namesToNumber--)) += '"';
    }
    m_event.append(", \"pid\": ").append(std::to_string(pid)).append(", \"tid\": ").append(std::to_string(tid));
    m_event.append(",\n    \"ts\": ").append(kinetoTime(startNs));
    m_event.append(", \"dur\": ").append(kinetoTime(endNs - startNs));
    m_event += ",\n    \"args\": {\n      ";
    ++m_slices;
}

void KinetoWriter::close(SectionId id, std::string_view event)
{
    Section& section = m_sections[id];
    section.text += event;
    ++m_events;
    if (section.text.size() < kSpillBytes)
        return;
    if (!section.file)
        section.file = std::tmpfile();
    m_hasFailed |= !section.file
        || std::fwrite(section.text.data(), 1, section.text.size(), section.file) != section.text.size();
    section.text.clear();
}

void KinetoWriter::drain(Section& section)
{
    if (section.file) {
        std::rewind(section.file);
        std::string block(kSpillBytes, '\0');
        while (const size_t read = std::fread(block.data(), 1, block.size(), section.file))
            m_sink(std::string_view(block).substr(0, read));
        m_hasFailed |= std::ferror(section.file) != 0;
    }
    m_sink(section.text);
}

void KinetoWriter::addFlow(
    SectionId id, char phase, std::string_view category, uint64_t flow, int64_t pid, int64_t tid, int64_t timeNs)
{
    m_event.assign("  {\n    \"ph\": \"").append(1, phase).append("\", \"id\": ").append(std::to_string(flow));
    m_event.append(", \"pid\": ").append(std::to_string(pid)).append(", \"tid\": ").append(std::to_string(tid));
    m_event.append(", \"ts\": ").append(kinetoTime(timeNs)).append(",\n    \"cat\": ");
    appendQuoted(m_event, category);
    m_event += ", \"name\": ";
    appendQuoted(m_event, category);
    m_event += phase == 'f' ? ", \"bp\": \"e\"\n  },\n" : "\n  },\n";
    close(id, m_event);
}

void KinetoWriter::add(const OpEvent& event)
{
    openSlice(event.category, event.name, m_pid, event.tid, event.startNs, event.endNs);
    m_event.append("\"External id\": ").append(std::to_string(event.externalId)).append(", ");
    if (event.sequence >= 0) {
        m_event.append("\"Sequence number\": ").append(std::to_string(event.sequence));
        m_event.append(", \"Fwd thread id\": ").append(std::to_string(event.forwardThread)).append(", ");
    }
    m_event += "\"Record function id\": 0, ";
    m_event += event.extraArgs;
    event.inputs.appendTo(m_event);
    if (!event.callStack.empty()) {
        m_event += "\"Call stack\": ";
        appendQuoted(m_event, event.callStack);
        m_event += ", ";
    }
    m_event.append("\"Ev Idx\": ").append(std::to_string(m_evIndex++)).append("\n    }\n  },\n");
    close(Operators, m_event);
    if (event.flowOut)
        addFlow(Operators, 's', "fwdbwd", event.flowOut, m_pid, event.tid, event.startNs);
    if (event.flowIn)
        addFlow(Operators, 'f', "fwdbwd", event.flowIn, m_pid, event.tid, event.startNs);
}

void KinetoWriter::add(const PythonEvent& event)
{
    openSlice("python_function", event.name, m_pid, event.tid, event.startNs, event.endNs);
    m_event.append("\"Python parent id\": ");
    m_event.append(event.parentId ? std::to_string(event.parentId) : "null").append(", ");
    if (event.moduleId >= 0)
        m_event.append("\"Python module id\": ").append(std::to_string(event.moduleId)).append(", ");
    m_event.append("\"Python id\": ").append(std::to_string(event.id)).append(", ");
    m_event.append("\"Ev Idx\": ").append(std::to_string(m_evIndex++)).append("\n    }\n  },\n");
    close(Python, m_event);
}

void KinetoWriter::add(const MemoryEvent& event)
{
    m_event = "  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]\"";
    m_event.append(", \"pid\": ").append(std::to_string(m_pid)).append(", \"tid\": ").append(std::to_string(event.tid));
    m_event.append(",\n    \"ts\": ").append(kinetoTime(event.timeNs));
    m_event.append(",\n    \"args\": {\n      \"Total Reserved\": ").append(std::to_string(event.totalReserved));
    m_event.append(", \"Total Allocated\": ").append(std::to_string(event.totalAllocated));
    m_event.append(", \"Bytes\": ").append(std::to_string(event.bytes));
    m_event.append(", \"Addr\": ").append(std::to_string(event.address));
    m_event.append(", \"Device Id\": ").append(std::to_string(event.deviceId));
    m_event.append(", \"Device Type\": ").append(std::to_string(event.deviceType));
    m_event.append(", \"Ev Idx\": ").append(std::to_string(m_evIndex++)).append("\n    }\n  },\n");
    close(Memory, m_event);
}

void KinetoWriter::add(const CallEvent& event)
{
    openSlice("cuda_runtime", event.name, m_pid, event.tid, event.startNs, event.endNs);
    if (event.externalId)
        m_event.append("\"External id\": ").append(std::to_string(event.externalId)).append(", ");
    m_event.append("\"cbid\": ").append(std::to_string(event.cbid));
    m_event.append(", \"correlation\": ").append(std::to_string(event.correlation)).append("\n    }\n  },\n");
    close(Device, m_event);
    if (event.startsWork)
        addFlow(Device, 's', "ac2g", event.correlation, m_pid, event.tid, event.startNs);
}

void KinetoWriter::add(const DeviceEvent& event)
{
    openSlice(event.category, event.name, 0, event.stream, event.startNs, event.endNs);
    if (event.externalId)
        m_event.append("\"External id\": ").append(std::to_string(event.externalId)).append(", ");
    m_event.append("\"device\": 0, \"context\": 1, \"stream\": ").append(std::to_string(event.stream));
    m_event.append(", \"correlation\": ").append(std::to_string(event.correlation)).append(", ");
    m_event.append(event.args).append("\n    }\n  },\n");
    close(Device, m_event);
    addFlow(Device, 'f', "ac2g", event.correlation, 0, event.stream, event.startNs);
}

void KinetoWriter::addDeviceAnnotation(
    std::string_view name, int64_t stream, int64_t startNs, int64_t endNs, uint64_t externalId)
{
    openSlice("gpu_user_annotation", name, 0, stream, startNs, endNs);
    m_event.append("\"External id\": ").append(std::to_string(externalId)).append("\n    }\n  },\n");
    close(Device, m_event);
}

void KinetoWriter::openMetadata(std::string_view what, std::string_view pid, std::string_view tid)
{
    m_event.assign("  {\n    \"name\": ");
    appendQuoted(m_event, what);
    m_event.append(", \"ph\": \"M\", \"ts\": ").append(kinetoTime(m_beginNs)).append(", \"pid\": ");
    appendRowId(m_event, pid);
    m_event += ", \"tid\": ";
    appendRowId(m_event, tid);
    m_event += ",\n    \"args\": {\n      ";
}

void KinetoWriter::addName(std::string_view what, std::string_view pid, std::string_view tid, std::string_view value)
{
    openMetadata(what, pid, tid);
    m_event += what == "process_labels" ? "\"labels\": " : "\"name\": ";
    appendQuoted(m_event, value);
    m_event += "\n    }\n  },\n";
    close(Names, m_event);
}

void KinetoWriter::addSortIndex(std::string_view what, std::string_view pid, std::string_view tid, int64_t index)
{
    openMetadata(what, pid, tid);
    m_event.append("\"sort_index\": ").append(std::to_string(index)).append("\n    }\n  },\n");
    close(Names, m_event);
}

void KinetoWriter::end(int64_t endNs, std::string_view traceName)
{
    addSortIndex("process_sort_index", "Spans", "0", 536870912);
    for (Section& section : m_sections)
        drain(section);
    const std::string from = kinetoTime(m_beginNs);
    std::string tail = "  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ";
    tail.append(from).append(", \"dur\": ").append(kinetoTime(endNs - m_beginNs));
    tail += ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\", \"name\": \"PyTorch Profiler (0)\","
            "\n    \"args\": {\n      \"Op count\": 0\n    }\n  },\n";
    tail.append("  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\","
                "\n    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
    tail.append(from).append("\n  },\n");
    tail.append("  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\","
                "\n    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    tail.append(kinetoTime(endNs)).append("\n  }\n  ],\n  \"traceName\": ");
    appendQuoted(tail, traceName);
    tail += "\n}\n";
    m_sink(tail);
    m_events += 3;
    ++m_slices;
}

} // namespace torchline::test
