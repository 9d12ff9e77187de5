// strange-workload: some operators of strange_torch.
// strange-workload PER_SECOND SECONDS: so many of them, evenly, in steps of 50 ms; as many as the machine gives if it
// cannot keep up.

#include "strange_torch.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using at::RecordFunction;
using at::RecordScope;

void few()
{
    for (int i = 0; i < 10; ++i) {
        RecordFunction outer(RecordScope::USER_SCOPE);
        outer.before("outer", -1);
        for (int k = 0; k < 3; ++k) {
            RecordFunction inner(RecordScope::FUNCTION);
            inner.before("inner", k);
        }
    }
}

void flow(int64_t perSecond, int64_t seconds)
{
    constexpr auto kBurst = std::chrono::milliseconds(1);
    constexpr int64_t kBurstsAStep = 50;
    constexpr int64_t kInners = 4; // of one outer
    std::array<std::string, 60> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = "strange::operator_" + std::to_string(i);
    const Clock::time_point begin = Clock::now();
    const int64_t bursts = seconds * 1000;
    int64_t made = 0;
    for (int64_t burst = 0; burst < bursts;) {
        RecordFunction step(RecordScope::USER_SCOPE);
        const std::string name = "ProfilerStep#" + std::to_string(burst / kBurstsAStep);
        step.before(name.c_str(), -1);
        ++made;
        for (const int64_t end = burst + kBurstsAStep; burst < end; ++burst) {
            std::this_thread::sleep_until(begin + burst * kBurst);
            while (made < (burst + 1) * perSecond / 1000) {
                RecordFunction outer(RecordScope::FUNCTION);
                outer.before(names[static_cast<size_t>(made) % names.size()].c_str(), -1);
                for (int64_t k = 0; k < kInners; ++k) {
                    RecordFunction inner(RecordScope::FUNCTION);
                    inner.before(names[static_cast<size_t>(made + k) % names.size()].c_str(), k);
                }
                made += 1 + kInners;
            }
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        few();
    else
        flow(std::atoll(argv[1]), std::atoll(argv[2]));
    return 0;
}
