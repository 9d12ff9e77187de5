// Name patterns to WorkClass. Order is meaning: the first rule that fits wins, special names stand before general ones.

#include "lod/work_class.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <span>
#include <string>

namespace torchline {

namespace {

struct Rule {
    std::string_view part; ///< lower case, at least two bytes
    WorkClass cls;
};

constexpr Rule kCommunication[] = {
    {"nccl", WorkClass::Communication},
    {"rccl", WorkClass::Communication},
    {"gloo:", WorkClass::Communication},
    {"hccl", WorkClass::Communication},
    {"mscclpp", WorkClass::Communication},
    {"nvshmem", WorkClass::Communication},
    {"c10d::", WorkClass::Communication},
    {"c10d_functional", WorkClass::Communication},
    {"symm_mem::", WorkClass::Communication},
    {"record_param_comms", WorkClass::Communication},
    {"multimem_", WorkClass::Communication},
    {"allreduce", WorkClass::Communication},
    {"all_reduce", WorkClass::Communication},
    {"cross_device_reduce", WorkClass::Communication},
    {"allgather", WorkClass::Communication},
    {"all_gather", WorkClass::Communication},
    {"reducescatter", WorkClass::Communication},
    {"reduce_scatter", WorkClass::Communication},
    {"alltoall", WorkClass::Communication},
    {"all_to_all", WorkClass::Communication},
    {"all2all", WorkClass::Communication},
};

/// Triton names say what kind of loop was generated; the operators fused into it follow and decide nothing.
constexpr Rule kTriton[] = {
    {"triton_poi_", WorkClass::Elementwise},
    {"triton_red_", WorkClass::Reduction},
    {"triton_per_", WorkClass::Reduction},
    {"triton_split_scan", WorkClass::Reduction},
    {"triton_for_fused", WorkClass::Elementwise},
    {"triton_tem_fused_flex_attention", WorkClass::Attention},
    {"triton_tem_", WorkClass::Matrix},
    {"triton_mm", WorkClass::Matrix},
};

/// Read on the function's own name (before template arguments) of a kernel.
constexpr Rule kKernelHead[] = {
    {"fillbuffer", WorkClass::Memset},
    {"memset", WorkClass::Memset},
    {"reshape_and_cache", WorkClass::DeviceCopy},
    {"store_kvcache", WorkClass::DeviceCopy},
    {"kv_cache", WorkClass::DeviceCopy},
    {"page_indices", WorkClass::DeviceCopy},
    {"kv_indices", WorkClass::DeviceCopy},
    {"copybuffer", WorkClass::DeviceCopy},
    {"catarray", WorkClass::DeviceCopy},
    {"flashinfer::norm", WorkClass::Reduction},
    {"flashinfer::activation", WorkClass::Elementwise},
    {"flashinfer::sampling", WorkClass::Reduction},
    {"flash", WorkClass::Attention},
    {"fmha", WorkClass::Attention},
    {"attention", WorkClass::Attention},
    {"attn", WorkClass::Attention},
    {"index_elementwise", WorkClass::DeviceCopy},
    {"scatter_gather_elementwise", WorkClass::DeviceCopy},
    {"elementwise", WorkClass::Elementwise},
    {"pointwise", WorkClass::Elementwise},
    {"rotary", WorkClass::Elementwise},
    {"multi_tensor_apply", WorkClass::Elementwise},
    {"splitkreduce", WorkClass::Matrix},
    {"cutlass::", WorkClass::Matrix},
    {"cutlass_", WorkClass::Matrix},
    {"rmsnorm", WorkClass::Reduction},
    {"gemm", WorkClass::Matrix},
    {"gemv", WorkClass::Matrix},
    {"cijk_", WorkClass::Matrix},
    {"nvjet", WorkClass::Matrix},
    {"xmma", WorkClass::Matrix},
    {"matmul", WorkClass::Matrix},
    {"bmm_", WorkClass::Matrix},
    {"scudnn", WorkClass::Matrix},
    {"convol", WorkClass::Matrix},
    {"conv2d", WorkClass::Matrix},
    {"conv_fwd", WorkClass::Matrix},
    {"conv_bwd", WorkClass::Matrix},
    {"conv_depthwise", WorkClass::Matrix},
    {"wgrad", WorkClass::Matrix},
    {"dgrad", WorkClass::Matrix},
    {"fprop", WorkClass::Matrix},
    {"winograd", WorkClass::Matrix},
    {"cask", WorkClass::Matrix},
    {"im2col", WorkClass::Matrix},
    {"im2d2col", WorkClass::Matrix},
    {"col2im", WorkClass::Matrix},
    {"fft1d_", WorkClass::Matrix},
    {"fft2d_", WorkClass::Matrix},
    {"flip_filter", WorkClass::Matrix},
    {"dot_kernel", WorkClass::Matrix},
    {"reduce_1block", WorkClass::Matrix},
    {"scal_kernel", WorkClass::Matrix},
    {"epilogue::impl", WorkClass::Matrix},
    {"precompute_indices", WorkClass::Matrix},
    {"adagrad", WorkClass::Elementwise},
    {"adam", WorkClass::Elementwise},
    {"sgd", WorkClass::Elementwise},
    {"dropout", WorkClass::Elementwise},
    {"reduce", WorkClass::Reduction},
    {"reduction", WorkClass::Reduction},
    {"softmax", WorkClass::Reduction},
    {"norm", WorkClass::Reduction},
    {"bn_fw", WorkClass::Reduction},
    {"bn_bw", WorkClass::Reduction},
    {"welford", WorkClass::Reduction},
    {"gammabeta", WorkClass::Reduction},
    {"computeinternalgradients", WorkClass::Reduction},
    {"nll_loss", WorkClass::Reduction},
    {"nllcriterion", WorkClass::Reduction},
    {"cross_entropy", WorkClass::Reduction},
    {"radixsort", WorkClass::Reduction},
    {"devicescan", WorkClass::Reduction},
    {"devicecompact", WorkClass::Reduction},
    {"deviceselect", WorkClass::Reduction},
    {"scan_outer", WorkClass::Reduction},
    {"scan_inner", WorkClass::Reduction},
    {"histogram", WorkClass::Reduction},
    {"bitonic", WorkClass::Reduction},
    {"merge_sort", WorkClass::Reduction},
    {"topk", WorkClass::Reduction},
    {"permute", WorkClass::DeviceCopy},
    {"pool", WorkClass::Reduction},
    {"rowwisemoments", WorkClass::Reduction},
    {"fusedparams", WorkClass::Reduction},
    {"_sum_", WorkClass::Reduction},
    {"memcpy", WorkClass::DeviceCopy},
    {"copy", WorkClass::DeviceCopy},
    {"transpose", WorkClass::DeviceCopy},
    {"nchwtonhwc", WorkClass::DeviceCopy},
    {"nhwctonchw", WorkClass::DeviceCopy},
    {"gather", WorkClass::DeviceCopy},
    {"scatter", WorkClass::DeviceCopy},
    {"embedding", WorkClass::DeviceCopy},
    {"indexing_backward", WorkClass::DeviceCopy},
    {"indexselect", WorkClass::DeviceCopy},
    {"indexfunc", WorkClass::DeviceCopy},
    {"casttensor", WorkClass::DeviceCopy},
    {"roll_cuda", WorkClass::DeviceCopy},
    {"fill", WorkClass::Elementwise},
    {"withscalar", WorkClass::Elementwise},
    {"activation", WorkClass::Elementwise},
    {"act_and_mul", WorkClass::Elementwise},
    {"silu", WorkClass::Elementwise},
    {"gelu", WorkClass::Elementwise},
    {"rotary", WorkClass::Elementwise},
    {"quant", WorkClass::Elementwise},
    {"scalepackedtensor", WorkClass::Elementwise},
    {"upsample", WorkClass::Elementwise},
    {"distribution", WorkClass::Elementwise},
    {"triu_tril", WorkClass::Elementwise},
    {"tril_indices", WorkClass::Elementwise},
    {"clamp_", WorkClass::Elementwise},
    {"dma_request", WorkClass::DeviceCopy},
};

/// Read on the whole name when the head says nothing: mangled names, trampolines with the algorithm in the arguments.
constexpr Rule kKernelWhole[] = {
    {"flash", WorkClass::Attention},
    {"fmha", WorkClass::Attention},
    {"attention", WorkClass::Attention},
    {"implicitgemm", WorkClass::Matrix},
    {"gemm", WorkClass::Matrix},
    {"gemv", WorkClass::Matrix},
    {"convolution", WorkClass::Matrix},
    {"softmax", WorkClass::Reduction},
    {"layernorm", WorkClass::Reduction},
    {"rmsnorm", WorkClass::Reduction},
    {"wrapped_scan", WorkClass::Reduction},
    {"wrapped_reduce", WorkClass::Reduction},
    {"radix_sort", WorkClass::Reduction},
    {"merge_sort", WorkClass::Reduction},
    {"wrapped_transform", WorkClass::Elementwise},
    {"act_and_mul", WorkClass::Elementwise},
    {"elementwise", WorkClass::Elementwise},
    {"quant", WorkClass::Elementwise},
    {"transpose", WorkClass::DeviceCopy},
    {"memcpy", WorkClass::DeviceCopy},
};

/// Short operator names that would be found inside others: compared whole.
constexpr Rule kOperatorExact[] = {
    {"mm", WorkClass::Matrix},
    {"bmm", WorkClass::Matrix},
    {"mv", WorkClass::Matrix},
    {"dot", WorkClass::Matrix},
    {"vdot", WorkClass::Matrix},
    {"ger", WorkClass::Matrix},
    {"linear", WorkClass::Matrix},
    {"fc", WorkClass::Matrix},
    {"bilinear", WorkClass::Matrix},
    {"to", WorkClass::DeviceCopy},
    {"cat", WorkClass::DeviceCopy},
    {"concat", WorkClass::DeviceCopy},
    {"stack", WorkClass::DeviceCopy},
    {"hstack", WorkClass::DeviceCopy},
    {"vstack", WorkClass::DeviceCopy},
    {"item", WorkClass::DeviceCopy},
    {"index", WorkClass::DeviceCopy},
    {"take", WorkClass::DeviceCopy},
    {"roll", WorkClass::DeviceCopy},
    {"flip", WorkClass::DeviceCopy},
    {"pad", WorkClass::DeviceCopy},
    {"repeat", WorkClass::DeviceCopy},
    {"clone", WorkClass::DeviceCopy},
    {"slice_backward", WorkClass::DeviceCopy},
    {"select_backward", WorkClass::DeviceCopy},
    {"sum", WorkClass::Reduction},
    {"mean", WorkClass::Reduction},
    {"var", WorkClass::Reduction},
    {"std", WorkClass::Reduction},
    {"var_mean", WorkClass::Reduction},
    {"std_mean", WorkClass::Reduction},
    {"max", WorkClass::Reduction},
    {"min", WorkClass::Reduction},
    {"amax", WorkClass::Reduction},
    {"amin", WorkClass::Reduction},
    {"aminmax", WorkClass::Reduction},
    {"prod", WorkClass::Reduction},
    {"any", WorkClass::Reduction},
    {"all", WorkClass::Reduction},
    {"sort", WorkClass::Reduction},
    {"median", WorkClass::Reduction},
    {"equal", WorkClass::Reduction},
    {"nonzero", WorkClass::Reduction},
    {"add", WorkClass::Elementwise},
    {"sub", WorkClass::Elementwise},
    {"rsub", WorkClass::Elementwise},
    {"mul", WorkClass::Elementwise},
    {"div", WorkClass::Elementwise},
    {"divide", WorkClass::Elementwise},
    {"true_divide", WorkClass::Elementwise},
    {"floor_divide", WorkClass::Elementwise},
    {"pow", WorkClass::Elementwise},
    {"square", WorkClass::Elementwise},
    {"exp", WorkClass::Elementwise},
    {"exp2", WorkClass::Elementwise},
    {"expm1", WorkClass::Elementwise},
    {"log", WorkClass::Elementwise},
    {"log2", WorkClass::Elementwise},
    {"log10", WorkClass::Elementwise},
    {"log1p", WorkClass::Elementwise},
    {"sqrt", WorkClass::Elementwise},
    {"rsqrt", WorkClass::Elementwise},
    {"neg", WorkClass::Elementwise},
    {"abs", WorkClass::Elementwise},
    {"sgn", WorkClass::Elementwise},
    {"sign", WorkClass::Elementwise},
    {"floor", WorkClass::Elementwise},
    {"ceil", WorkClass::Elementwise},
    {"round", WorkClass::Elementwise},
    {"sin", WorkClass::Elementwise},
    {"cos", WorkClass::Elementwise},
    {"tan", WorkClass::Elementwise},
    {"atan2", WorkClass::Elementwise},
    {"erf", WorkClass::Elementwise},
    {"eq", WorkClass::Elementwise},
    {"ne", WorkClass::Elementwise},
    {"gt", WorkClass::Elementwise},
    {"ge", WorkClass::Elementwise},
    {"lt", WorkClass::Elementwise},
    {"le", WorkClass::Elementwise},
    {"where", WorkClass::Elementwise},
    {"s_where", WorkClass::Elementwise},
    {"fill", WorkClass::Elementwise},
    {"zero", WorkClass::Elementwise},
    {"zeros", WorkClass::Elementwise},
    {"ones", WorkClass::Elementwise},
    {"full", WorkClass::Elementwise},
    {"zeros_like", WorkClass::Elementwise},
    {"ones_like", WorkClass::Elementwise},
    {"full_like", WorkClass::Elementwise},
    {"new_zeros", WorkClass::Elementwise},
    {"new_ones", WorkClass::Elementwise},
    {"new_full", WorkClass::Elementwise},
    {"elu", WorkClass::Elementwise},
    {"glu", WorkClass::Elementwise},
    {"mish", WorkClass::Elementwise},
    {"lerp", WorkClass::Elementwise},
    {"clip", WorkClass::Elementwise},
    {"rand", WorkClass::Elementwise},
    {"randn", WorkClass::Elementwise},
    {"normal", WorkClass::Elementwise},
    {"uniform", WorkClass::Elementwise},
    {"random", WorkClass::Elementwise},
    {"tril", WorkClass::Elementwise},
    {"triu", WorkClass::Elementwise},
    {"arange", WorkClass::Elementwise},
    {"iota", WorkClass::Elementwise},
    {"maximum", WorkClass::Elementwise},
    {"minimum", WorkClass::Elementwise},
    {"mul_out", WorkClass::Elementwise},
    {"and", WorkClass::Elementwise},
    {"or", WorkClass::Elementwise},
    {"xor", WorkClass::Elementwise},
    {"iand", WorkClass::Elementwise},
    {"ior", WorkClass::Elementwise},
    {"ixor", WorkClass::Elementwise},
    {"transform_bias_rescale_qkv", WorkClass::Elementwise},
    {"has_compatible_shallow_copy_type", WorkClass::Op},
    {"unflatten_dense_tensors", WorkClass::Op},
};

constexpr Rule kOperatorParts[] = {
    {"reshape_and_cache", WorkClass::DeviceCopy},
    {"kv_cache", WorkClass::DeviceCopy},
    {"set_kv_buffer", WorkClass::DeviceCopy},
    {"store_cache", WorkClass::DeviceCopy},
    {"scaled_dot_product", WorkClass::Attention},
    {"scaleddotproduct", WorkClass::Attention},
    {"attention", WorkClass::Attention},
    {"flash_attn", WorkClass::Attention},
    {"flashattn", WorkClass::Attention},
    {"custom_flash", WorkClass::Attention},
    {"fmha", WorkClass::Attention},
    {"addmm", WorkClass::Matrix},
    {"baddbmm", WorkClass::Matrix},
    {"addbmm", WorkClass::Matrix},
    {"addmv", WorkClass::Matrix},
    {"matmul", WorkClass::Matrix},
    {"gemm", WorkClass::Matrix},
    {"scaled_mm", WorkClass::Matrix},
    {"grouped_mm", WorkClass::Matrix},
    {"convolution", WorkClass::Matrix},
    {"conv1d", WorkClass::Matrix},
    {"conv2d", WorkClass::Matrix},
    {"conv3d", WorkClass::Matrix},
    {"conv_transpose", WorkClass::Matrix},
    {"conv_depthwise", WorkClass::Matrix},
    {"einsum", WorkClass::Matrix},
    {"tensordot", WorkClass::Matrix},
    {"moe_forward", WorkClass::Matrix},
    {"mkldnn_linear", WorkClass::Matrix},
    {"linear_backward", WorkClass::Matrix},
    {"lstm", WorkClass::Matrix},
    {"gru", WorkClass::Matrix},
    {"dropout", WorkClass::Elementwise},
    {"bernoulli", WorkClass::Elementwise},
    {"foreach_copy", WorkClass::DeviceCopy},
    {"foreach_norm", WorkClass::Reduction},
    {"foreach_", WorkClass::Elementwise},
    {"fused_adam", WorkClass::Elementwise},
    {"fused_sgd", WorkClass::Elementwise},
    {"fused_adagrad", WorkClass::Elementwise},
    {"amp_", WorkClass::Elementwise},
    {"copy", WorkClass::DeviceCopy},
    {"pin_memory", WorkClass::DeviceCopy},
    {"contiguous", WorkClass::DeviceCopy},
    {"type_as", WorkClass::DeviceCopy},
    {"to_cpu", WorkClass::DeviceCopy},
    {"local_scalar_dense", WorkClass::DeviceCopy},
    {"gather", WorkClass::DeviceCopy},
    {"scatter", WorkClass::DeviceCopy},
    {"index_", WorkClass::DeviceCopy},
    {"indexselect", WorkClass::DeviceCopy},
    {"rotary", WorkClass::Elementwise},
    {"embedding", WorkClass::DeviceCopy},
    {"masked_select", WorkClass::DeviceCopy},
    {"repeat_interleave", WorkClass::DeviceCopy},
    {"constant_pad", WorkClass::DeviceCopy},
    {"reflection_pad", WorkClass::DeviceCopy},
    {"replication_pad", WorkClass::DeviceCopy},
    {"flatten_dense_tensors", WorkClass::DeviceCopy},
    {"pixel_shuffle", WorkClass::DeviceCopy},
    {"permute_", WorkClass::DeviceCopy},
    {"masked_fill", WorkClass::Elementwise},
    {"softmax", WorkClass::Reduction},
    {"layer_norm", WorkClass::Reduction},
    {"batch_norm", WorkClass::Reduction},
    {"group_norm", WorkClass::Reduction},
    {"instance_norm", WorkClass::Reduction},
    {"groupnorm", WorkClass::Reduction},
    {"layernorm", WorkClass::Reduction},
    {"batchnorm", WorkClass::Reduction},
    {"rms_norm", WorkClass::Reduction},
    {"rmsnorm", WorkClass::Reduction},
    {"vector_norm", WorkClass::Reduction},
    {"linalg_norm", WorkClass::Reduction},
    {"clip_grad", WorkClass::Reduction},
    {"loss", WorkClass::Reduction},
    {"cross_entropy", WorkClass::Reduction},
    {"kl_div", WorkClass::Reduction},
    {"logsumexp", WorkClass::Reduction},
    {"argmax", WorkClass::Reduction},
    {"argmin", WorkClass::Reduction},
    {"argsort", WorkClass::Reduction},
    {"cumsum", WorkClass::Reduction},
    {"cumprod", WorkClass::Reduction},
    {"topk", WorkClass::Reduction},
    {"reduce_sum", WorkClass::Reduction},
    {"_pool", WorkClass::Reduction},
    {"pool2d", WorkClass::Reduction},
    {"unique", WorkClass::Reduction},
    {"histc", WorkClass::Reduction},
    {"bincount", WorkClass::Reduction},
    {"relu", WorkClass::Elementwise},
    {"gelu", WorkClass::Elementwise},
    {"silu", WorkClass::Elementwise},
    {"sigmoid", WorkClass::Elementwise},
    {"logit", WorkClass::Elementwise},
    {"tanh", WorkClass::Elementwise},
    {"hardswish", WorkClass::Elementwise},
    {"softplus", WorkClass::Elementwise},
    {"threshold", WorkClass::Elementwise},
    {"clamp", WorkClass::Elementwise},
    {"addcmul", WorkClass::Elementwise},
    {"addcdiv", WorkClass::Elementwise},
    {"bitwise_", WorkClass::Elementwise},
    {"logical_", WorkClass::Elementwise},
    {"isnan", WorkClass::Elementwise},
    {"isinf", WorkClass::Elementwise},
    {"isfinite", WorkClass::Elementwise},
    {"isclose", WorkClass::Elementwise},
    {"nan_to_num", WorkClass::Elementwise},
    {"reciprocal", WorkClass::Elementwise},
    {"remainder", WorkClass::Elementwise},
    {"upsample_", WorkClass::Elementwise},
    {"quant", WorkClass::Elementwise},
    {"randint", WorkClass::Elementwise},
    {"randperm", WorkClass::Elementwise},
};

/// Rules that are looked for in texts.
enum class List : uint8_t { Communication, Triton, KernelHead, KernelWhole, OperatorParts, Count };
constexpr size_t kLists = static_cast<size_t>(List::Count);
constexpr std::array<std::span<const Rule>, kLists> kRules{
    kCommunication, kTriton, kKernelHead, kKernelWhole, kOperatorParts};

/// Where the rules of each list begin when they are counted through.
constexpr std::array<size_t, kLists + 1> kBegins = [] {
    std::array<size_t, kLists + 1> begins{};
    for (size_t list = 0; list < kLists; ++list)
        begins[list + 1] = begins[list] + kRules[list].size();
    return begins;
}();
constexpr size_t kWords = (kBegins.back() + 63) / 64;
using RuleBits = std::array<uint64_t, kWords>;

/// One of 1024 kinds of two neighbouring bytes.
constexpr size_t kPairs = 1024;
constexpr size_t pairOf(char a, char b)
{
    return (static_cast<unsigned char>(a) * 37u + static_cast<unsigned char>(b)) % kPairs;
}

/// Rules that begin with a pair, and rules that end with it.
struct PairRules {
    RuleBits first{};
    RuleBits last{};
};
constexpr std::array<PairRules, kPairs> kPairRules = [] {
    std::array<PairRules, kPairs> all{};
    for (size_t list = 0; list < kLists; ++list) {
        for (size_t i = 0; i < kRules[list].size(); ++i) {
            const std::string_view part = kRules[list][i].part;
            const size_t rule = kBegins[list] + i;
            const uint64_t bit = uint64_t{1} << rule % 64;
            all[pairOf(part[0], part[1])].first[rule / 64] |= bit;
            all[pairOf(part[part.size() - 2], part.back())].last[rule / 64] |= bit;
        }
    }
    return all;
}();

/// The rules whose first and last two bytes occur in a text: most are none of them, and that is known without a search
/// for each.
class Candidates {
public:
    explicit Candidates(std::string_view text)
    {
        RuleBits last{};
        for (size_t i = 1; i < text.size(); ++i) {
            const PairRules& rules = kPairRules[pairOf(text[i - 1], text[i])];
            for (size_t w = 0; w < kWords; ++w) {
                m_rules[w] |= rules.first[w];
                last[w] |= rules.last[w];
            }
        }
        for (size_t w = 0; w < kWords; ++w)
            m_rules[w] &= last[w];
    }

