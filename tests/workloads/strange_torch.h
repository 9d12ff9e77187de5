#pragma once
// As much of LibTorch's operator callbacks as the agent binds, but with fields where no LibTorch has them. Its library
// is called libtorch_cpu.so. Thread: one.

#include <cstdint>

#define STRANGE_TORCH [[gnu::visibility("default")]]

namespace at {

enum class RecordScope : uint8_t { FUNCTION = 0, USER_SCOPE = 7 };

struct RecordFunctionCallback {
    void* (*start)(void** context, const void* function); ///< as on x86-64: the context is returned through memory
    void (*end)(const void* function, void* context);
    double probability;
    bool scopes[10];
    bool needsInputs;
    bool needsOutputs;
    bool needsIds;
};

STRANGE_TORCH uint64_t addGlobalCallback(RecordFunctionCallback callback);
STRANGE_TORCH void removeCallback(uint64_t handle);

class STRANGE_TORCH RecordFunction {
public:
    explicit RecordFunction(RecordScope scope);
    ~RecordFunction();
    void before(const char* name, int64_t sequence);
    [[nodiscard]] const char* name() const;

private:
    RecordScope m_scope; // the first field: LibTorch has its callbacks before it
    const char* m_name = "";
    int64_t m_sequence = -1;
};

} // namespace at
