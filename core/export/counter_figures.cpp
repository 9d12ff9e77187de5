#include "export/counter_figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace torchline {

namespace {

bool takeDigits(std::string_view& text)
{
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(end);
    return end > 0;
}

bool isJsonNumber(std::string_view text)
{
    if (text.starts_with('-'))
        text.remove_prefix(1);
    if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
        return false;
    if (!takeDigits(text))
        return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!takeDigits(text))
            return false;
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-'))
            text.remove_prefix(1);
        if (!takeDigits(text))
            return false;
    }
    return text.empty();
}

} // namespace

std::string counterDigits(const TraceSnapshot& trace, const CounterSample& sample)
{
    const std::string_view digits = trace.text(sample.text);
    if (isJsonNumber(digits))
        return std::string(digits);
    if (!std::isfinite(sample.value))
        return "null";
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), sample.value);
    return error == std::errc{} ? std::string(buffer.data(), end) : "null";
}

CounterFigures counterFigures(
    const TraceSnapshot& trace, uint32_t fileIndex, const Counter& counter, const ResolvedScope* scope)
{
    CounterFigures out;
    std::map<int64_t, uint64_t> recordsAt; // only of a scope
    for (const CounterSeries& series : counter.series) {
        CounterFigures::Series figures;
        figures.name = series.name;
        const CounterSample* least = nullptr;
        const CounterSample* most = nullptr;
        int64_t lastNs = 0;
        uint64_t sameTime = 0;
        for (const CounterSample& sample : series.samples) {
            const int64_t timeNs = addSaturated(sample.timeNs, trace.fileOffsetNs(fileIndex));
            if (scope) {
                if (!scope->containsTime(fileIndex, timeNs))
                    continue;
                sameTime = figures.samples > 0 && timeNs == lastNs ? sameTime + 1 : 1;
                lastNs = timeNs;
                recordsAt[timeNs] = std::max(recordsAt[timeNs], sameTime);
            }
            ++figures.samples;
            if (!least || sample.value < least->value)
                least = &sample;
            if (!most || sample.value > most->value)
                most = &sample;
        }
        if (least) {
            figures.min = {least->value, counterDigits(trace, *least)};
            figures.max = {most->value, counterDigits(trace, *most)};
            if (!out.min || figures.min->value < out.min->value)
                out.min = figures.min;
            if (!out.max || figures.max->value > out.max->value)
                out.max = figures.max;
        }
        out.series.push_back(std::move(figures));
    }
    out.records = scope ? 0 : counter.records;
    for (const auto& [timeNs, records] : recordsAt)
        out.records += records;
    return out;
}

} // namespace torchline
