#include "gpt_training.h"

#include "gpt_kernels.h"

#include <algorithm>
#include <array>
#include <utility>

namespace torchline::test {

namespace {

constexpr int64_t kBatch = 16;
constexpr int64_t kTokens = 1024;
constexpr int64_t kRows = kBatch * kTokens;
constexpr int64_t kWidth = 768;
constexpr int64_t kHeads = 12;
constexpr int64_t kHeadWidth = kWidth / kHeads;
constexpr int64_t kVocabulary = 50304;
constexpr int64_t kBucketBytes = int64_t{25} << 20;
constexpr int64_t kPrefetchNs = 6'000'000;

Kernel gemm(std::string_view name, int64_t rows, int64_t columns, int64_t durationNs)
{
    return {name, durationNs, {std::min<int64_t>(132, (rows / 128) * (columns / 128)), 1, 1}, 384, 168, 213248};
}

Kernel elementwise(std::string_view name, int64_t elements, int64_t durationNs)
{
    return {name, durationNs, {(elements + 511) / 512, 1, 1}, 128, 32, 0};
}

OpInputs rowsBy(int64_t columns)
{
    return OpInputs().tensor({kBatch, kTokens, columns});
}

std::string listText(std::initializer_list<int64_t> values)
{
    std::string text;
    for (const int64_t value : values)
        text.append(text.empty() ? "[" : ", ").append(std::to_string(value));
    return text += ']';
}

} // namespace

GptTraining::GptTraining(TrainingRun& run, int layers)
    : m_run(run)
    , m_layers(layers)
{
    const int64_t perLayer = 12 * kWidth * kWidth + 13 * kWidth;
    const int64_t parameters = layers * perLayer + (kVocabulary + kTokens + 2) * kWidth;
    m_parameterBytes = 2 * parameters;
    m_run.holdForever(16 * parameters); // weights and gradient buckets in bf16, master copy and two moments in fp32
}

template <typename Body>
void GptTraining::module(std::string_view name, int64_t number, std::string_view forward, Body&& body)
{
    m_run.frame("nn.Module: " + std::string(name) + "_" + std::to_string(number), number,
        [&] { m_run.frame(forward, std::forward<Body>(body)); });
}

Tensor GptTraining::activation(int64_t elements, int64_t bytesPerElement)
{
    m_activations.push_back(m_run.allocate(elements * bytesPerElement));
    return m_activations.back();
}

void GptTraining::releaseActivations(size_t count)
{
    for (; count > 0 && !m_activations.empty(); --count) {
        m_run.release(m_activations.back());
        m_activations.pop_back();
    }
}

void GptTraining::step(uint64_t number, int64_t waitNs, bool nextWaits)
{
    m_run.annotation("ProfilerStep#" + std::to_string(number), {}, [&] {
        loadBatch(waitNs);
        forward();
        backward();
        optimizerStep();
        readLoss();
        zeroGrad();
    });
    if (!nextWaits)
        prefetchBatch();
    m_run.passTime(m_run.random().around(14000, 30));
}

void GptTraining::loadBatch(int64_t waitNs)
{
    constexpr std::string_view kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
    const int64_t bytes = kRows * 8;
    m_run.annotation(kNext, {}, [&] {
        m_run.frame("torch/utils/data/dataloader.py(733): __next__", [&] {
            m_run.passTime(m_run.random().around(180000, 30));
            if (m_nextBatch.empty()) {
                m_run.passTime(waitNs);
                m_nextBatch = m_run.pinBatch(m_run.nowNs(), 2, bytes);
                m_run.passTime(m_run.random().around(410000, 10));
            }
        });
    });
    std::vector<Tensor> former = std::exchange(m_batch, std::exchange(m_nextBatch, {}));
    m_run.frame("train_gpt.py(158): to_device", [&] {
        for (size_t i = 0; i < m_batch.size(); ++i) {
            const OpInputs input = OpInputs().tensor({kBatch, kTokens}, "long int");
            m_run.op("aten::to", OpInputs(input).scalar("").scalar("True").scalar("False"), 7000, [&] {
                m_run.op("aten::_to_copy", OpInputs(input).none().none(), 9000, [&] {
                    m_run.op("aten::empty_strided", OpInputs().list(listText({kBatch, kTokens})), 5200,
                        [&] { activation(kRows, 8); });
                    m_run.op("aten::copy_", OpInputs(input).tensor({kBatch, kTokens}, "long int").scalar("True"), 11000,
                        [&] { m_run.copy("Memcpy HtoD (Pinned -> Device)", bytes, 24000); });
                });
            });
        }
    });
    for (const Tensor tensor : former)
        m_run.releasePinned(tensor);
}

void GptTraining::forward()
{
    m_run.withGrad([&] {
        module("DistributedDataParallel", 0, "torch/nn/parallel/distributed.py(1654): forward", [&] {
            m_run.annotation("DistributedDataParallel.forward", {}, [&] {
                module("GPT", 0, "model.py(186): forward", [&] {
                    embed();
                    for (int64_t layer = 0; layer < m_layers; ++layer)
                        block(layer);
                    layerNorm(2 * m_layers);
                    loss();
                });
            });
        });
    });
}

void GptTraining::embed()
{
    for (int64_t i = 0; i < 2; ++i) {
        const int64_t entries = i == 0 ? kVocabulary : kTokens;
        const int64_t rows = i == 0 ? kRows : kTokens;
        module("Embedding", i, "torch/nn/modules/sparse.py(192): forward", [&] {
            const OpInputs inputs
                = OpInputs().tensor({entries, kWidth}).tensor({rows / kTokens, kTokens}, "long int").scalar("-1");
            const ForwardOp node = m_run.recordedOp("aten::embedding", inputs, 14000, [&] {
                m_run.op("aten::index_select", OpInputs().tensor({entries, kWidth}).scalar("0"), 13000, [&] {
                    activation(rows * kWidth);
                    m_run.launch({kEmbedding, i == 0 ? 21400 : 3300, {rows * 6, 1, 1}, 128, 32, 0});
                });
            });
            m_tape.push_back([this, node, entries, rows] {
                m_run.backwardOp("EmbeddingBackward0", node, OpInputs().tensor({rows, kWidth}), 9000, [&] {
                    m_run.op(
                        "aten::embedding_dense_backward", OpInputs().tensor({rows, kWidth}).scalar("0"), 16000, [&] {
                            m_gradients.push_back(m_run.allocate(entries * kWidth * 2));
                            m_run.clear(entries * kWidth * 2);
                            m_run.launch(
                                {kEmbeddingBackward, rows == kRows ? 64000 : 7100, {24, 1, 1}, 512, 40, 19456});
                        });
                });
                accumulateGrad(entries * kWidth * 2);
            });
        });
    }
    addResidual();
}

Tensor GptTraining::layerNorm(int64_t number)
{
    Tensor output;
    module("LayerNorm", number, "model.py(22): forward", [&] {
        const OpInputs inputs
            = rowsBy(kWidth).list(listText({kWidth})).tensor({kWidth}).tensor({kWidth}).scalar("1e-05");
        m_run.op("aten::layer_norm", OpInputs(inputs).scalar("True"), 9000, [&] {
            const ForwardOp node = m_run.recordedOp("aten::native_layer_norm", inputs, 15000, [&] {
                m_run.op("aten::empty", OpInputs().list(listText({kBatch, kTokens, kWidth})), 4400,
                    [&] { output = activation(kRows * kWidth); });
                m_run.op("aten::empty", OpInputs().list(listText({kRows})), 4200, [&] { activation(kRows, 4); });
                m_run.op("aten::empty", OpInputs().list(listText({kRows})), 4200, [&] { activation(kRows, 4); });
                m_run.launch({kLayerNorm, 27200, {kRows, 1, 1}, 128, 40, 24});
            });
            m_tape.push_back([this, node, inputs] {
                m_run.backwardOp("NativeLayerNormBackward0", node, rowsBy(kWidth), 11000, [&] {
                    m_run.op(
                        "aten::native_layer_norm_backward", OpInputs(inputs).list("[True, True, True]"), 21000, [&] {
                            m_run.release(std::exchange(m_gradient, m_run.allocate(kRows * kWidth * 2)));
                            m_gradients.push_back(m_run.allocate(kWidth * 2));
                            m_gradients.push_back(m_run.allocate(kWidth * 2));
                            m_run.launch({kLayerNormInputGradient, 38600, {kRows, 1, 1}, 128, 48, 1552});
                            m_run.launch({kLayerNormWeightGradient, 17300, {24, 1, 1}, 1024, 38, 8192});
                        });
                });
                releaseActivations(3);
                accumulateGrad(kWidth * 2);
                accumulateGrad(kWidth * 2);
            });
        });
    });
    return output;
}

void GptTraining::transposed(std::string_view type, int64_t rows, int64_t columns)
{
    m_run.op("aten::transpose", OpInputs().tensor({rows, columns}, type).scalar("0").scalar("1"), 5200, [&] {
        m_run.op("aten::as_strided", OpInputs().tensor({rows, columns}, type).list(listText({columns, rows})), 2100);
    });
}

Tensor GptTraining::linear(const Linear& layer, int64_t number)
{
    Tensor output;
    module("Linear", number, "torch/nn/modules/linear.py(134): forward", [&] {
        m_run.op("aten::linear", rowsBy(layer.inputs).tensor({layer.outputs, layer.inputs}).tensor({layer.outputs}),
            15000, [&] {
                const OpInputs weight = OpInputs().tensor({layer.outputs, layer.inputs});
                const ForwardOp transpose = m_run.recordedOp(
                    "aten::t", weight, 5400, [&] { transposed("c10::BFloat16", layer.outputs, layer.inputs); });
                const OpInputs inputs = OpInputs()
                                            .tensor({layer.outputs})
                                            .tensor({kRows, layer.inputs})
                                            .tensor({layer.inputs, layer.outputs})
                                            .scalar("1")
                                            .scalar("1");
                const ForwardOp product = m_run.recordedOp("aten::addmm", inputs, 42000, [&] {
                    output = activation(kRows * layer.outputs);
                    m_run.launch(gemm(layer.kernel, kRows, layer.outputs, layer.forwardNs));
                });
                m_tape.push_back([this, layer, transpose, product, weight] {
                    linearBackward(layer, product);
                    m_run.backwardOp("TBackward0", transpose, weight, 3400, [&] { m_run.op("aten::t", weight, 5200); });
                    accumulateGrad(layer.inputs * layer.outputs * 2);
                    accumulateGrad(layer.outputs * 2);
                });
            });
    });
    return output;
}

void GptTraining::linearBackward(const Linear& layer, const ForwardOp& node)
{
    m_run.backwardOp("AddmmBackward0", node, OpInputs().tensor({kRows, layer.outputs}), 13000, [&] {
        const OpInputs gradient = OpInputs().tensor({kRows, layer.outputs});
        const Tensor former = m_gradient;
        m_run.op("aten::mm", OpInputs(gradient).tensor({layer.outputs, layer.inputs}), 21000, [&] {
            m_gradient = m_run.allocate(kRows * layer.inputs * 2);
            m_run.launch(gemm(kGemmInputGradient, kRows, layer.inputs, layer.forwardNs * 103 / 100));
        });
        m_run.op("aten::t", gradient, 5400, [&] { transposed("c10::BFloat16", kRows, layer.outputs); });
        m_run.op("aten::mm", OpInputs().tensor({layer.outputs, kRows}).tensor({kRows, layer.inputs}), 20000, [&] {
            m_gradients.push_back(m_run.allocate(layer.inputs * layer.outputs * 2));
            m_run.launch(gemm(kGemmWeightGradient, layer.outputs, layer.inputs, layer.forwardNs * 112 / 100));
        });
        m_run.op("aten::sum", OpInputs(gradient).list("[0]").scalar("True").none(), 15000, [&] {
            m_gradients.push_back(m_run.allocate(layer.outputs * 2));
            m_run.launch({kSum, 8000 + layer.outputs * 5, {layer.outputs / 128, 8, 1}, 512, 32, 4096});
        });
        m_run.release(former);
    });
    releaseActivations(1);
}

void GptTraining::addResidual()
{
    const ForwardOp node
        = m_run.recordedOp("aten::add", rowsBy(kWidth).tensor({kBatch, kTokens, kWidth}).scalar("1"), 15000, [&] {
              activation(kRows * kWidth);
              m_run.launch(elementwise(kAdd, kRows * kWidth, 22900));
          });
    m_tape.push_back([this, node] {
        m_run.backwardOp("AddBackward0", node, rowsBy(kWidth), 4100, [] {});
        m_run.op("aten::add_", rowsBy(kWidth).tensor({kBatch, kTokens, kWidth}).scalar("1"), 12000,
            [&] { m_run.launch(elementwise(kAdd, kRows * kWidth, 23400)); });
        releaseActivations(1);
    });
}

void GptTraining::block(int64_t layer)
{
    module("Block", layer, "model.py(103): forward", [&] {
        layerNorm(2 * layer);
        attention(layer);
        addResidual();
        layerNorm(2 * layer + 1);
        mlp(layer);
        addResidual();
    });
}

void GptTraining::attention(int64_t layer)
{
    module("CausalSelfAttention", layer, "model.py(52): forward", [&] {
        linear({kGemmQkv, kWidth, 3 * kWidth, 110600}, 4 * layer);
        const ForwardOp split
            = m_run.recordedOp("aten::split", rowsBy(3 * kWidth).scalar(std::to_string(kWidth)).scalar("2"), 9000, [&] {
                  for (int64_t i = 0; i < 3; ++i)
                      m_run.op("aten::narrow", rowsBy(3 * kWidth).scalar("2").scalar(std::to_string(i * kWidth)), 6200);
              });
        for (int i = 0; i < 3; ++i) {
            m_run.op("aten::view", rowsBy(kWidth).list(listText({kBatch, kTokens, kHeads, kHeadWidth})), 4100);
            m_run.op("aten::transpose",
                OpInputs().tensor({kBatch, kTokens, kHeads, kHeadWidth}).scalar("1").scalar("2"), 5300);
        }
        const OpInputs head = OpInputs().tensor({kBatch, kHeads, kTokens, kHeadWidth});
        const OpInputs qkv = OpInputs(head)
                                 .tensor({kBatch, kHeads, kTokens, kHeadWidth})
                                 .tensor({kBatch, kHeads, kTokens, kHeadWidth})
                                 .scalar("0.")
                                 .scalar("True");
        ForwardOp node;
        m_run.op("aten::scaled_dot_product_attention", qkv, 14000, [&] {
            node = m_run.recordedOp("aten::_scaled_dot_product_flash_attention", qkv, 17000, [&] {
                m_run.op("aten::_flash_attention_forward", qkv, 26000, [&] {
                    activation(kRows * kWidth);
                    activation(kRows * kHeads, 4);
                    m_run.launch({kFlashForward, 62300, {kTokens / 128, kBatch, kHeads}, 128, 255, 49152});
                });
            });
        });
        m_run.op("aten::transpose", OpInputs(head).scalar("1").scalar("2"), 5200);
        ForwardOp clone;
        m_run.op("aten::contiguous", OpInputs(head).scalar("0"), 6000, [&] {
            clone = m_run.recordedOp("aten::clone", OpInputs(head).scalar("0"), 9000, [&] {
                m_run.op("aten::empty_like", OpInputs(head), 6200, [&] { activation(kRows * kWidth); });
                m_run.op("aten::copy_", OpInputs(head).tensor({kBatch, kTokens, kHeads, kHeadWidth}), 12000,
                    [&] { m_run.launch(elementwise(kCopy, kRows * kWidth, 19200)); });
            });
        });
        m_run.op("aten::view", rowsBy(kWidth).list(listText({kBatch, kTokens, kWidth})), 3900);
        m_tape.push_back([this, split, node, clone, qkv] {
            m_run.backwardOp("CloneBackward0", clone, rowsBy(kWidth), 3600, [] {});
            m_run.backwardOp("ScaledDotProductFlashAttentionBackward0", node, OpInputs(qkv), 12000, [&] {
                m_run.op("aten::_scaled_dot_product_flash_attention_backward", qkv, 16000, [&] {
                    m_run.op("aten::_flash_attention_backward", qkv, 34000, [&] {
                        const Tensor former = std::exchange(m_gradient, m_run.allocate(3 * kRows * kWidth * 2));
                        const Tensor sums = m_run.allocate(kRows * kWidth * 4);
                        m_run.launch({kFlashBackwardDot, 22400, {kTokens / 128, kBatch, kHeads}, 256, 64, 0});
                        m_run.launch({kFlashBackward, 166000, {kTokens / 128, kBatch, kHeads}, 256, 255, 147456});
                        m_run.launch({kFlashBackwardConvert, 24700, {kTokens / 128, kBatch, kHeads}, 256, 64, 16384});
                        m_run.release(sums);
                        m_run.release(former);
                    });
                });
            });
            releaseActivations(3);
            m_run.backwardOp("SplitBackward0", split, rowsBy(kWidth), 6100, [&] {
                m_run.op("aten::cat", rowsBy(kWidth).scalar("2"), 14000,
                    [&] { m_run.launch(elementwise(kCopy, 3 * kRows * kWidth, 49500)); });
            });
        });
        linear({kGemmProjection, kWidth, kWidth, 38900}, 4 * layer + 1);
    });
}

void GptTraining::mlp(int64_t layer)
{
    module("MLP", layer, "model.py(87): forward", [&] {
        linear({kGemmUp, kWidth, 4 * kWidth, 148200}, 4 * layer + 2);
        module("GELU", layer, "torch/nn/modules/activation.py(734): forward", [&] {
            const ForwardOp node = m_run.recordedOp("aten::gelu", rowsBy(4 * kWidth).scalar("none"), 14000, [&] {
                activation(kRows * 4 * kWidth);
                m_run.launch(elementwise(kGelu, kRows * 4 * kWidth, 44300));
            });
            m_tape.push_back([this, node] {
                m_run.backwardOp("GeluBackward0", node, rowsBy(4 * kWidth), 8000, [&] {
                    m_run.op(
                        "aten::gelu_backward", rowsBy(4 * kWidth).tensor({kBatch, kTokens, 4 * kWidth}), 14000, [&] {
                            const Tensor former = std::exchange(m_gradient, m_run.allocate(kRows * 4 * kWidth * 2));
                            m_run.launch(elementwise(kGeluBackward, kRows * 4 * kWidth, 63800));
                            m_run.release(former);
                        });
                });
                releaseActivations(1);
            });
        });
        linear({kGemmDown, 4 * kWidth, kWidth, 141700}, 4 * layer + 3);
    });
}

void GptTraining::loss()
{
    linear({kGemmHead, kWidth, kVocabulary, 2'310'000}, 4 * m_layers);
    m_run.frame("torch/nn/functional.py(3463): cross_entropy", [&] {
        const OpInputs logits = OpInputs().tensor({kRows, kVocabulary});
        ForwardOp softmax;
        ForwardOp nll;
        m_run.op("aten::cross_entropy_loss", OpInputs(logits).tensor({kRows}, "long int"), 12000, [&] {
            m_run.op("aten::log_softmax", OpInputs(logits).scalar("1"), 6000, [&] {
                softmax
                    = m_run.recordedOp("aten::_log_softmax", OpInputs(logits).scalar("1").scalar("False"), 16000, [&] {
                          activation(kRows * kVocabulary);
                          m_run.launch({kLogSoftmax, 2'480'000, {kRows, 1, 1}, 1024, 40, 4096});
                      });
            });
            m_run.op("aten::nll_loss_nd", OpInputs(logits).tensor({kRows}, "long int"), 5000, [&] {
                nll = m_run.recordedOp(
                    "aten::nll_loss_forward", OpInputs(logits).tensor({kRows}, "long int"), 19000, [&] {
                        activation(2, 4);
                        m_run.launch({kNllLoss, 12800, {1, 1, 1}, 1024, 32, 8192});
                    });
            });
        });
        m_tape.push_back([this, softmax, nll, logits] {
            m_run.backwardOp("NllLossBackward0", nll, OpInputs().tensor({}), 9000, [&] {
                m_run.op("aten::nll_loss_backward", OpInputs(logits).tensor({kRows}, "long int"), 17000, [&] {
                    m_gradient = m_run.allocate(kRows * kVocabulary * 2);
                    m_run.op("aten::zero_", logits, 7000,
                        [&] { m_run.launch(elementwise(kFill, kRows * kVocabulary, 612000)); });
                    m_run.launch({kNllLossBackward, 14100, {1, 1, 1}, 1024, 32, 0});
                });
            });
            releaseActivations(1);
            m_run.backwardOp("LogSoftmaxBackward0", softmax, logits, 8000, [&] {
                m_run.op("aten::_log_softmax_backward_data", OpInputs(logits).scalar("1"), 18000, [&] {
                    const Tensor former = std::exchange(m_gradient, m_run.allocate(kRows * kVocabulary * 2));
                    m_run.launch({kLogSoftmaxBackward, 2'690'000, {kRows, 1, 1}, 1024, 40, 4096});
                    m_run.release(former);
                });
            });
            releaseActivations(1);
        });
    });
}

void GptTraining::accumulateGrad(int64_t bytes)
{
    m_run.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", {}, 2900,
        [&] { m_run.op("torch::autograd::AccumulateGrad", OpInputs().tensor({bytes / 2}), 3400); });
    m_gradientFlow += bytes;
    if (m_gradientFlow >= kBucketBytes)
        reduceBucket();
}

