#pragma once
// What the columns of the tables mean: definition, denominator, and where torch.profiler, the TensorBoard plugin (TB)
// and HTA differ. Thread: any.

#include <QString>

#include <string>

namespace torchline {

/// command: that of the Table ("ops"), or "once" for operators with each instant counted once. Empty for a key nobody
/// has explained.
[[nodiscard]] QString columnHelp(const std::string& command, const std::string& key);

} // namespace torchline
