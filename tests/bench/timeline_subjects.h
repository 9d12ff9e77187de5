#pragma once
// What the timeline's benchmark measures, each in a process of its own: prints "KEY VALUE" lines, in ms unless a key
// says otherwise. Thread: the main one; those that draw need a QApplication.

#include <cstdint>
#include <string>

namespace torchline::bench {

/// Frames of synthetic lanes without labels, 1920x1080, at many zooms: drawn whole and panned, in 200 rows of 5 px and
/// 54 of 20; against drawing each slice with QPainter.
bool drawFrames(const std::string& shape, uint64_t slices);
/// Building the timeline's index against loading the same slices with one thread; bytes of the pyramids.
bool buildIndex(const std::string& file);
/// The same bytes over synthetic lanes.
bool weighPyramids(uint64_t slices);
/// Plain text over synthetic slices: until the first hits are there to be drawn, and until all are.
bool searchNames(uint64_t slices);

/// The real widget: frames with labels and arrows of a selection, hover and selection.
bool drawWidget(const std::string& file);
/// The same at its first frames: names and fonts as a process meets them.
bool drawFirstFrames(const std::string& file);
/// The window left alone: CPU, timers, paints; and its memory while one goes about in it.
bool restAndRoam(const std::string& file, bool isQuick);

} // namespace torchline::bench
