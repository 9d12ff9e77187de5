#include "counting.h"

#include <ATen/record_function.h>

#include <fstream>
#include <mutex>
#include <sstream>
#include <vector>

namespace {

struct Noted {
    uint64_t thread;
    std::string name;
    int scope;
    int depth;
    int64_t sequence;
    uint64_t forward;
    std::string shapes;
};

std::mutex g_mutex;
std::vector<Noted> g_noted;
thread_local int t_depth = 0;

struct Begun : at::ObserverContext {
    uint64_t thread = 0;
    int depth = 0;
    std::string shapes;
};

std::string shapesOf(const at::RecordFunction& function)
{
    std::ostringstream out;
    for (const c10::IValue& input : function.inputs()) {
        if (input.isTensor() && input.toTensor().defined())
            out << input.toTensor().sizes() << static_cast<int>(input.toTensor().scalar_type());
        out << ';';
    }
    return out.str();
}

std::unique_ptr<at::ObserverContext> begins(const at::RecordFunction& function)
{
    auto begun = std::make_unique<Begun>();
    begun->thread = at::RecordFunction::currentThreadId();
    begun->depth = t_depth++;
    begun->shapes = shapesOf(function);
    return begun;
}

void ends(const at::RecordFunction& function, at::ObserverContext* context)
{
    const auto& begun = static_cast<const Begun&>(*context);
    const bool sameThread = begun.thread == at::RecordFunction::currentThreadId();
    if (sameThread)
        t_depth = begun.depth;
    const std::lock_guard<std::mutex> lock(g_mutex);
    g_noted.push_back({begun.thread, function.name(), static_cast<int>(function.scope()), sameThread ? begun.depth : -1,
        function.seqNr(), function.forwardThreadId(), begun.shapes});
}

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out;
}

} // namespace

void beginCounting()
{
    at::addGlobalCallback(at::RecordFunctionCallback(begins, ends).needsInputs(true));
}

void writeCounts(const std::string& file)
{
    const std::lock_guard<std::mutex> lock(g_mutex);
    std::ofstream out(file);
    out << "[";
    for (size_t i = 0; i < g_noted.size(); ++i) {
        const Noted& op = g_noted[i];
        out << (i ? ",\n" : "\n") << "{\"thread\":" << op.thread << ",\"name\":\"" << escaped(op.name)
            << "\",\"scope\":" << op.scope << ",\"depth\":" << op.depth << ",\"sequence\":" << op.sequence
            << ",\"forward\":" << op.forward << ",\"shapes\":\"" << op.shapes << "\"}";
    }
    out << "\n]\n";
}