void GptTraining::reduceBucket()
{
    const int64_t bytes = std::exchange(m_gradientFlow, 0);
    const std::string elements = std::to_string(bytes / 2);
    const std::string collective = "\"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"In msg nelems\": "
        + elements + ", \"Out msg nelems\": " + elements
        + ", \"Group size\": 8, \"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", "
          "\"Process Group Ranks\": \"[0, 1, 2, 3, 4, 5, 6, 7]\", ";
    m_run.op("c10d::allreduce_", OpInputs().tensor({bytes / 2}), 18000, [&] {
        m_run.annotation("nccl:all_reduce", collective, [&] {
            m_run.waitFor(TrainingRun::kComputeStream, TrainingRun::kCommunicationStream);
            // 8 GPUs in a ring move 7/4 of the bucket over each link
            const int64_t durationNs = 34000 + bytes * 7 / 4 * 1000 / 210000;
            m_run.launch(
                {kAllReduce, durationNs, {24, 1, 1}, 544, 96, 82240}, TrainingRun::kCommunicationStream, collective);
        });
    });
}

void GptTraining::backward()
{
    m_run.frame("torch/_tensor.py(648): backward", [&] {
        m_run.frame("torch/autograd/graph.py(829): _engine_run_backward", [&] {
            m_run.onAutogradThread([&] {
                m_run.passTime(m_run.random().around(24000, 20));
                while (!m_tape.empty()) {
                    m_tape.back()();
                    m_tape.pop_back();
                }
                if (m_gradientFlow > 0)
                    reduceBucket();
                m_run.waitFor(TrainingRun::kCommunicationStream, TrainingRun::kComputeStream);
            });
            releaseActivations(m_activations.size());
            m_run.release(std::exchange(m_gradient, {}));
        });
    });
}

