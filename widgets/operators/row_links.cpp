#include "operators/row_links.h"

namespace torchline {

SummedRowLinks::SummedRowLinks(
    std::shared_ptr<const TraceSnapshot> trace, std::shared_ptr<const SliceRows> rows, std::vector<SliceRef> firsts)
    : m_trace(std::move(trace))
    , m_rows(std::move(rows))
    , m_firsts(std::move(firsts))
{
}

Result<SliceMask> SummedRowLinks::slicesOf(std::span<const uint32_t> rows, std::stop_token stop) const
{
    std::vector<bool> isWanted(m_firsts.size(), false);
    for (const uint32_t row : rows)
        isWanted[row] = true;
    SliceMask mask(*m_trace);
    for (uint32_t id = 0; id < m_trace->lanes().size(); ++id) {
        if (stop.stop_requested())
            return Error(ErrorCode::Cancelled, "cancelled");
        const uint32_t size = m_trace->lane(LaneId(id)).size();
        for (uint32_t i = 0; i < size; ++i) {
            const uint32_t row = m_rows->rowOf({LaneId(id), i});
            if (row != SliceRows::kNoRow && isWanted[row])
                mask.insert({LaneId(id), i});
        }
    }
    return mask;
}

std::optional<uint32_t> SummedRowLinks::rowOf(SliceRef slice) const
{
    const uint32_t row = m_rows->rowOf(slice);
    return row != SliceRows::kNoRow ? std::optional(row) : std::nullopt;
}

} // namespace torchline
