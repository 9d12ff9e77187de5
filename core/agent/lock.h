#pragma once
// A mutex that a forked child may make new. Never taken by an operator once its thread has a slot and its name is
// known. Thread: any.

#include <pthread.h>

namespace torchline::agent {

class Lock {
public:
    void lock() { pthread_mutex_lock(&m_mutex); }
    void unlock() { pthread_mutex_unlock(&m_mutex); }
    /// In a forked child, whose parent may have held it.
    void makeNew() { m_mutex = PTHREAD_MUTEX_INITIALIZER; }

private:
    pthread_mutex_t m_mutex = PTHREAD_MUTEX_INITIALIZER;
};

class Locked {
public:
    explicit Locked(Lock& lock)
        : m_lock(lock)
    {
        m_lock.lock();
    }
    ~Locked() { m_lock.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    Lock& m_lock;
};

} // namespace torchline::agent
