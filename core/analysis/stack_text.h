#pragma once
// Stacks as torch.profiler's key_averages(group_by_stack_n) shows them.
// Thread: any.

#include <cstdint>
#include <string>
#include <string_view>

namespace torchline {

/// False for the frames that torch.profiler leaves out of stacks: its own and those of autograd's entry points.
[[nodiscard]] bool isShownFrame(std::string_view frame);
/// The innermost frames of a "Call stack" argument (frames end with `;`), at most maxFrames of those that are shown.
[[nodiscard]] std::string stackText(std::string_view callStack, uint32_t maxFrames);

} // namespace torchline
