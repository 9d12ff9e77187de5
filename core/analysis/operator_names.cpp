#include "analysis/operator_names.h"

#include <algorithm>
#include <array>

namespace torchline {

namespace {

using namespace std::string_view_literals;

constexpr std::array kHidden
    = {"[memory]"sv, "[OutOfMemory]"sv, "profiler::_record_function_enter"sv, "profiler::_record_function_enter_new"sv,
        "profiler::_record_function_exit"sv, "aten::is_leaf"sv, "aten::output_nr"sv, "aten::_version"sv};
constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kEvaluationPrefix = "autograd::engine::evaluate_function: ";

} // namespace

OperatorNames::OperatorNames(const TraceSnapshot& trace)
    : m_strings(trace.strings())
    , m_roles(m_strings.size(), Role::Unknown)
{
}

OperatorNames::Role OperatorNames::classify(NameId name) const
{
    const std::string_view text = m_strings.text(name);
    if (text.starts_with(kStepPrefix))
        return Role::Step;
    if (text.starts_with(kEvaluationPrefix))
        return Role::Evaluation;
    if (std::find(kHidden.begin(), kHidden.end(), text) != kHidden.end())
        return Role::Hidden;
    return flopFormulaOf(text) == FlopFormula::None ? Role::Plain : Role::Counted;
}

std::string_view OperatorNames::text(NameId shownName) const
{
    return shownName == kAnyStep ? "ProfilerStep*"sv : m_strings.text(shownName);
}

bool OperatorNames::evaluates(NameId wrapper, NameId inner)
{
    return isEvaluation(wrapper) && m_strings.text(wrapper).substr(kEvaluationPrefix.size()) == m_strings.text(inner);
}

FlopFormula OperatorNames::formula(NameId name)
{
    return roleOf(name) == Role::Counted ? flopFormulaOf(m_strings.text(name)) : FlopFormula::None;
}

} // namespace torchline
