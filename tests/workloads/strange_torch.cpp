#include "strange_torch.h"

namespace {

at::RecordFunctionCallback g_callback = {};
uint64_t g_handle = 0;

} // namespace

namespace at {

uint64_t addGlobalCallback(RecordFunctionCallback callback)
{
    g_callback = callback;
    return ++g_handle;
}

void removeCallback(uint64_t)
{
    g_callback = {};
}

RecordFunction::RecordFunction(RecordScope scope)
    : m_scope(scope)
{
}

void RecordFunction::before(const char* name, int64_t sequence)
{
    m_name = name;
    m_sequence = sequence;
    void* context = nullptr;
    if (g_callback.start && g_callback.scopes[static_cast<int>(m_scope)])
        g_callback.start(&context, this);
}

RecordFunction::~RecordFunction()
{
    if (g_callback.end && g_callback.scopes[static_cast<int>(m_scope)])
        g_callback.end(this, nullptr);
}

const char* RecordFunction::name() const
{
    return m_name;
}

} // namespace at
