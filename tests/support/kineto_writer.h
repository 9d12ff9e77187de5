#pragma once
// KinetoWriter: events in the text form and order in which Kineto writes them; used by the trace generator.
// Thread: one owner. Times are ns on the file's axis. Memory does not grow with the file: sections that have to wait
// for their place go to unnamed temporary files.

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace torchline::test {

/// Receives the file from first to last byte.
using TextSink = std::function<void(std::string_view)>;

/// Inputs of an operator as the args "Input Dims", "Input type" and "Concrete Inputs" have them.
class OpInputs {
public:
    OpInputs& tensor(std::initializer_list<int64_t> shape, std::string_view type = "c10::BFloat16");
    OpInputs& scalar(std::string_view value);
    OpInputs& list(std::string_view value);
    OpInputs& none(); ///< an optional argument that was not given

    [[nodiscard]] bool isEmpty() const { return m_dims.empty(); }
    void appendTo(std::string& args) const;

private:
    void add(std::string_view dims, std::string_view type, std::string_view concrete);

    std::string m_dims;
    std::string m_types;
    std::string m_concrete;
};

struct OpEvent {
    std::string name;
    std::string_view category = "cpu_op";
    int64_t tid = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
    uint64_t externalId = 0;
    int64_t sequence = -1; ///< -1: none
    int forwardThread = 0;
    OpInputs inputs;
    std::string callStack; ///< innermost frame first, each ended by ';'
    std::string extraArgs; ///< `"key": value, ` as it stands in the file
    uint64_t flowOut = 0; ///< fwdbwd: this is the forward end; 0: none
    uint64_t flowIn = 0; ///< fwdbwd: this is the backward end; 0: none
};

struct PythonEvent {
    std::string name;
    int64_t tid = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
    uint64_t id = 0;
    uint64_t parentId = 0; ///< 0: null
    int64_t moduleId = -1; ///< of nn.Module frames
};

struct MemoryEvent {
    int64_t timeNs = 0;
    int64_t tid = 0;
    int64_t bytes = 0; ///< signed
    uint64_t address = 0;
    int64_t totalAllocated = 0;
    int64_t totalReserved = 0;
    int deviceType = 0; ///< 0 CPU, 1 CUDA
    int deviceId = -1;
};

struct CallEvent {
    std::string_view name;
    int cbid = 0;
    int64_t tid = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
    uint64_t externalId = 0; ///< 0: outside any operator
    uint64_t correlation = 0;
    bool startsWork = false; ///< an arrow leads to the device work
};

struct DeviceEvent {
    std::string_view category; ///< kernel, gpu_memcpy, gpu_memset
    std::string_view name;
    int64_t stream = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
    uint64_t externalId = 0;
    uint64_t correlation = 0;
    std::string args; ///< what else the file says: grid, bytes, ...
};

class KinetoWriter {
public:
    KinetoWriter(TextSink sink, int64_t pid);
    ~KinetoWriter();
    KinetoWriter(const KinetoWriter&) = delete;
    KinetoWriter& operator=(const KinetoWriter&) = delete;

    /// header: `"key": value,` lines that stand before traceEvents.
    void begin(int64_t beginNs, std::string_view header);
    void add(const OpEvent& event);
    void add(const PythonEvent& event);
    void add(const MemoryEvent& event);
    void add(const CallEvent& event);
    void add(const DeviceEvent& event);
    void addDeviceAnnotation(
        std::string_view name, int64_t stream, int64_t startNs, int64_t endNs, uint64_t externalId);
    void addName(std::string_view what, std::string_view pid, std::string_view tid, std::string_view value);
    void addSortIndex(std::string_view what, std::string_view pid, std::string_view tid, int64_t index);
    /// The slice around the whole recording, its first and its last instant, then the end of the file.
    void end(int64_t endNs, std::string_view traceName);

    /// Three of four slices from now on get a number behind their name, until there are `count` of them.
    void numberNames(uint64_t count) { m_namesToNumber = count; }
    /// Events written: slices, markers, both ends of arrows, names.
    [[nodiscard]] uint64_t eventCount() const { return m_events; }
    [[nodiscard]] uint64_t sliceCount() const { return m_slices; }
    /// True if a temporary file could not be written or read back.
    [[nodiscard]] bool hasFailed() const { return m_hasFailed; }

private:
    /// Text that waits for its place in the file.
    struct Section {
        std::string text;
        std::FILE* file = nullptr;
    };
    enum SectionId { Operators, Memory, Python, Device, Names, SectionCount };

    void close(SectionId id, std::string_view event);
    void openSlice(
        std::string_view category, std::string_view name, int64_t pid, int64_t tid, int64_t startNs, int64_t endNs);
    void openMetadata(std::string_view what, std::string_view pid, std::string_view tid);
    void addFlow(
        SectionId id, char phase, std::string_view category, uint64_t flow, int64_t pid, int64_t tid, int64_t timeNs);
    void drain(Section& section);

    TextSink m_sink;
    int64_t m_pid;
    std::array<Section, SectionCount> m_sections;
    std::string m_event; ///< the one being put together
    int64_t m_beginNs = 0;
    uint64_t m_events = 0;
    uint64_t m_slices = 0;
    uint64_t m_namesToNumber = 0;
    uint64_t m_evIndex = 0;
    bool m_hasFailed = false;
};

/// Microseconds with three decimals, as Kineto prints times.
[[nodiscard]] std::string kinetoTime(int64_t ns);
/// A quotient with six decimals: "blocks per SM", bandwidths.
[[nodiscard]] std::string decimalText(int64_t numerator, int64_t denominator);

} // namespace torchline::test
