#include "analysis/stack_text.h"

#include <array>

namespace torchline {

bool isShownFrame(std::string_view frame)
{
    struct Pattern {
        std::string_view file;
        std::string_view function;
    };
    static constexpr std::array kLeftOut = {
        Pattern{"autograd/__init__", "_make_grads"},
        Pattern{"autograd/__init__", "backward"},
        Pattern{"torch/tensor", "backward"},
        Pattern{"_internal/common_utils", "prof_callable"},
        Pattern{"_internal/common_utils", "prof_func_call"},
        Pattern{"_internal/common_utils", "prof_meth_call"},
    };
    for (const Pattern& pattern : kLeftOut) {
        if (frame.find(pattern.file) != std::string_view::npos
            && frame.find(pattern.function) != std::string_view::npos)
            return false;
    }
    return true;
}

std::string stackText(std::string_view callStack, uint32_t maxFrames)
{
    std::string text;
    for (uint32_t frames = 0; frames < maxFrames && !callStack.empty();) {
        const size_t end = callStack.find(';');
        const std::string_view frame = callStack.substr(0, end);
        callStack.remove_prefix(end == std::string_view::npos ? callStack.size() : end + 1);
        if (frame.empty() || !isShownFrame(frame))
            continue;
        if (frames++ != 0)
            text += ';';
        text += frame;
    }
    return text;
}

} // namespace torchline
