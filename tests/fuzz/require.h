#pragma once
// What a fuzz target says when a promise is broken: the sentence, then abort(), which libFuzzer and ctest both notice.

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace torchline::test {

inline void require(bool holds, std::string_view promise)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(promise.size()), promise.data());
    std::abort();
}

} // namespace torchline::test
