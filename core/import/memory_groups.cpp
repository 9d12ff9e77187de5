#include "import/memory_groups.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace torchline {

namespace {

/// How a version of groups lays out its files.
struct Version {
    std::string_view folder; ///< of all groups that limit memory
    std::string_view most;
    std::string_view used;
    std::string_view activeFiles; ///< in memory.stat
    std::string_view inactiveFiles;
};
constexpr Version kFirst{
    "/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_active_file", "total_inactive_file"};
constexpr Version kSecond{"", "/memory.max", "/memory.current", "active_file", "inactive_file"};

std::optional<uint64_t> numberIn(const std::string& path)
{
    uint64_t number = 0;
    std::ifstream file(path);
    return file >> number ? std::optional(number) : std::nullopt; // "max" is none
}

uint64_t cachedFiles(const std::string& folder, const Version& version)
{
    std::ifstream statistics(folder + "/memory.stat");
    uint64_t cached = 0;
    std::string key;
    for (uint64_t bytes = 0; statistics >> key >> bytes;)
        cached += key == version.activeFiles || key == version.inactiveFiles ? bytes : 0;
    return cached;
}

std::optional<uint64_t> leftIn(const std::string& folder, const Version& version)
{
    const auto most = numberIn(folder + std::string(version.most));
    const auto used = numberIn(folder + std::string(version.used));
    if (!most || !used)
        return std::nullopt;
    const uint64_t taken = *used - std::min(*used, cachedFiles(folder, version));
    return *most - std::min(*most, taken);
}

bool contains(std::string_view list, std::string_view word)
{
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        if (list.substr(0, comma) == word)
            return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

} // namespace

std::optional<uint64_t> leftInGroups(std::istream& groups, const std::string& mount)
{
    std::optional<uint64_t> least;
    for (std::string line; std::getline(groups, line);) {
        // HIERARCHY:CONTROLLERS:PATH; the second version has no controllers there.
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
        if (!controllers.empty() && !contains(controllers, "memory"))
            continue;
        const Version& version = controllers.empty() ? kSecond : kFirst;
        // Inside of a container the path can be one that is seen only outside: then its own group is the outermost.
        for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
            const auto left = leftIn(mount + std::string(version.folder) + path, version);
            if (left)
                least = std::min(least.value_or(*left), *left);
            if (path.rfind('/') == std::string::npos)
                break;
        }
    }
    return least;
}

} // namespace torchline
