#include "workloads.h"

#include <ATen/record_function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <memory>
#include <thread>

namespace {

std::unique_ptr<at::RecordFunction> begin(const char* name)
{
    auto function = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
    function->before(name);
    return function;
}

} // namespace

void endElsewhere(int size)
{
    for (int i = 0; i < size; ++i) {
        RECORD_USER_SCOPE("round");
        auto first = begin("first");
        auto second = begin("second");
        someOperators(1);
        std::thread([&] {
            someOperators(1);
            first.reset();
        }).join();
        someOperators(1);
        second.reset(); // on its own thread, over the other
    }
}

/// Two tasks of the same work, forked and awaited: what torch.jit.fork and wait make in Python.
void forkAndWait(int size)
{
    namespace jit = torch::jit;
    torch::NoGradGuard noGradients;
    const auto unit = jit::compile(R"(
def work(x):
    y = x
    for i in range(20):
        y = torch.add(torch.mul(y, y), x)
    return y
)");
    const auto graph = std::make_shared<jit::Graph>();
    jit::Value* const x = graph->addInput();
    std::vector<jit::Value*> futures;
    for (int i = 0; i < 2; ++i) {
        jit::Node* const task = graph->insertNode(graph->create(jit::prim::fork, {x}, 1));
        task->g_(jit::attr::Subgraph, jit::toGraphFunction(unit->get_function("work")).graph()->copy());
        task->output()->setType(c10::FutureType::create(c10::TensorType::get()));
        futures.push_back(task->output());
    }
    for (jit::Value* const future : futures) {
        jit::Node* const wait = graph->insertNode(graph->create(jit::aten::wait, {future}, 1));
        wait->output()->setType(c10::TensorType::get());
        graph->registerOutput(wait->output());
    }
    jit::GraphExecutor executor(graph, "both");
    for (int i = 0; i < size; ++i) {
        RECORD_USER_SCOPE("round");
        jit::Stack stack = {torch::ones({16, 16})};
        executor.runAsync(stack)->waitAndThrow();
    }
}
