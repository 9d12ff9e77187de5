#pragma once
// BlockBook: sizes of freed blocks, found by their address. Allocation and free may come in any order, since every
// thread is read by itself: a free takes the latest allocation of its address that is not after it.
// Thread: one. Cost: O(1) a record.

#include "model/file_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace torchline {

class BlockBook {
public:
    /// The free of this block with its size, if it came before.
    [[nodiscard]] std::optional<MemorySample> allocate(const MemorySample& sample);
    /// The free with its size, if that is known by now; else it waits for its allocation.
    [[nodiscard]] std::optional<MemorySample> release(const MemorySample& sample);

    /// Frees of blocks that nobody allocated: older than the recording.
    [[nodiscard]] size_t unknownFrees() const { return m_frees.size(); }
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct Block {
        int64_t timeNs;
        int64_t bytes;
    };
    struct Key {
        uint64_t address;
        int32_t deviceType;
        int32_t deviceId;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const noexcept
        {
            // Addresses are multiples of 64 and more: the low bits say little.
            const auto device = static_cast<uint64_t>(key.deviceType) << 56 ^ static_cast<uint64_t>(key.deviceId) << 48;
            return static_cast<size_t>((key.address ^ device) * 0x9E3779B97F4A7C15u >> 16);
        }
    };

    std::unordered_multimap<Key, Block, KeyHash> m_blocks; ///< not freed so far
    std::unordered_multimap<Key, MemorySample, KeyHash> m_frees; ///< whose allocation was not seen
};

} // namespace torchline