void GptTraining::optimizerStep()
{
    m_run.annotation("Optimizer.step#AdamW.step", {}, [&] {
        m_run.frame("torch/optim/optimizer.py(517): wrapper", [&] {
            m_run.frame("torch/optim/adam.py(770): _fused_adam", [&] {
                const int64_t launches = (m_parameterBytes + 24'000'000) / 25'000'000;
                m_run.op("aten::_foreach_add_", OpInputs().scalar("1"), 31000,
                    [&] { m_run.launch(elementwise(kFill, 160, 2100)); });
                m_run.op("aten::_fused_adamw_", OpInputs().scalar("0.0006").scalar("0.9").scalar("0.95"), 96000, [&] {
                    for (int64_t i = 0; i < launches; ++i)
                        m_run.launch({kFusedAdam, 71800, {320, 1, 1}, 512, 48, 0});
                });
            });
        });
    });
}

void GptTraining::readLoss()
{
    m_run.op("aten::item", OpInputs().tensor({}), 5200, [&] {
        m_run.op("aten::_local_scalar_dense", OpInputs().tensor({}), 12000, [&] {
            m_run.copy("Memcpy DtoH (Device -> Pageable)", 4, 24000);
            m_run.synchronize();
        });
    });
}

void GptTraining::zeroGrad()
{
    m_run.annotation("Optimizer.zero_grad#AdamW.zero_grad", {}, [&] {
        for (const Tensor gradient : m_gradients)
            m_run.release(gradient);
        m_gradients.clear();
    });
}

void GptTraining::prefetchBatch()
{
    m_nextBatch = m_run.pinBatch(m_run.nowNs() - kPrefetchNs, 2, kRows * 8);
}

} // namespace torchline::test
