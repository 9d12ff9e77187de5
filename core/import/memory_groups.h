#pragma once
// leftInGroups: what control groups, of either version, leave a process of the machine's memory.
// Thread: any; reads a few small files.

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace torchline {

/// The least that one of the groups leaves, of those a process is in and those around them; none: nothing limits it.
/// Contents of files that the kernel keeps for a group count as left. `groups`: as /proc/self/cgroup has it; `mount`:
/// the folder where groups are folders.
[[nodiscard]] std::optional<uint64_t> leftInGroups(std::istream& groups, const std::string& mount = "/sys/fs/cgroup");

} // namespace torchline
