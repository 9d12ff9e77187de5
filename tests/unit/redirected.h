#pragma once
// A small library whose calls tst_agent_parts redirects. Thread: any.

extern "C" {
[[gnu::visibility("default")]] int redirectedTarget(int value); ///< value + 1
[[gnu::visibility("default")]] int callThroughTable(int value); ///< redirectedTarget by way of the library's own table
}
