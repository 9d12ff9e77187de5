#pragma once
// orderByKey: indexes in the order of their keys, without comparing them pair by pair.
// Thread: any. Cost: O(n) for each 11 bits in which the keys differ.

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace torchline {

/// `order` rearranged so that keys[order[i]] ascend; of equal keys the one that came first stays first.
[[nodiscard]] inline std::vector<uint32_t> orderByKey(std::span<const uint64_t> keys, std::vector<uint32_t> order)
{
    constexpr unsigned kBits = 11;
    constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
    uint64_t differing = 0;
    for (const uint64_t key : keys)
        differing |= key ^ keys.front();
    std::vector<uint32_t> next(order.size());
    for (unsigned shift = 0; shift < 64; shift += kBits) {
        if ((differing >> shift & kMask) == 0)
            continue;
        std::array<uint32_t, kMask + 1> place = {};
        for (const uint32_t i : order)
            ++place[keys[i] >> shift & kMask];
        std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
        for (const uint32_t i : order)
            next[place[keys[i] >> shift & kMask]++] = i;
        order.swap(next);
    }
    return order;
}

[[nodiscard]] inline std::vector<uint32_t> orderByKey(std::span<const uint64_t> keys)
{
    std::vector<uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0U);
    return orderByKey(keys, std::move(order));
}

} // namespace torchline
