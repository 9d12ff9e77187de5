#include "import/memory_forecast.h"

#include "import/memory_groups.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace torchline {

namespace {

constexpr double kFirstShare = 0.05; ///< less says too little about the rest
constexpr double kFinished = 1.3; ///< nesting, links and pyramids are made when all is read

std::string gigabytes(double bytes)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f GB", bytes / 1e9);
    return text.data();
}

} // namespace

std::optional<uint64_t> availableMemory()
{
    std::ifstream memory("/proc/meminfo");
    std::optional<uint64_t> available;
    for (std::string line; std::getline(memory, line) && !available;) {
        constexpr std::string_view kKey = "MemAvailable:";
        if (line.starts_with(kKey))
            available = std::stoull(line.substr(kKey.size())) * 1024;
    }
    std::ifstream groups("/proc/self/cgroup");
    const auto group = leftInGroups(groups);
    return available && group ? std::min(*available, *group) : available ? available : group;
}

MemoryForecast::MemoryForecast(uint64_t availableBytes)
    : m_availableBytes(availableBytes > 0 ? std::optional(availableBytes) : availableMemory())
{
}

Status MemoryForecast::check(double share, uint64_t textBytes, uint64_t otherBytes) const
{
    if (!m_availableBytes || share < kFirstShare)
        return {};
    const double needed
        = static_cast<double>(textBytes) / std::min(share, 1.0) * kFinished + static_cast<double>(otherBytes);
    if (needed <= static_cast<double>(*m_availableBytes))
        return {};
    return Error(ErrorCode::Limit,
        "not enough memory: opening it takes about " + gigabytes(needed) + ", of which "
            + gigabytes(static_cast<double>(*m_availableBytes))
            + " are free; close other files or programs, or record fewer steps");
}

} // namespace torchline
