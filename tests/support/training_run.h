#pragma once
// TrainingRun: clocks, threads, streams and allocators of a simulated training process, recorded as torch.profiler
// would. Whoever describes a model calls op(), module(), launch(), ... in program order; each call advances the clock
// of the thread that is running. The main thread and the autograd thread take turns, as they do in backward(). Thread:
// one owner. Times are ns on the file's axis. Integers only, so a seed gives the same bytes everywhere.

#include "kineto_writer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchline::test {

/// splitmix64.
class Random {
public:
    explicit Random(uint64_t seed)
        : m_state(seed)
    {
    }
    uint64_t next();
    /// ns, give or take up to percent.
    int64_t around(int64_t ns, int percent);

private:
    uint64_t m_state;
};

struct Kernel {
    std::string_view name;
    int64_t durationNs = 0;
    std::array<int64_t, 3> grid{1, 1, 1};
    int64_t threads = 128;
    int64_t registers = 32;
    int64_t sharedBytes = 0;
};

struct Tensor {
    int64_t bytes = 0;
    uint64_t address = 0;
};

/// An operator of the running step, for arrows from forward to backward.
struct ForwardOp {
    size_t index = 0;
    int64_t sequence = 0;
};

class TrainingRun {
public:
    static constexpr int64_t kComputeStream = 7;
    static constexpr int64_t kCommunicationStream = 20;

    TrainingRun(KinetoWriter& writer, uint64_t seed, bool withStacks, bool withShapes, bool withMemory);

    [[nodiscard]] int64_t nowNs() const { return m_nowNs; }
    Random& random() { return m_random; }
    void setRecording(bool isRecording) { m_isRecording = isRecording; }
    void passTime(int64_t ns) { m_nowNs += ns; }

    /// An operator that costs ownNs besides what body does.
    template <typename Body> void op(std::string_view name, const OpInputs& inputs, int64_t ownNs, Body&& body)
    {
        const size_t index = beginOp(name, inputs, ownNs);
        body();
        endOp(index, ownNs);
    }
    void op(std::string_view name, const OpInputs& inputs, int64_t ownNs)
    {
        op(name, inputs, ownNs, [] {});
    }
    /// The same, and autograd records a node for it.
    template <typename Body>
    ForwardOp recordedOp(std::string_view name, const OpInputs& inputs, int64_t ownNs, Body&& body)
    {
        const size_t index = beginOp(name, inputs, ownNs);
        const ForwardOp forward{index, m_sequence++};
        const bool outer = std::exchange(m_isGradRecorded, false);
        body();
        m_isGradRecorded = outer;
        endOp(index, ownNs);
        return forward;
    }
    /// autograd's evaluation of the node called name, on the autograd thread.
    template <typename Body>
    void backwardOp(std::string_view name, const ForwardOp& forward, const OpInputs& inputs, int64_t ownNs, Body&& body)
    {
        const size_t outer = beginBackward("autograd::engine::evaluate_function: ", name, forward, {}, ownNs);
        const size_t inner = beginBackward("", name, forward, inputs, ownNs);
        linkBackward(forward, inner);
        body();
        endOp(inner, ownNs);
        endOp(outer, ownNs);
    }
    /// A user annotation, mirrored on the streams that its work runs on.
    template <typename Body> void annotation(std::string_view name, std::string_view extraArgs, Body&& body)
    {
        beginAnnotation(name, extraArgs);
        body();
        endAnnotation();
    }
    /// A Python frame; an nn.Module's frame has a module id.
    template <typename Body> void frame(std::string_view name, int64_t moduleId, Body&& body)
    {
        beginFrame(name, moduleId);
        body();
        endFrame();
    }
    template <typename Body> void frame(std::string_view name, Body&& body)
    {
        frame(name, -1, std::forward<Body>(body));
    }
    void beginFrame(std::string_view name, int64_t moduleId);
    void endFrame();
    /// Operators of body are numbered for autograd.
    template <typename Body> void withGrad(Body&& body)
    {
        m_isGradRecorded = true;
        body();
        m_isGradRecorded = false;
    }
    /// What body does runs on the autograd thread.
    template <typename Body> void onAutogradThread(Body&& body)
    {
        m_tid = kAutogradTid;
        body();
        m_tid = kMainTid;
    }