    /// The first rule of a list that occurs in the text, or in a part of it.
    [[nodiscard]] std::optional<WorkClass> firstMatch(List list, std::string_view text) const
    {
        const auto at = static_cast<size_t>(list);
        for (size_t rule = next(kBegins[at]); rule < kBegins[at + 1]; rule = next(rule + 1)) {
            const Rule& candidate = kRules[at][rule - kBegins[at]];
            if (text.find(candidate.part) != std::string_view::npos)
                return candidate.cls;
        }
        return std::nullopt;
    }

private:
    /// The first candidate from a rule on.
    [[nodiscard]] size_t next(size_t rule) const
    {
        for (size_t w = rule / 64; w < kWords; ++w) {
            const uint64_t rest = w == rule / 64 ? m_rules[w] & ~uint64_t{0} << rule % 64 : m_rules[w];
            if (rest != 0)
                return w * 64 + static_cast<size_t>(std::countr_zero(rest));
        }
        return kBegins.back();
    }

    RuleBits m_rules{};
};

/// A text in lower case; usual ones take no memory of their own.
class Lowered {
public:
    explicit Lowered(std::string_view text)
        : m_size(text.size())
    {
        if (text.size() > m_short.size())
            m_long.resize(text.size());
        std::ranges::transform(text, text.size() > m_short.size() ? m_long.data() : m_short.data(),
            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    }

    [[nodiscard]] std::string_view text() const
    {
        return {m_size > m_short.size() ? m_long.data() : m_short.data(), m_size};
    }

private:
    std::array<char, 256> m_short;
    std::string m_long;
    size_t m_size;
};

/// "void ns::kernel<args>(args)" -> "ns::kernel"; a return type made of templates is stepped over.
std::string_view functionHead(std::string_view name)
{
    if (name.starts_with("void "))
        name.remove_prefix(5);
    if (name.starts_with("std::enable_if<")) {
        const size_t at = name.find("::type ");
        if (at != std::string_view::npos)
            name.remove_prefix(at + 7);
    }
    // The library's own name would pass for a matrix product.
    for (const std::string_view space : {std::string_view("fbgemm_gpu::"), std::string_view("fbgemm::")}) {
        if (name.starts_with(space))
            name.remove_prefix(space.size());
    }
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    size_t from = 0;
    for (;;) {
        const size_t end = name.find_first_of("<(", from);
        if (end == std::string_view::npos)
            return name;
        if (name.substr(end).starts_with(kAnonymous)) {
            from = end + kAnonymous.size();
            continue;
        }
        return name.substr(0, end);
    }
}

/// The operator's own name: last component, without leading and trailing underscores, "Backward0" and "_backward".
std::string_view operatorBase(std::string_view name)
{
    const size_t colons = name.rfind("::");
    std::string_view base = colons == std::string_view::npos ? name : name.substr(colons + 2);
    // MTIA writes "aten::mul.out-dtype_Float".
    if (const size_t cut = base.find_first_of(".- "); cut != std::string_view::npos && cut > 0)
        base = base.substr(0, cut);
    while (!base.empty() && (std::isdigit(static_cast<unsigned char>(base.back())) != 0)
        && base.find("backward") != std::string_view::npos)
        base.remove_suffix(1);
    while (base.starts_with('_'))
        base.remove_prefix(1);
    while (base.ends_with('_'))
        base.remove_suffix(1);
    return base;
}

std::string_view withoutBackward(std::string_view base)
{
    for (const std::string_view suffix : {std::string_view("_backward"), std::string_view("backward")}) {
        if (base.size() > suffix.size() && base.ends_with(suffix))
            return base.substr(0, base.size() - suffix.size());
    }
    return base;
}

constexpr size_t sizeOf(const Rule& rule)
{
    return rule.part.size();
}
constexpr auto kExactBySize = [] {
    auto rules = std::to_array(kOperatorExact);
    std::ranges::sort(rules, {}, sizeOf);
    return rules;
}();

std::optional<WorkClass> exactMatch(std::string_view text)
{
    auto rule = std::ranges::lower_bound(kExactBySize, text.size(), {}, sizeOf);
    for (; rule != kExactBySize.end() && sizeOf(*rule) == text.size(); ++rule) {
        if (text == rule->part)
            return rule->cls;
    }
    return std::nullopt;
}

WorkClass classByOperatorName(std::string_view name, const Candidates& rules)
{
    const std::string_view base = operatorBase(name);
    if (base.empty())
        return WorkClass::Op;
    if (const auto cls = exactMatch(base))
        return *cls;
    const std::string_view forward = withoutBackward(base);
    if (const auto cls = forward.size() < base.size() ? exactMatch(forward) : std::nullopt)
        return *cls;
    return rules.firstMatch(List::OperatorParts, base).value_or(WorkClass::Op);
}

bool isStepName(std::string_view name)
{
    return name.starts_with("profilerstep") || name.starts_with("optimizer.")
        || name.starts_with("enumerate(dataloader)") || name.starts_with("dataloader")
        || name.starts_with("pytorch profiler (") || name.starts_with("## ");
}

WorkClass classOfOperator(std::string_view name)
{
    constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
    if (name.starts_with(kEvaluate))
        name.remove_prefix(kEvaluate.size());
    if (isStepName(name))
        return WorkClass::Step;
    const Candidates rules(name);
    if (const auto cls = rules.firstMatch(List::Communication, name))
        return *cls;
    if (const auto cls = rules.firstMatch(List::Triton, name))
        return *cls;
    return classByOperatorName(name, rules);
}

WorkClass classOfKernel(std::string_view name)
{
    const Candidates rules(name);
    if (const auto cls = rules.firstMatch(List::Triton, name))
        return *cls;
    if (name.starts_with("triton_"))
        return WorkClass::Op;
    const std::string_view head = functionHead(name);
    if (const auto cls = rules.firstMatch(List::Communication, head))
        return *cls;
    const auto cls = rules.firstMatch(List::KernelHead, head);
    if (cls == WorkClass::Elementwise && name.find("direct_copy_kernel") != std::string_view::npos)
        return WorkClass::DeviceCopy;
    if (cls)
        return *cls;
    if (const auto inside = rules.firstMatch(List::KernelWhole, name))
        return *inside;
    // Accelerators without kernel functions of their own name the operator.
    return head == name ? classByOperatorName(name, rules) : WorkClass::Op;
}

WorkClass classOfCopy(std::string_view name)
{
    for (const std::string_view down : {"dtoh", "dtop", "devicetohost", "device_to_host", "device -> host"}) {
        if (name.find(down) != std::string_view::npos)
            return WorkClass::DeviceToHost;
    }
    for (const std::string_view up : {"htod", "ptod", "hosttodevice", "host_to_device", "host -> device"}) {
        if (name.find(up) != std::string_view::npos)
            return WorkClass::HostToDevice;
    }
    return WorkClass::DeviceCopy;
}

/// Of a name in lower case.
WorkClass classByText(std::string_view name, SliceKind kind)
{
    switch (kind) {
    case SliceKind::Runtime:
    case SliceKind::Driver:
        return name.find("synchronize") != std::string_view::npos ? WorkClass::Sync : WorkClass::Call;
    case SliceKind::UserAnnotation:
    case SliceKind::DeviceAnnotation: {
        const bool isCollective
            = !name.starts_with("## ") && Candidates(name).firstMatch(List::Communication, name).has_value();
        return isCollective ? WorkClass::Communication : WorkClass::Step;
    }
    case SliceKind::Memcpy:
        return classOfCopy(name);
    case SliceKind::Kernel:
        return classOfKernel(name);
    default:
        return classOfOperator(name);
    }
}

} // namespace

std::string_view workClassTitle(WorkClass cls)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(WorkClass::Count)> kTitles{"step or annotation",
        "Python", "other operator", "matrix", "attention", "elementwise", "reduction", "copy on device",
        "copy to device", "copy to host", "memset", "communication", "runtime call", "synchronisation"};
    return cls < WorkClass::Count ? kTitles[static_cast<size_t>(cls)] : std::string_view();
}

WorkClass workClassOf(std::string_view name, SliceKind kind)
{
    switch (kind) {
    case SliceKind::PythonFunction:
        return WorkClass::Python;
    case SliceKind::DeviceSync:
        return WorkClass::Sync;
    case SliceKind::Memset:
        return WorkClass::Memset;
    case SliceKind::Overhead:
        return WorkClass::Call;
    default:
        return classByText(Lowered(name).text(), kind);
    }
}

} // namespace torchline
