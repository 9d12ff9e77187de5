#include "training_run.h"

#include <algorithm>

namespace torchline::test {

namespace {

// What the simulated device is; generate_trace.cpp writes the same figures into deviceProperties.
constexpr int64_t kMultiprocessors = 132;
constexpr int64_t kThreadsPerMultiprocessor = 2048;
constexpr int64_t kRegistersPerMultiprocessor = 65536;
constexpr int64_t kSharedPerMultiprocessor = 233472;
constexpr int64_t kBlocksPerMultiprocessor = 32;
constexpr int64_t kWarpSize = 32;

constexpr int64_t kFirstNs = 207'000'000'000'000; ///< two and a half days after baseTimeNanoseconds
constexpr uint64_t kDeviceMemoryBegin = 0x7f52'0000'0000;
constexpr uint64_t kHostMemoryBegin = 0x7f12'4000'0000;
constexpr int64_t kProfiledPercent = 190; ///< time of an operator while it is recorded with shapes and stacks
constexpr int64_t kAllocationUnit = 512;
constexpr int64_t kSegmentUnit = int64_t{2} << 20;

int64_t roundUp(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// What Kineto estimates: blocks that fit on a multiprocessor, or those there are if they are fewer.
int64_t occupancyPercent(const Kernel& kernel, int64_t blocks)
{
    const int64_t byThreads = kThreadsPerMultiprocessor / kernel.threads;
    const int64_t byRegisters = kRegistersPerMultiprocessor / (roundUp(kernel.registers, 8) * kernel.threads);
    const int64_t byShared = kSharedPerMultiprocessor / (kernel.sharedBytes + 1024);
    const int64_t resident = std::min({byThreads, byRegisters, byShared, kBlocksPerMultiprocessor});
    const int64_t whole = kMultiprocessors * kThreadsPerMultiprocessor;
    const int64_t threads = std::min(resident * kMultiprocessors, blocks) * kernel.threads;
    return (200 * threads + whole) / (2 * whole);
}

} // namespace

uint64_t Random::next()
{
    m_state += 0x9e3779b97f4a7c15;
    uint64_t z = m_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int64_t Random::around(int64_t ns, int percent)
{
    const int64_t perMille = static_cast<int64_t>(next() % 2001) - 1000;
    return ns + ns * percent * perMille / 100000;
}

TrainingRun::TrainingRun(KinetoWriter& writer, uint64_t seed, bool withStacks, bool withShapes, bool withMemory)
    : m_writer(writer)
    , m_random(seed)
    , m_withStacks(withStacks)
    , m_withShapes(withShapes)
    , m_withMemory(withMemory)
    , m_nowNs(kFirstNs)
    , m_nextAddress(kDeviceMemoryBegin)
    , m_nextHostAddress(kHostMemoryBegin)
{
}

size_t TrainingRun::pushOp(std::string name, const OpInputs& inputs)
{
    OpEvent event;
    event.name = std::move(name);
    event.tid = m_tid;
    event.externalId = ++m_externalId;
    event.sequence = m_isGradRecorded ? m_sequence : -1;
    if (m_withShapes)
        event.inputs = inputs;
    if (m_withStacks && !m_openFrames.empty())
        event.callStack = m_openFrames.back().callStack;
    m_nowNs += m_random.around(260, 40);
    event.startNs = m_nowNs;
    m_ops.push_back(std::move(event));
    m_openOps.push_back(m_ops.size() - 1);
    return m_ops.size() - 1;
}

size_t TrainingRun::beginOp(std::string_view name, const OpInputs& inputs, int64_t ownNs)
{
    const size_t index = pushOp(std::string(name), inputs);
    const int64_t profiledNs = ownNs * kProfiledPercent / 100;
    m_nowNs += 1 + m_random.around(profiledNs * 45 / 100, 20);
    if (m_random.next() % 97 == 0) // a cache miss, an interrupt
        m_nowNs += 2 * profiledNs;
    return index;
}

size_t TrainingRun::beginBackward(
    std::string_view prefix, std::string_view name, const ForwardOp& forward, const OpInputs& inputs, int64_t ownNs)
{
    const size_t index = beginOp(std::string(prefix).append(name), inputs, ownNs);
    m_ops[index].sequence = forward.sequence;
    m_ops[index].forwardThread = 1;
    return index;
}

void TrainingRun::linkBackward(const ForwardOp& forward, size_t backward)
{
    m_ops[forward.index].flowOut = ++m_flow;
    m_ops[backward].flowIn = m_flow;
}

void TrainingRun::endOp(size_t index, int64_t ownNs)
{
    m_nowNs += 1 + m_random.around(ownNs * kProfiledPercent / 100 * 55 / 100, 20);
    m_ops[index].endNs = m_nowNs;
    m_openOps.pop_back();
}

void TrainingRun::beginAnnotation(std::string_view name, std::string_view extraArgs)
{
    const size_t index = pushOp(std::string(name), {});
    m_ops[index].category = "user_annotation";
    m_ops[index].sequence = -1;
    m_ops[index].extraArgs = extraArgs;
    m_openAnnotations.push_back({index, {}});
    m_nowNs += m_random.around(1400, 20);
}

void TrainingRun::endAnnotation()
{
    const OpenAnnotation annotation = std::move(m_openAnnotations.back());
    m_openAnnotations.pop_back();
    endOp(annotation.opIndex, 2400);
    if (!m_isRecording)
        return;
    const OpEvent& op = m_ops[annotation.opIndex];
    for (const auto& [stream, mirror] : annotation.mirrors) // one ns around its work, as Kineto has it
        m_writer.addDeviceAnnotation(op.name, stream, mirror.startNs - 1, mirror.endNs + 1, op.externalId);
}

void TrainingRun::beginFrame(std::string_view name, int64_t moduleId)
{
    if (!m_withStacks)
        return;
    PythonEvent event;
    event.name = name;
    event.tid = m_tid;
    event.id = ++m_pythonId;
    event.parentId = m_openFrames.empty() ? 0 : m_frames[m_openFrames.back().index].id;
    event.moduleId = moduleId;
    m_nowNs += m_random.around(700, 40);
    event.startNs = m_nowNs;
    m_nowNs += m_random.around(1500, 40);
    std::string callStack = std::string(name).append(1, ';');
    if (!m_openFrames.empty())
        callStack += m_openFrames.back().callStack;
    m_frames.push_back(std::move(event));
    m_openFrames.push_back({m_frames.size() - 1, std::move(callStack)});
}

void TrainingRun::endFrame()
{
    if (!m_withStacks)
        return;
    m_nowNs += m_random.around(900, 40);
    m_frames[m_openFrames.back().index].endNs = m_nowNs;
    m_openFrames.pop_back();
}

uint64_t TrainingRun::innermostId() const
{
    return m_openOps.empty() ? 0 : m_ops[m_openOps.back()].externalId;
}

int64_t TrainingRun::launchWork(
    std::string_view callName, int cbid, int64_t durationNs, int64_t streamId, uint64_t correlation)
{
    m_nowNs += m_random.around(900, 30);
    const int64_t startNs = m_nowNs;
    m_nowNs += m_random.around(5200, 30);
    Stream& stream = m_streams[streamId];
    const int64_t workNs = std::max({stream.freeNs + m_random.around(1100, 20), m_nowNs + m_random.around(2600, 30),
        stream.notBeforeNs + m_random.around(1500, 20)});
    stream.freeNs = workNs + durationNs;
    for (OpenAnnotation& annotation : m_openAnnotations) {
        Mirror& mirror = annotation.mirrors.try_emplace(streamId, Mirror{workNs, workNs}).first->second;
        mirror.endNs = stream.freeNs;
    }
    if (m_isRecording)
        m_writer.add(CallEvent{callName, cbid, m_tid, startNs, m_nowNs, innermostId(), correlation, true});
    return workNs;
}

void TrainingRun::launch(const Kernel& kernel, int64_t stream, std::string_view extraArgs)
{
    const uint64_t correlation = ++m_correlation;
    const int64_t durationNs = m_random.around(kernel.durationNs, 3);
    const bool isCluster = kernel.sharedBytes > 100000; // kernels of this size are launched with attributes
    const int64_t startNs = launchWork(
        isCluster ? "cudaLaunchKernelExC" : "cudaLaunchKernel", isCluster ? 430 : 211, durationNs, stream, correlation);
    if (!m_isRecording)
        return;
    const int64_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    std::string args(extraArgs);
    args.append("\"queued\": 0, \"registers per thread\": ").append(std::to_string(kernel.registers));
    args.append(", \"shared memory\": ").append(std::to_string(kernel.sharedBytes));
    args.append(", \"blocks per SM\": ").append(decimalText(blocks, kMultiprocessors));
    args.append(", \"warps per SM\": ").append(decimalText(blocks * kernel.threads, kMultiprocessors * kWarpSize));
    args.append(", \"grid\": [").append(std::to_string(kernel.grid[0])).append(", ");
    args.append(std::to_string(kernel.grid[1])).append(", ").append(std::to_string(kernel.grid[2]));
    args.append("], \"block\": [").append(std::to_string(kernel.threads)).append(", 1, 1], ");
    args.append("\"est. achieved occupancy %\": ").append(std::to_string(occupancyPercent(kernel, blocks)));
    m_writer.add(DeviceEvent{
        "kernel", kernel.name, stream, startNs, startNs + durationNs, innermostId(), correlation, std::move(args)});
}

void TrainingRun::copy(std::string_view name, int64_t bytes, int64_t bytesPerMicrosecond)
{
    const uint64_t correlation = ++m_correlation;
    const int64_t durationNs = 960 + m_random.around(bytes * 1000 / bytesPerMicrosecond, 4);
    const int64_t startNs = launchWork("cudaMemcpyAsync", 41, durationNs, kComputeStream, correlation);
    if (!m_isRecording)
        return;
    std::string args = "\"bytes\": " + std::to_string(bytes);
    args.append(", \"memory bandwidth (GB/s)\": ").append(decimalText(bytes, durationNs));
    m_writer.add(DeviceEvent{"gpu_memcpy", name, kComputeStream, startNs, startNs + durationNs, innermostId(),
        correlation, std::move(args)});
}

void TrainingRun::clear(int64_t bytes)
{
    const uint64_t correlation = ++m_correlation;
    const int64_t durationNs = 1120 + m_random.around(bytes / 1600, 4);
    const int64_t startNs = launchWork("cudaMemsetAsync", 51, durationNs, kComputeStream, correlation);
    if (!m_isRecording)
        return;
    std::string args = "\"bytes\": " + std::to_string(bytes);
    args.append(", \"memory bandwidth (GB/s)\": ").append(decimalText(bytes, durationNs));
    m_writer.add(DeviceEvent{"gpu_memset", "Memset (Device)", kComputeStream, startNs, startNs + durationNs,
        innermostId(), correlation, std::move(args)});
}

void TrainingRun::call(std::string_view name, int cbid, int64_t durationNs)
{
    m_nowNs += m_random.around(500, 30);
    const int64_t startNs = m_nowNs;
    m_nowNs += m_random.around(durationNs, 25);
    if (m_isRecording)
        m_writer.add(CallEvent{name, cbid, m_tid, startNs, m_nowNs, innermostId(), ++m_correlation, false});
}

void TrainingRun::synchronize()
{
    const int64_t waitNs = m_streams[kComputeStream].freeNs - m_nowNs;
    m_nowNs += m_random.around(600, 30);
    const int64_t startNs = m_nowNs;
    m_nowNs += std::max<int64_t>(waitNs, 0) + m_random.around(5200, 20);
    if (m_isRecording)
        m_writer.add(
            CallEvent{"cudaStreamSynchronize", 131, m_tid, startNs, m_nowNs, innermostId(), ++m_correlation, false});
}

void TrainingRun::waitFor(int64_t from, int64_t to)
{
    call("cudaEventRecord", 135, 1300);
    call("cudaStreamWaitEvent", 147, 1100);
    m_streams[to].notBeforeNs = std::max(m_streams[to].notBeforeNs, m_streams[from].freeNs);
}

void TrainingRun::recordMemory(int deviceType, int64_t bytes, uint64_t address, int64_t timeNs, int64_t tid)
{
    MemoryEvent event;
    event.timeNs = timeNs;
    event.tid = tid;
    event.bytes = bytes;
    event.address = address;
    event.totalReserved = deviceType == 1 ? m_reservedBytes : 0;
    event.deviceType = deviceType;
    event.deviceId = deviceType == 1 ? 0 : -1;
    m_memory.push_back(event);
}

Tensor TrainingRun::allocate(int64_t bytes)
{
    Tensor tensor{roundUp(bytes, kAllocationUnit), 0};
    std::vector<uint64_t>& free = m_freeBlocks[tensor.bytes];
    if (free.empty()) {
        tensor.address = m_nextAddress;
        m_nextAddress += static_cast<uint64_t>(tensor.bytes);
        m_reservedBytes = roundUp(static_cast<int64_t>(m_nextAddress - kDeviceMemoryBegin), kSegmentUnit);
    } else {
        tensor.address = free.back();
        free.pop_back();
    }
    m_nowNs += m_random.around(420, 40);
    recordMemory(1, tensor.bytes, tensor.address, m_nowNs, m_tid);
    m_nowNs += m_random.around(180, 40);
    return tensor;
}

void TrainingRun::release(Tensor tensor)
{
    m_freeBlocks[tensor.bytes].push_back(tensor.address);
    m_nowNs += m_random.around(240, 40);
    recordMemory(1, -tensor.bytes, tensor.address, m_nowNs, m_tid);
    m_nowNs += m_random.around(80, 40);
}

void TrainingRun::holdForever(int64_t bytes)
{
    m_nextAddress += static_cast<uint64_t>(bytes);
    m_reservedBytes = roundUp(static_cast<int64_t>(m_nextAddress - kDeviceMemoryBegin), kSegmentUnit);
    m_allocatedBytes += bytes;
}

Tensor TrainingRun::allocatePinned(int64_t bytes)
{
    const Tensor tensor{bytes, m_nextHostAddress};
    m_nextHostAddress += static_cast<uint64_t>(roundUp(bytes, 4096));
    m_nowNs += m_random.around(700, 40);
    recordMemory(0, bytes, tensor.address, m_nowNs, m_tid);
    m_nowNs += m_random.around(300, 40);
    return tensor;
}

void TrainingRun::releasePinned(Tensor tensor)
{
    m_nowNs += m_random.around(600, 40);
    recordMemory(0, -tensor.bytes, tensor.address, m_nowNs, m_tid);
    m_nowNs += m_random.around(200, 40);
}

std::vector<Tensor> TrainingRun::pinBatch(int64_t atNs, int tensors, int64_t bytesEach)
{
    std::vector<Tensor> batch;
    std::vector<size_t> openOps;
    std::vector<OpenFrame> openFrames;
    std::vector<OpenAnnotation> openAnnotations;
    const auto swapThread = [&] {
        std::swap(m_openOps, openOps);
        std::swap(m_openFrames, openFrames);
        std::swap(m_openAnnotations, openAnnotations);
        std::swap(m_nowNs, atNs);
    };
    swapThread();
    m_tid = kPinTid;
    const bool wasGradRecorded = std::exchange(m_isGradRecorded, false);
    frame("torch/utils/data/_utils/pin_memory.py(64): pin_memory", [&] {
        for (int i = 0; i < tensors; ++i) {
            const OpInputs input = OpInputs().tensor({bytesEach / 8}, "long int");
            op("aten::pin_memory", OpInputs(input).none(), 4200, [&] {
                op("aten::_pin_memory", OpInputs(input).none(), 5600, [&] {
                    op("aten::empty", OpInputs().list("[" + std::to_string(bytesEach / 8) + "]"), 3100, [&] {
                        call("cudaEventQuery", 136, 1500);
                        batch.push_back(allocatePinned(bytesEach));
                    });
                    op("aten::copy_", OpInputs(input).tensor({bytesEach / 8}, "long int").scalar("False"),
                        21000 + bytesEach / 12);
                });
            });
        }
    });
    m_isGradRecorded = wasGradRecorded;
    m_tid = kMainTid;
    swapThread();
    return batch;
}

void TrainingRun::flush()
{
    std::ranges::stable_sort(m_memory, {}, &MemoryEvent::timeNs);
    auto later = std::ranges::upper_bound(m_memory, m_nowNs, {}, &MemoryEvent::timeNs);
    for (auto it = m_memory.begin(); it != later; ++it) {
        int64_t& total = it->deviceType == 1 ? m_allocatedBytes : m_hostBytes;
        total += it->bytes;
        it->totalAllocated = total;
        if (m_isRecording && m_withMemory)
            m_writer.add(*it);
    }
    m_memory.erase(m_memory.begin(), later);

    if (m_isRecording) {
        for (const OpEvent& event : m_ops)
            m_writer.add(event);
    }
    m_ops.clear();

    std::vector<PythonEvent> open;
    for (OpenFrame& frame : m_openFrames)
        open.push_back(m_frames[std::exchange(frame.index, open.size())]);
    if (m_isRecording) {
        for (const PythonEvent& event : m_frames) {
            if (event.endNs != 0)
                m_writer.add(event);
        }
    }
    m_frames = std::move(open);
}

void TrainingRun::writeNames(std::string_view label)
{
    const std::string pid = std::to_string(kPid);
    m_writer.addName("process_name", pid, "0", "python");
    m_writer.addName("process_labels", pid, "0", label);
    m_writer.addSortIndex("process_sort_index", pid, "0", kPid);
    m_writer.addName("process_name", "0", "0", "python");
    m_writer.addName("process_labels", "0", "0", "GPU 0");
    m_writer.addSortIndex("process_sort_index", "0", "0", 5000000);
    for (const int64_t stream : {kComputeStream, kCommunicationStream}) {
        const std::string number = std::to_string(stream);
        m_writer.addName("thread_name", "0", number, "stream " + number + " ");
        m_writer.addSortIndex("thread_sort_index", "0", number, stream);
    }
    const std::pair<int64_t, std::string_view> threads[]
        = {{kMainTid, "python"}, {kAutogradTid, "pt_autograd_0"}, {kPinTid, "pt_data_pin"}};
    for (const auto& [tid, name] : threads) {
        const std::string number = std::to_string(tid);
        m_writer.addName("thread_name", pid, number, "thread " + number + " (" + std::string(name) + ")");
        m_writer.addSortIndex("thread_sort_index", pid, number, tid);
    }
}

} // namespace torchline::test