    /// Launches a kernel from the innermost operator.
    void launch(const Kernel& kernel, int64_t stream = kComputeStream, std::string_view extraArgs = {});
    void copy(std::string_view name, int64_t bytes, int64_t bytesPerMicrosecond);
    void clear(int64_t bytes);
    void call(std::string_view name, int cbid, int64_t durationNs);
    /// cudaStreamSynchronize on the compute stream.
    void synchronize();
    /// Work on stream `to` launched from now on starts after what `from` has been given so far.
    void waitFor(int64_t from, int64_t to);

    [[nodiscard]] Tensor allocate(int64_t bytes);
    void release(Tensor tensor);
    /// Memory that lives since before the recording.
    void holdForever(int64_t bytes);
    [[nodiscard]] Tensor allocatePinned(int64_t bytes);
    void releasePinned(Tensor tensor);

    /// The pin-memory thread makes a batch of `tensors` host tensors ready at atNs; returns them.
    std::vector<Tensor> pinBatch(int64_t atNs, int tensors, int64_t bytesEach);

    /// Hands everything recorded so far, but frames still open, to the writer.
    void flush();
    void writeNames(std::string_view label);

    static constexpr int64_t kPid = 4711;
    static constexpr int64_t kMainTid = 4711;
    static constexpr int64_t kAutogradTid = 4790;
    static constexpr int64_t kPinTid = 4815;

private:
    struct Stream {
        int64_t freeNs = 0; ///< end of the last work
        int64_t notBeforeNs = 0; ///< what the stream was told to wait for
    };
    struct Mirror {
        int64_t startNs = 0;
        int64_t endNs = 0;
    };
    struct OpenAnnotation {
        size_t opIndex;
        std::map<int64_t, Mirror> mirrors; ///< by stream
    };
    struct OpenFrame {
        size_t index; ///< in m_frames
        std::string callStack;
    };

    size_t beginOp(std::string_view name, const OpInputs& inputs, int64_t ownNs);
    size_t beginBackward(std::string_view prefix, std::string_view name, const ForwardOp& forward,
        const OpInputs& inputs, int64_t ownNs);
    void linkBackward(const ForwardOp& forward, size_t backward);
    void endOp(size_t index, int64_t ownNs);
    void beginAnnotation(std::string_view name, std::string_view extraArgs);
    void endAnnotation();
    size_t pushOp(std::string name, const OpInputs& inputs);
    /// Runtime call that starts work of this length; returns when the work starts.
    int64_t launchWork(std::string_view callName, int cbid, int64_t durationNs, int64_t streamId, uint64_t correlation);
    [[nodiscard]] uint64_t innermostId() const;
    void recordMemory(int deviceType, int64_t bytes, uint64_t address, int64_t timeNs, int64_t tid);

    KinetoWriter& m_writer;
    Random m_random;
    bool m_withStacks;
    bool m_withShapes;
    bool m_withMemory;
    bool m_isRecording = true;
    bool m_isGradRecorded = false;

    int64_t m_nowNs;
    int64_t m_tid = kMainTid;
    uint64_t m_externalId = 0;
    uint64_t m_correlation = 0;
    uint64_t m_flow = 0;
    int64_t m_sequence = 0;
    uint64_t m_pythonId = 0;

    std::vector<OpEvent> m_ops;
    std::vector<size_t> m_openOps;
    std::vector<OpenAnnotation> m_openAnnotations;
    std::vector<PythonEvent> m_frames;
    std::vector<OpenFrame> m_openFrames;
    std::vector<MemoryEvent> m_memory;
    std::map<int64_t, Stream> m_streams;

    std::map<int64_t, std::vector<uint64_t>> m_freeBlocks; ///< by size
    uint64_t m_nextAddress;
    int64_t m_allocatedBytes = 0; ///< as of the last record written
    int64_t m_reservedBytes = 0;
    int64_t m_hostBytes = 0;
    uint64_t m_nextHostAddress;
};

} // namespace torchline::test
