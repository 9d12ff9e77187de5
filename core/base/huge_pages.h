#pragma once
// Huge pages for large arrays that will be filled: a first touch of each small page costs more than what is written to
// it. Only a hint to the system. Thread: any.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/mman.h>

namespace torchline {

constexpr size_t kHugePage = size_t{2} << 20;

/// Memory that may have neighbours of others: they only become faster too.
inline void preferHugePages(const void* begin, size_t bytes)
{
    constexpr uintptr_t kPage = 4096;
    const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes) / kPage * kPage;
    if (bytes >= kHugePage && first < last)
        madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE); // NOLINT: not written to
}

/// reserve() for something large.
template <typename T> void reserveLarge(std::vector<T>& values, size_t count)
{
    if (count <= values.capacity())
        return;
    std::vector<T> larger;
    larger.reserve(count);
    preferHugePages(larger.data(), larger.capacity() * sizeof(T));
    larger.insert(larger.end(), values.begin(), values.end());
    values.swap(larger);
}

/// Room for one more; twice as much where there is none.
template <typename T> void growLarge(std::vector<T>& values)
{
    if (values.size() == values.capacity())
        reserveLarge(values, values.size() < 16 ? 32 : 2 * values.size());
}

} // namespace torchline
