#include "import/memory_forecast.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace torchline {

namespace {

constexpr double kFirstShare = 0.05; ///< less says too little about the rest
constexpr double kFinished = 1.3; ///< nesting, links and pyramids are made when all is read

std::optional<uint64_t> numberIn(const std::string& path)
{
    uint64_t number = 0;
    std::ifstream file(path);
    return file >> number ? std::optional(number) : std::nullopt; // "max" is none
}

/// Contents of files that a group is charged for until somebody needs the memory.
uint64_t cachedFiles(const std::string& folder)
{
    std::ifstream statistics(folder + "/memory.stat");
    uint64_t cached = 0;
    std::string key;
    for (uint64_t bytes = 0; statistics >> key >> bytes;)
        cached += key == "active_file" || key == "inactive_file" ? bytes : 0;
    return cached;
}

/// Of the innermost control group, where groups are of the second version.
std::optional<uint64_t> leftInGroup()
{
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with("0::"))
            continue;
        const std::string folder = "/sys/fs/cgroup" + line.substr(3);
        const auto most = numberIn(folder + "/memory.max");
        const auto used = numberIn(folder + "/memory.current");
        if (most && used) {
            const uint64_t taken = *used - std::min(*used, cachedFiles(folder));
            return *most - std::min(*most, taken);
        }
    }
    return std::nullopt;
}

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
    const auto group = leftInGroup();
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
