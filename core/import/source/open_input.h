#pragma once
// openInput: a path to the texts of the traces in it: opened, told apart by content, unpacked layer by layer.
// Thread: any but the GUI thread; blocks on the disk or a pipe.

#include "import/source/byte_source.h"
#include "import/source/file_source.h"

#include <functional>
#include <stop_token>

namespace torchline {

/// One JSON text.
struct InputText {
    std::shared_ptr<const ByteSource> text;
    std::optional<std::string> member; ///< name inside an archive
    std::string compression; ///< "none", "gzip", "zip+gzip" ...: from the outside to the inside
    std::string encoding; ///< empty for UTF-8, else "UTF-16"
};

struct Input {
    std::shared_ptr<const FileSource> file; ///< on disk, or a temporary copy of a pipe
    bool isPipe = false;
    std::vector<InputText> texts; ///< at least one
    std::vector<SourceTrouble> troubles; ///< of an archive: what was left out of it, what is damaged
};

/// Messages say what and where, but not the path. `progress` is called while a pipe is read.
[[nodiscard]] Result<Input> openInput(const std::string& path, const std::function<void(uint64_t bytes)>& progress = {},
    const std::stop_token& stop = {});

} // namespace torchline
