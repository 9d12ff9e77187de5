#include "operators/column_help.h"

#include <QCoreApplication>

#include <array>

namespace torchline {

namespace {

struct Help {
    const char* command; ///< nullptr: all
    const char* key;
    const char* text;
};

#define TEXT(text) QT_TRANSLATE_NOOP("columnHelp", text)

constexpr std::array kHelp = std::to_array<Help>({
    {"ops", "name",
        TEXT("The name as torch.profiler's key_averages() has it: ProfilerStep#N of all steps is one row.")},
    {nullptr, "thread", TEXT("The thread id of the slices.")},
    {nullptr, "process", TEXT("The process id of the slices.")},
    {nullptr, "file", TEXT("The file the slices come from, as it was given.")},
    {nullptr, "rank", TEXT("The rank that the header of the file states (distributedInfo).")},
    {"once", "name", TEXT("The name as the file has it.")},
    {"once", "calls", TEXT("How many slices have the name, the inner ones of a recursion too.")},
    {"once", "self_cpu_us",
        TEXT("Duration without the operators and calls directly inside, never below zero: each instant counts once.")},
    {"once", "cpu_total_us",
        TEXT("Duration of the outermost slices of the name: a recursion counts once. key_averages counts each level.")},
    {"once", "cpu_total_percent",
        TEXT("CPU total as a share of Self CPU of all rows: nested rows share time, so these do not add up to 100 %.")},
    {"once", "self_cuda_us",
        TEXT("Time of the device work that the operator itself launched; each piece of work counts in one row only.")},
    {"once", "self_cuda_percent", TEXT("All device work that has an operator is 100 %.")},
    {"once", "cuda_total_us",
        TEXT("Time of the device work that the outermost slices of the name and all inside them launched.")},
    {"kernels", "name", TEXT("The name of the device work as the file has it.")},
    {"steps", "name", TEXT("The host mark of the step. A mark mirrored on a GPU is no second step.")},
    {"slices", "name", TEXT("The name as the file has it: slices of every kind, those of threads and of devices.")},
    {"slices", "kind", TEXT("What the slice is, as the condition kind: has it.")},
    {"slices", "calls", TEXT("How many slices of the name start in the range.")},
    {"slices", "total_us",
        TEXT("Sum of the whole durations. A slice inside another of the name counts too: nested slices share time.")},
    {"slices", "avg_us", TEXT("Sum / calls, rounded half to even to the nanosecond.")},
    {"slices", "min_us", TEXT("The shortest slice.")},
    {"slices", "median_us", TEXT("Half of the slices are shorter, half longer.")},
    {"slices", "max_us", TEXT("The longest slice.")},
    {nullptr, "kind",
        TEXT("op: CPU operator; annotation: record_function; runtime: calls of CUDA, HIP and drivers; device: kernels, "
             "copies and sets; device_annotation: an annotation mirrored on the GPU.")},
    {nullptr, "shape", TEXT("Input Dims of the first slice of the row. Needs record_shapes=True.")},
    {nullptr, "stack",
        TEXT("The innermost frames of the Call stack. Needs with_stack=True and experimental_config(verbose=True), "
             "or a recording with stacks.")},
    {"ops", "calls",
        TEXT("How many slices were summed. As in key_averages, a call whose only parent has the same name is folded "
             "into "
             "it and does not count.")},
    {"kernels", "calls", TEXT("How many pieces of device work were summed.")},
    {nullptr, "self_cpu_us",
        TEXT("Duration without the operators inside and the runtime calls linked to them. As torch.profiler 2.11 has "
             "it: "
             "Python frames take no part. The TB plugin calls it host self duration and drops slices that cross.")},
    {nullptr, "self_cpu_percent",
        TEXT("Self CPU of all rows is 100 %. Rows that the scope or the filter leave out are not in it.")},
    {nullptr, "cpu_total_us", TEXT("Duration with everything inside, a plain sum: recursion counts each level.")},
    {nullptr, "cpu_total_percent",
        TEXT(
            "CPU total as a share of Self CPU of all rows, as key_averages prints it: nested rows share time, so these "
            "do not add up to 100 %.")},
    {nullptr, "cpu_avg_us", TEXT("CPU total / calls, rounded half to even to the nanosecond.")},
    {nullptr, "self_cuda_us",
        TEXT(
            "Time of the device work that the operator itself launched, whatever the device (CUDA, ROCm, ...). A plain "
            "sum: work that runs at one time counts in full. The figure below is that of the device rows alone, since "
            "operators repeat it.")},
    {nullptr, "self_cuda_percent",
        TEXT("Time of all device rows without annotations is 100 %. Rows of annotations on the GPU may pass it, as in "
             "key_averages.")},
    {nullptr, "cuda_total_us",
        TEXT("Time of the device work that the operator and all inside it launched, a plain sum.")},
    {nullptr, "cuda_avg_us", TEXT("CUDA total / calls.")},
    {nullptr, "cpu_mem_bytes",
        TEXT("Allocated minus freed on the CPU from the start to the end of each call, on whatever thread. Needs "
             "profile_memory=True. TB's Size Increase pairs allocations by address and differs at the edges.")},
    {nullptr, "self_cpu_mem_bytes", TEXT("CPU Mem without that of the operators inside.")},
    {nullptr, "cuda_mem_bytes", TEXT("Allocated minus freed on devices from the start to the end of each call.")},
    {nullptr, "self_cuda_mem_bytes", TEXT("CUDA Mem without that of the operators inside.")},
    {nullptr, "flops",
        TEXT("Floating point operations by torch.profiler's formulas (mm, addmm, bmm, baddbmm, conv2d, mul, add), from "
             "the "
             "recorded shapes. Needs record_shapes=True; other operators have 0.")},
    {"kernels", "total_us",
        TEXT("Sum of the durations. Work that runs at one time counts in full; HTA and TB sum alike.")},
    {"kernels", "total_percent",
        TEXT("Total of all rows is 100 %: a share of the summed device work, not of wall time. Idle time is not in "
             "it.")},
    {"kernels", "avg_us", TEXT("Total / calls.")},
    {"kernels", "min_us", TEXT("The shortest piece of work.")},
    {"kernels", "max_us", TEXT("The longest piece of work.")},
    {"kernels", "bytes", TEXT("Bytes that copies and sets state.")},
    {"kernels", "gbps", TEXT("Bytes / time of the work that states them, in 10^9 bytes a second.")},
    {"kernels", "occupancy_percent",
        TEXT("Estimated achieved occupancy as Kineto wrote it, weighted by duration (TB's Mean Est. Achieved "
             "Occupancy). "
             "100 % is a GPU full of warps.")},
    {"kernels", "device", TEXT("The device number of the work, or its process where the file has none.")},
    {"kernels", "stream", TEXT("The stream the work ran on.")},
    {"kernels", "op", TEXT("The operator that launched the work: the innermost one around its launch call.")},
    {"steps", "number", TEXT("N of ProfilerStep#N.")},
    {"steps", "start_us", TEXT("Start of the host mark, from the start of the first slice.")},
    {"steps", "dur_us",
        TEXT("Length of the host mark. The columns right of it split the step as TB does: its device work included, "
             "which "
             "may end after the mark.")},
    {"steps", "kernel_us", TEXT("Time in which a kernel other than communication ran: counted first.")},
    {"steps", "memcpy_us", TEXT("Time of copies while no kernel ran.")},
    {"steps", "memset_us", TEXT("Time of sets while no kernel or copy ran.")},
    {"steps", "communication_us",
        TEXT("Time of NCCL, RCCL and Gloo while nothing of the columns left of it ran. TB misses some collectives.")},
    {"steps", "runtime_us",
        TEXT("Time in runtime and driver calls while the device was idle. TB ignores driver calls.")},
    {"steps", "dataloader_us", TEXT("Time in DataLoader.__next__ while nothing of the columns left of it ran.")},
    {"steps", "cpu_exec_us",
        TEXT("Time in other operators and annotations while nothing of the columns left of it ran.")},
    {"steps", "other_us", TEXT("What is left of the step: nothing recorded ran.")},
    {"memory", "device", TEXT("Device type and number as recorded: 0 is the CPU, 1 CUDA or ROCm.")},
    {"memory", "label", TEXT("The device in words.")},
    {"memory", "samples", TEXT("Records that state an allocated total.")},
    {"memory", "min_bytes",
        TEXT("The lowest allocated total; negative when more was freed than the record saw allocated.")},
    {"memory", "max_bytes", TEXT("The highest allocated total: the peak.")},
    {"memory", "last_bytes", TEXT("The allocated total of the last record.")},
    {"memory", "peak_at_us", TEXT("When the peak was first reached, from the start of the first slice.")},
    {"memory", "reserved_max_bytes", TEXT("The highest total that the caching allocator held, used or not.")},
});

#undef TEXT

} // namespace

QString columnHelp(const std::string& command, const std::string& key)
{
    const Help* general = nullptr;
    for (const Help& help : kHelp) {
        if (key != help.key)
            continue;
        if (help.command != nullptr && command == help.command)
            return QCoreApplication::translate("columnHelp", help.text);
        if (help.command == nullptr)
            general = &help;
    }
    return general != nullptr ? QCoreApplication::translate("columnHelp", general->text) : QString();
}

} // namespace torchline
