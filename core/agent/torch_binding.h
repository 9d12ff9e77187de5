#pragma once
// LibTorch, bound at run time by the names of its symbols: no header of it is included and nothing of it is linked.
// Thread: one at a time.

#include <cstddef>
#include <cstdint>

namespace torchline::agent {

/// What a start callback returns: std::unique_ptr<ObserverContext> of LibTorch. Its destructor makes the compiler
/// return it through memory, as LibTorch expects on every processor.
struct ObserverContext {
    void* none = nullptr;

    ObserverContext() = default;
    ~ObserverContext() { } // NOLINT(modernize-use-equals-default): trivial ones return in a register
    ObserverContext(const ObserverContext&) = delete;
    ObserverContext& operator=(const ObserverContext&) = delete;
};

/// at::RecordFunctionCallback, the same since 1.13: passed by value.
struct RecordFunctionCallback {
    ObserverContext (*start)(const void* recordFunction) = nullptr;
    void (*end)(const void* recordFunction, void* context) = nullptr;
    double probability = 1;
    bool scopes[10] = {};
    bool needsInputs = false;
    bool needsOutputs = false;
    bool needsIds = false;
};
static_assert(sizeof(RecordFunctionCallback) == 40);

using NameFunction = const char* (*)(const void* recordFunction);

/// Where fields lie, in bytes; -1: not known.
struct Offsets {
    int scope = -1; ///< of at::RecordFunction
    int sequence = -1;
    int inputs = -1; ///< {IValue*, count}
    int forwardThread = -1;
    int rank = -1; ///< of c10::TensorImpl; sizes and dtype lie behind it
};

/// std::variant<std::string_view, std::reference_wrapper<FunctionSchema>> holding a string_view.
struct FunctionDescriptor {
    size_t length;
    const char* text;
    size_t index;
};

/// c10::ArrayRef<int64_t>.
struct SizeList {
    const int64_t* sizes;
    size_t count;
};

/// at::TensorBase as a result: a pointer that LibTorch returns through memory.
struct TensorHandle {
    const void* tensor = nullptr;

    TensorHandle() = default;
    ~TensorHandle() { } // NOLINT(modernize-use-equals-default): trivial ones return in a register
    TensorHandle(const TensorHandle&) = delete;
    TensorHandle& operator=(const TensorHandle&) = delete;
};

struct TorchBinding {
    char path[4096] = {};
    uint64_t (*addGlobalCallback)(RecordFunctionCallback) = nullptr;
    void (*removeCallback)(uint64_t handle) = nullptr;
    NameFunction name = nullptr;
    uint64_t (*currentThreadId)() = nullptr;
    const void* undefinedTensor = nullptr;

    // for the probe
    void (*construct)(void* recordFunction, uint8_t scope) = nullptr;
    void (*destroy)(void* recordFunction) = nullptr;
    void (*beforeText)(void* recordFunction, const char* name, int64_t sequence) = nullptr;
    void (*beforeDescriptor)(void* recordFunction, FunctionDescriptor name, int64_t sequence) = nullptr;
    /// Since 2.1: data, rank, sizes, strides, offset, dtype, device type, device, result.
    int32_t (*tensorFromBlob)(
        void*, int64_t, const int64_t*, const int64_t*, int64_t, int32_t, int32_t, int32_t, void**)
        = nullptr;
    int32_t (*deleteTensor)(void*) = nullptr;
    /// 1.13 and 2.0: sizes, dtype, pinned, no memory format.
    TensorHandle (*emptyCpu)(SizeList, int8_t, bool, uint16_t) = nullptr;

    [[nodiscard]] bool isBound() const { return addGlobalCallback != nullptr; }
};

enum class BindResult {
    NoTorch,
    SymbolsMissing, ///< also while a library is being loaded: look again
    Bound,
};

/// Looks among the loaded libraries; loads nothing.
[[nodiscard]] BindResult bindTorch(TorchBinding& out);

/// A symbol of the bound LibTorch or of a library that it uses; null if there is none.
[[nodiscard]] void* torchSymbol(const char* name);

/// Grows whenever a library was loaded.
[[nodiscard]] uint64_t librariesLoaded();

} // namespace torchline::agent
