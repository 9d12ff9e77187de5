#pragma once
// GptTraining: one training step after the other of a GPT-2 like model on one GPU of a data-parallel job.
// Thread: one owner. Figures (shapes, kernel times) are those of a bf16 GPT-2 small, batch 16 x 1024, on a fast GPU.

#include "training_run.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torchline::test {

class GptTraining {
public:
    GptTraining(TrainingRun& run, int layers);

    /// waitNs: how long the data loader keeps the step waiting, beside what it always costs. nextWaits: so it will the
    /// next step, whose batch is then not ready beforehand.
    void step(uint64_t number, int64_t waitNs, bool nextWaits);

private:
    struct Linear {
        std::string_view kernel; ///< forward GEMM
        int64_t inputs = 0;
        int64_t outputs = 0;
        int64_t forwardNs = 0;
    };

    void loadBatch(int64_t waitNs);
    void forward();
    void embed();
    void block(int64_t layer);
    void attention(int64_t layer);
    void mlp(int64_t layer);
    void loss();
    void backward();
    void optimizerStep();
    void readLoss();
    void zeroGrad();
    void prefetchBatch();

    Tensor layerNorm(int64_t module);
    Tensor linear(const Linear& layer, int64_t module);
    void linearBackward(const Linear& layer, const ForwardOp& node);
    void transposed(std::string_view type, int64_t rows, int64_t columns);
    void addResidual();
    void accumulateGrad(int64_t bytes);
    void reduceBucket();
    template <typename Body> void module(std::string_view name, int64_t number, std::string_view forward, Body&& body);

    /// Output of an operator, kept for the backward pass.
    Tensor activation(int64_t elements, int64_t bytesPerElement = 2);
    void releaseActivations(size_t count);

    TrainingRun& m_run;
    int m_layers;
    std::vector<std::function<void()>> m_tape; ///< nodes in forward order
    std::vector<Tensor> m_activations;
    std::vector<Tensor> m_gradients;
    std::vector<Tensor> m_batch; ///< pinned host tensors of the running step
    std::vector<Tensor> m_nextBatch;
    int64_t m_gradientFlow = 0; ///< bytes of gradients since the last all-reduce
    int64_t m_parameterBytes = 0;
    Tensor m_gradient; ///< gradient that flows back at this moment
};

} // namespace torchline::test
