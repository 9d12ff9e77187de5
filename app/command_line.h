#pragma once
// The command line of `torchline` (command-line.md): files for the window, or a picture to draw.
// Thread: any. Paths are raw bytes. Messages are one line, "torchline: what".

#include "base/time.h"
#include "common/theme.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

enum class PictureFormat : uint8_t { Png, Svg, Pdf };
enum class RenderView : uint8_t { Timeline, Window, Operators, Kernels, Memory, Steps };
enum class RenderArrows : uint8_t { Selection, None, All };

struct RenderSort {
    std::string key; ///< of a column
    bool descending = false;
};

struct RenderOptions {
    std::vector<std::string> files;
    std::string out;
    PictureFormat format = PictureFormat::Png;
    RenderView view = RenderView::Timeline;
    int width = 1920; ///< of the picture, in its own pixels
    int height = 1080;
    double scale = 1; ///< picture pixels per logical pixel
    ThemeMode theme = ThemeMode::Light;
    std::optional<TimeRange> range; ///< common axis
    std::optional<int64_t> step;
    std::optional<std::string> annotation;
    std::string filter; ///< parses
    std::optional<RenderSort> sort; ///< none: as the command of the same name sorts
    uint64_t limit = 0; ///< rows of a table; 0: all
    std::optional<uint64_t> select; ///< slice id of `torchline-cli dump`
    RenderArrows arrows = RenderArrows::Selection;
    std::vector<std::string> lanes; ///< globs; empty: all
};

struct CommandLine {
    std::optional<RenderOptions> render; ///< none: the window
    std::vector<std::string> files; ///< for the window; "-" is standard input
    std::vector<std::string> program; ///< to record in the window; empty: none
};

/// Nothing is left to do but to print this: to standard output with status 0, else to standard error.
struct EarlyExit {
    int status = 0;
    std::string text; ///< with its line ends
};

[[nodiscard]] tl::expected<CommandLine, EarlyExit> parseCommandLine(const std::vector<std::string>& arguments);

/// By the end of the name, upper or lower case.
[[nodiscard]] std::optional<PictureFormat> pictureFormatOf(std::string_view path);

} // namespace torchline
