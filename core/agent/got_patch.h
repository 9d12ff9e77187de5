#pragma once
// Redirects calls between libraries: each library reaches another's function through a slot of its global offset table,
// and that can be changed while the program runs. Thread: one at a time.

#include <cstddef>

namespace torchline::agent {

struct Redirection {
    const char* symbol;
    void* replacement;
    int found = 0; ///< slots, counted by redirect()
};

/// In all loaded libraries whose file name begins with one of `prefixes` (null at the end). Slots that hold a
/// replacement already are counted too. Returns how many were found in all.
int redirect(const char* const* prefixes, Redirection* list, size_t count);

} // namespace torchline::agent
