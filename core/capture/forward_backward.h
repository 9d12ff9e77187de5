#pragma once
// ForwardBackward: which forward operator a backward one belongs to, as torch.profiler links them: same sequence number
// on the same LibTorch thread, of several forward ones the one that began last, each at most once.
// Thread: one. Cost: O(1) an operator.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace torchline {

class ForwardBackward {
public:
    struct End {
        int64_t startNs = 0;
        uint64_t place = 0; ///< of the operator's record
        uint32_t lane = 0;
    };
    struct Link {
        End forward;
        End backward;
        uint64_t id = 0; ///< differs between links of one process
    };

    void addForward(uint64_t thread, int64_t sequence, const End& op);
    void addBackward(uint64_t forwardThread, int64_t sequence, const End& op);
    /// Links whose forward side is known. Backward operators that came since the last call wait for the next one: what
    /// their forward thread wrote may still be in its ring. With `all` none waits.
    [[nodiscard]] std::vector<Link> takeLinks(bool all);
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct Key {
        uint64_t thread;
        int64_t sequence;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const noexcept
        {
            return static_cast<size_t>(
                (static_cast<uint64_t>(key.sequence) ^ key.thread << 40) * 0x9E3779B97F4A7C15u >> 8);
        }
    };
    struct Waiting {
        Key key;
        End op;
    };

    std::unordered_map<Key, End, KeyHash> m_forward;
    std::vector<Waiting> m_waiting; ///< in order of arrival
    size_t m_old = 0; ///< of these were there at the last call
};

} // namespace torchline
