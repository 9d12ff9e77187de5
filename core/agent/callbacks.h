#pragma once
// What LibTorch calls when an operator begins and ends, and what the memory patches call. Thread: that of the operator.
// Takes no lock, allocates nothing, calls no system and throws nothing once the thread has its slot and the name is
// known; where stacks are taken, see stacks.h.

#include "agent/torch_binding.h"

#include <cstdint>

namespace torchline::agent {

ObserverContext operatorBegins(const void* recordFunction);
void operatorEnds(const void* recordFunction, void* context);

struct Device {
    int16_t type; ///< c10::DeviceType
    int16_t index;
};

/// bytes: negative or 0 for freed; allocated and reserved: totals after it, 0 if not told.
void memoryChanges(const void* address, int64_t bytes, uint64_t allocated, uint64_t reserved, Device device);

} // namespace torchline::agent
