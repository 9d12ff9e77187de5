#include "model/time_axis.h"

#include <algorithm>
#include <optional>

namespace torchline {

namespace {

constexpr int64_t kUnixTimesNs = 1'000'000'000'000'000'000; // September 2001

// Where the file's column time 0 lies on the clock of the world.
std::optional<int64_t> columnZero(const FileStore& store)
{
    if (store.info.baseTimeNs)
        return addSaturated(*store.info.baseTimeNs, store.info.originNs);
    if (addSaturated(store.info.originNs, store.fitNs.beginNs) >= kUnixTimesNs)
        return store.info.originNs;
    return std::nullopt;
}

} // namespace

TimeAxis commonAxis(std::span<const std::shared_ptr<const FileStore>> files)
{
    std::vector<std::optional<int64_t>> zeros;
    std::optional<int64_t> earliest;
    for (const std::shared_ptr<const FileStore>& file : files) {
        zeros.push_back(columnZero(*file));
        if (!zeros.back() || file->sliceCount == 0)
            continue;
        const int64_t startNs = addSaturated(*zeros.back(), file->firstNs);
        earliest = earliest ? std::min(*earliest, startNs) : startNs;
    }
    TimeAxis axis;
    for (uint32_t i = 0; i < files.size(); ++i) {
        // Alone, a file needs no clock; subtracting its own start also cannot overflow.
        if (files.size() > 1 && zeros[i] && earliest) {
            axis.offsetsNs.push_back(subSaturated(*zeros[i], *earliest));
            continue;
        }
        axis.offsetsNs.push_back(subSaturated(0, files[i]->firstNs));
        if (files.size() > 1 && files[i]->sliceCount > 0)
            axis.unaligned.push_back(i);
    }
    return axis;
}

} // namespace torchline
