#pragma once
// unpackArchive: the traces inside a zip or tar archive, unpacked into one temporary file.
// Thread: any; blocks on the disk.

#include "import/source/byte_source.h"

#include <functional>
#include <stop_token>

namespace torchline {

struct ArchiveMember {
    std::string name; ///< as the archive has it: raw bytes
    std::shared_ptr<const ByteSource> bytes;
};

struct ArchiveContent {
    std::vector<ArchiveMember> members; ///< those that can be traces by their first bytes, in order
    std::vector<std::string> others; ///< names of the files left out
    std::vector<SourceTrouble> troubles; ///< the archive ends early, or one of its files is damaged
};

/// `kind`: "zip" or "tar", for messages.
[[nodiscard]] Result<ArchiveContent> unpackArchive(
    const std::shared_ptr<const ByteSource>& packed, const std::string& kind, const std::stop_token& stop);

} // namespace torchline
