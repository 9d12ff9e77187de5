#pragma once
// Floating-point operations of a call, by the formulas of torch.profiler (with_flops): matrix products, conv2d, mul,
// add. The file holds no FLOPs; they follow from the shapes of the inputs. Thread: FlopCounter one owner, else any.

#include "model/event_source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace torchline {

enum class FlopFormula : uint8_t {
    None, ///< torch counts 0
    MatrixProduct, ///< mm
    AddedMatrixProduct, ///< addmm
    BatchProduct, ///< bmm
    AddedBatchProduct, ///< baddbmm
    Convolution, ///< conv2d
    Elementwise, ///< mul, add
};

[[nodiscard]] FlopFormula flopFormulaOf(std::string_view operatorName);

/// Text of the argument "Input Dims" (old: "Input dims"), or null.
[[nodiscard]] const std::string* inputDims(const ArgList& args);

class FlopCounter {
public:
    /// None: the args do not say. Calls with equal args cost one lookup.
    [[nodiscard]] std::optional<int64_t> count(FlopFormula formula, const ArgList& args);

private:
    static constexpr size_t kMostKnown = 1u << 16;
    std::unordered_map<std::string, std::optional<int64_t>> m_known;
};

} // namespace torchline
