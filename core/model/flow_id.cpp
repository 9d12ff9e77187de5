#include "model/flow_id.h"

#include "base/string_pool.h"

#include <charconv>

namespace torchline {

FlowId FlowId::ofText(NameId text, const StringPool& pool)
{
    if (!text.isValid())
        return {};
    const std::string_view digits = pool.text(text);
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool isNumber = error == std::errc() && end == digits.data() + digits.size() && number < kNumbers
        && (digits[0] != '0' || digits.size() == 1);
    return isNumber ? ofNumber(number) : FlowId(kNumbers | text.value());
}

std::string FlowId::text(const StringPool& pool) const
{
    if (!isValid())
        return {};
    return isNumber() ? std::to_string(m_bits) : std::string(pool.text(NameId(static_cast<uint32_t>(m_bits))));
}

} // namespace torchline
