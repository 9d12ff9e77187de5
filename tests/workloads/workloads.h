#pragma once
// The workloads of torch-workload: each runs some operators in a way that recording must get right. `size` scales it.

#include <string>

void trainSmallNetwork(int size); // training.cpp: conv + MLP, steps as user scopes ProfilerStep#N, scopes inside
void endElsewhere(int size); // async.cpp: scopes that end on another thread, or out of order
void forkAndWait(int size); // TorchScript tasks
void profileAtOnce(int size); // profiler.cpp: LibTorch's own profiler runs meanwhile

void runThreads(int size); // plain_ops.cpp: `size` threads at once
void runThreadsInTurn(int size); // one after the other
void nestDeeply(int size); // scopes within scopes
void allocate(int size); // blocks come and go, on two threads
void flood(int size); // many tiny operators
void paceSteps(int size); // steps of equal length with three operators each

void forkChildren(int size); // processes.cpp
void executeItself(int size, const std::string& program);
void forkAndExecute(int size, const std::string& program);

void crash(const std::string& how); // faults.cpp: segv, abort, terminate, kill, exit, inside two scopes
void closeAllDescriptors(int size);
void changeIdentity(int size); // directory and user

int callFromKnownFunctions(
    int size); // call_stack.cpp: outermostCaller, middleCaller, innermostCaller; each also by itself

void someOperators(int count); // what most of them run: `ones` (three operators), then add and mul_ `count` times
