#pragma once
// Decoder: one way of unpacking (gzip, raw deflate, zstd, UTF-16), as a state that is fed bytes.
// Thread: one; clones are independent.

#include "import/source/byte_source.h"

#include <memory>
#include <optional>
#include <span>

namespace torchline {

class Decoder {
public:
    struct Step {
        size_t consumed = 0;
        size_t produced = 0;
        bool isFinished = false; ///< nothing more comes out, whatever follows
    };

    virtual ~Decoder() = default;

    /// Unpacks from `in` to `out` until one of them is used up or the end is reached. `inEnds`: nothing follows `in`;
    /// then a call that neither consumes nor produces anything has finished.
    [[nodiscard]] virtual Step decode(std::span<const char> in, bool inEnds, std::span<char> out) = 0;
    /// The same state once more, to go on from here later; null where the format has no copies of its state.
    [[nodiscard]] virtual std::unique_ptr<Decoder> clone() const = 0;
    /// What was wrong, known once a step has finished. Its offset is filled in by the caller.
    [[nodiscard]] virtual std::optional<SourceTrouble> trouble() const = 0;
};

[[nodiscard]] std::unique_ptr<Decoder> makeGzipDecoder(); ///< all members; zero bytes between and after them skipped
[[nodiscard]] std::unique_ptr<Decoder> makeZstdDecoder(); ///< all frames
[[nodiscard]] std::unique_ptr<Decoder> makeUtf16Decoder(bool bigEndian);

} // namespace torchline
