#pragma once
// StackBook: the stacks of a recorded process as text, from the addresses and the modules that it told. Addresses get
// their names when someone asks for them, each once.
// Thread: add... by the ingest thread, the rest by any (mutexes inside); text() blocks on the disk.

#include "capture/arena_check.h"
#include "symbols/symbolizer.h"

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace torchline {

class StackBook {
public:
    /// Bytes of a Stack entry; ids of a segment count from 1.
    void addStack(uint32_t segment, std::span<const std::byte> bytes);
    void addModule(const ModuleItem& module);

    /// As the argument "Call stack" has it: innermost first, each frame ended by `;`, cut before it exceeds what an
    /// argument may hold. A frame is `FILE(LINE): FUNCTION`, `MODULE+0xOFFSET: FUNCTION` or `MODULE+0xOFFSET`. The
    /// agent's frames and those of LibTorch's RecordFunction are left out. Empty: no such stack.
    [[nodiscard]] std::string text(uint32_t segment, uint32_t stack) const;
    [[nodiscard]] size_t memoryUsage() const;

private:
    struct Module {
        wire::Module place;
        std::string path;
    };
    struct FrameText {
        std::string text; ///< of all functions inlined there
        size_t ownBytes = 0; ///< of the text: up to the last function that stands between the operator and the agent
    };
    using Addresses = std::vector<uint64_t>;

    [[nodiscard]] Addresses addressesOf(uint32_t segment, uint32_t stack) const;
    [[nodiscard]] const FrameText& frameOf(uint64_t address) const;
    [[nodiscard]] FrameText makeFrame(uint64_t address) const;
    [[nodiscard]] Module moduleAt(uint64_t address) const;

    mutable std::mutex m_mutex; ///< of what was told
    std::unordered_map<uint32_t, std::vector<Addresses>> m_stacks; ///< by segment; by id - 1
    std::vector<Module> m_modules;

    mutable std::mutex m_naming; ///< taken before the other
    mutable Symbolizer m_symbolizer;
    mutable std::unordered_map<uint64_t, FrameText> m_frames; ///< by address
    mutable size_t m_modulesNamed = 0; ///< of which m_frames know
};

} // namespace torchline
