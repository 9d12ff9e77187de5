#include "agent/fork_guard.h"

#include "agent/agent.h"
#include "agent/control_thread.h"
#include "agent/recording.h"
#include "agent/thread_block.h"

#include <sys/mman.h>

namespace torchline::agent {

constinit ForkPage* g_forkPage = nullptr;

namespace {

constinit Lock g_noFork;
constinit std::atomic<uint32_t> g_openBeforeFork = 0;

void beforeFork()
{
    g_noFork.lock();
}

void inParent()
{
    g_noFork.unlock();
}

/// The child must not keep the window from seeing that the parent ended.
void inChild()
{
    g_noFork.makeNew();
    g_forkPage->sameProcess.store(0, std::memory_order_relaxed);
    g_forkPage->claimed.store(0, std::memory_order_relaxed);
    closeDescriptors();
}

} // namespace

bool guardForks()
{
    void* const page = mmap(nullptr, wire::kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return false;
    madvise(page, wire::kPage, MADV_WIPEONFORK); // before Linux 4.14 inChild() alone does it
    g_forkPage = static_cast<ForkPage*>(page);
    g_forkPage->sameProcess.store(1, std::memory_order_release);
    pthread_atfork(beforeFork, inParent, inChild);
    return true;
}

bool continueInChild()
{
    if (g_forkPage->claimed.exchange(1, std::memory_order_acq_rel) != 0)
        return isSameProcess(); // another thread of the child sets it up
    g_openBeforeFork.store(t_block ? t_block->depth : 0, std::memory_order_relaxed);
    g_noFork.makeNew();
    g_agent.slots.makeNew();
    if (anyoneWasUnwinding())
        forbidStacks(TroubleStacksAfterFork);
    forgetThreads();
    recordInChild();
    g_forkPage->sameProcess.store(1, std::memory_order_release);
    return true;
}

uint32_t openBeforeFork()
{
    return g_openBeforeFork.exchange(0, std::memory_order_relaxed);
}

NoForkNow::NoForkNow()
{
    g_noFork.lock();
}

NoForkNow::~NoForkNow()
{
    g_noFork.unlock();
}

} // namespace torchline::agent
