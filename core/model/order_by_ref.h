#pragma once
// orderByRef: indexes of links in the order of the slices that one of their ends stands on.
// Thread: any. Cost: that of orderByKey.

#include "base/key_order.h"
#include "model/file_store.h"

#include <utility>
#include <vector>

namespace torchline {

/// Without those that have no slice there; of one slice the one that came first stays first.
template <typename T> [[nodiscard]] std::vector<uint32_t> orderByRef(const std::vector<T>& links, StoreRef T::*end)
{
    std::vector<uint64_t> keys(links.size());
    std::vector<uint32_t> withSlice;
    withSlice.reserve(links.size());
    for (uint32_t i = 0; i < links.size(); ++i) {
        const StoreRef ref = links[i].*end;
        keys[i] = uint64_t{ref.lane} << 32 | ref.index;
        if (ref.isValid())
            withSlice.push_back(i);
    }
    std::vector<uint32_t> order = orderByKey(keys, std::move(withSlice));
    order.shrink_to_fit();
    return order;
}

} // namespace torchline
