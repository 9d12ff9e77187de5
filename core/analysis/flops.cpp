#include "analysis/flops.h"

#include "base/time.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace torchline {

namespace {

using Json = nlohmann::json;
using namespace std::string_view_literals;
using Sizes = std::vector<int64_t>;

/// a, b >= 0; held at the end of int64_t.
int64_t times(int64_t a, int64_t b)
{
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        return kMaxNs;
    return product;
}

int64_t productOf(const Sizes& sizes)
{
    int64_t product = 1;
    for (const int64_t size : sizes)
        product = times(product, size);
    return product;
}

/// A flat list of sizes; none for anything else.
std::optional<Sizes> sizesOf(const Json& value)
{
    if (!value.is_array())
        return std::nullopt;
    Sizes sizes;
    for (const Json& size : value) {
        if (!size.is_number_integer())
            return std::nullopt;
        sizes.push_back(size.get<int64_t>());
        if (sizes.back() < 0)
            return std::nullopt;
    }
    return sizes;
}

std::optional<Sizes> sizesAt(const Json& list, size_t index)
{
    if (!list.is_array() || index >= list.size())
        return std::nullopt;
    return sizesOf(list[index]);
}

/// Argument values are texts inside a list: "[1, 1]".
Json concreteAt(const Json& list, size_t index)
{
    if (!list.is_array() || index >= list.size() || !list[index].is_string())
        return Json(Json::value_t::discarded);
    return Json::parse(list[index].get_ref<const std::string&>(), nullptr, false);
}

int64_t matrixProduct(const Json& dims, size_t first, bool isBatch)
{
    const std::optional<Sizes> a = sizesAt(dims, first);
    const std::optional<Sizes> b = sizesAt(dims, first + 1);
    if (!a || !b || a->empty() || a->back() == 0 || a->front() == 0)
        return 0;
    int64_t rows = productOf(*a) / a->back();
    if (isBatch)
        rows /= a->front();
    return times(times(rows, productOf(*b)), 2);
}

int64_t convolution(const Json& dims, const Json& concrete)
{
    const std::optional<Sizes> input = sizesAt(dims, 0);
    const std::optional<Sizes> weight = sizesAt(dims, 1);
    const std::optional<Sizes> stride = sizesOf(concreteAt(concrete, 3));
    const std::optional<Sizes> padding = sizesOf(concreteAt(concrete, 4));
    const std::optional<Sizes> dilation = sizesOf(concreteAt(concrete, 5));
    const Json groups = concreteAt(concrete, 6);
    if (!input || !weight || input->size() != 4 || weight->size() != 4 || !groups.is_number_integer())
        return 0;
    for (const std::optional<Sizes>* list : {&stride, &padding, &dilation}) {
        if (!*list || (*list)->empty())
            return 0;
    }
    const auto at = [](const Sizes& list, size_t i) { return list[std::min(i, list.size() - 1)]; };
    std::array<int64_t, 2> output{};
    for (size_t i = 0; i < 2; ++i) {
        const int64_t step = at(*stride, i);
        if (step == 0)
            return 0;
        const int64_t window = times(at(*dilation, i), std::max<int64_t>((*weight)[i + 2] - 1, 0));
        const int64_t free = subSaturated(addSaturated((*input)[i + 2], times(2, at(*padding, i))), window) - 1;
        if (free < 0)
            return 0;
        output[i] = free / step + 1;
    }
    const auto divisor = groups.get<int64_t>();
    if (divisor <= 0)
        return 0;
    const Sizes factors = {2, (*input)[0], output[0], output[1], (*weight)[2], (*weight)[3], (*input)[1], (*weight)[0]};
    return productOf(factors) / divisor;
}

int64_t elements(const Json& dims, const Json& types)
{
    const std::optional<Sizes> first = sizesAt(dims, 0);
    if (!first)
        return 0;
    if (first->empty() && types.is_array() && !types.empty() && types[0].is_string()) {
        // A tensor without dimensions has one element; a Python number is no tensor.
        const auto& type = types[0].get_ref<const std::string&>();
        if (type.empty() || type == "Scalar" || type.ends_with("List"))
            return 0;
    }
    return productOf(*first);
}

Json parsed(const std::string* text)
{
    return text == nullptr ? Json() : Json::parse(*text, nullptr, false);
}

} // namespace

FlopFormula flopFormulaOf(std::string_view operatorName)
{
    struct Known {
        std::string_view name;
        FlopFormula formula;
    };
    static constexpr std::array kKnown = {
        Known{"aten::mm"sv, FlopFormula::MatrixProduct},
        Known{"aten::addmm"sv, FlopFormula::AddedMatrixProduct},
        Known{"aten::bmm"sv, FlopFormula::BatchProduct},
        Known{"aten::baddbmm"sv, FlopFormula::AddedBatchProduct},
        Known{"aten::conv2d"sv, FlopFormula::Convolution},
        Known{"aten::mul"sv, FlopFormula::Elementwise},
        Known{"aten::add"sv, FlopFormula::Elementwise},
    };
    for (const Known& known : kKnown) {
        if (known.name == operatorName)
            return known.formula;
    }
    return FlopFormula::None;
}

const std::string* inputDims(const ArgList& args)
{
    const std::string* dims = findArg(args, "Input Dims");
    return dims != nullptr ? dims : findArg(args, "Input dims");
}

std::optional<int64_t> FlopCounter::count(FlopFormula formula, const ArgList& args)
{
    const std::string* dims = inputDims(args);
    const std::string* types = formula == FlopFormula::Elementwise ? findArg(args, "Input type") : nullptr;
    const std::string* concrete = formula == FlopFormula::Convolution ? findArg(args, "Concrete Inputs") : nullptr;
    if (dims == nullptr || (formula == FlopFormula::Convolution && concrete == nullptr))
        return std::nullopt;

    std::string key(1, static_cast<char>('0' + static_cast<int>(formula)));
    key += *dims;
    for (const std::string* more : {types, concrete}) {
        key += '\n';
        if (more != nullptr)
            key += *more;
    }
    if (const auto found = m_known.find(key); found != m_known.end())
        return found->second;

    const Json shapes = parsed(dims);
    std::optional<int64_t> flops = 0;
    switch (formula) {
    case FlopFormula::None:
        break;
    case FlopFormula::MatrixProduct:
    case FlopFormula::AddedMatrixProduct:
        flops = matrixProduct(shapes, formula == FlopFormula::MatrixProduct ? 0 : 1, false);
        break;
    case FlopFormula::BatchProduct:
    case FlopFormula::AddedBatchProduct:
        flops = matrixProduct(shapes, formula == FlopFormula::BatchProduct ? 0 : 1, true);
        break;
    case FlopFormula::Convolution:
        flops = convolution(shapes, parsed(concrete));
        break;
    case FlopFormula::Elementwise:
        flops = elements(shapes, parsed(types));
        break;
    }
    if (m_known.size() >= kMostKnown)
        m_known.clear();
    m_known.emplace(std::move(key), flops);
    return flops;
}

} // namespace torchline
