#include "generate_trace.h"

#include "gpt_training.h"

#include <string>

namespace torchline::test {

namespace {

constexpr uint64_t kFirstStep = 2; ///< two steps warm up before the recording begins
constexpr std::string_view kLabel = "sample (generated)";

/// Each seventh step waits for its data, more or less long.
int64_t waitOf(uint64_t step)
{
    if (step % 7 != 6)
        return 0;
    return step % 2 == 0 ? 7'100'000 : 20'600'000;
}

std::string headerOf(const TraceOptions& options)
{
    const auto flag = [](bool isSet) { return std::string(isSet ? "1" : "0"); };
    return std::string("  \"deviceProperties\": [\n    {\n")
        + "      \"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3 (simulated)\", \"totalGlobalMem\": 85018279936,\n"
          "      \"computeMajor\": 9, \"computeMinor\": 0,\n"
          "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
          "      \"regsPerBlock\": 65536, \"warpSize\": 32, \"sharedMemPerBlock\": 49152, \"numSms\": 132,\n"
          "      \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
          "\"sharedMemPerMultiprocessor\": 233472\n    }\n  ],\n"
        + "  \"cuda_runtime_version\": 12080, \"cuda_driver_version\": 12080, \"cupti_version\": 26,\n"
        + "  \"record_shapes\": " + flag(options.withShapes) + ", \"profile_memory\": " + flag(options.withMemory)
        + ", \"with_stack\": " + flag(options.withStacks) + ", \"with_flops\": 0, \"with_modules\": 0,\n"
        + "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8, \"pg_count\": 1, "
          "\"pg_config\": "
          "[{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": 8, "
          "\"ranks\": [0, 1, 2, 3, 4, 5, 6, 7]}], \"nccl_version\": \"2.26.2\"},\n"
        + "  \"generator\": \"torchline-make-trace: a simulated run, nothing in it was measured\",\n"
          "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1764547200000000000,\n";
}

} // namespace

TraceOptions sampleOptions()
{
    return {};
}

TraceTotals generateTrace(const TraceOptions& options, const TextSink& sink)
{
    KinetoWriter writer(sink, TrainingRun::kPid);
    writer.numberNames(options.numberedNames);
    TrainingRun run(writer, options.seed, options.withStacks, options.withShapes, options.withMemory);
    GptTraining training(run, options.layers);

    run.setRecording(false);
    uint64_t step = 0;
    for (; step < kFirstStep; ++step) {
        training.step(step, 0, false);
        run.flush();
    }
    run.setRecording(true);
    run.passTime(250'000);
    writer.begin(run.nowNs(), headerOf(options));

    run.passTime(40'000);
    run.beginFrame("train_gpt.py(131): main", -1);
    for (; step < kFirstStep + options.steps || writer.eventCount() < options.events; ++step) {
        training.step(step, waitOf(step), waitOf(step + 1) != 0);
        run.flush();
    }
    run.endFrame();
    run.passTime(120'000);
    run.flush();
    run.writeNames(kLabel);
    writer.end(run.nowNs(), kLabel);

    return {writer.eventCount(), writer.sliceCount(), step - kFirstStep, !writer.hasFailed()};
}

} // namespace torchline::test
