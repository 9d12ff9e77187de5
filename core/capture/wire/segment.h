#pragma once
// The shared memory of a recorded process: what the agent inside it writes and the window reads. PROTOCOL.md tells the
// whole; this header is its layout. Used by both sides, so it needs neither the model nor a C++ library at run time.
// Thread: see each field; all atomics are lock-free. Little endian. Times are ticks of SegmentHeader::clock.
//
// The reader trusts nothing in here: every offset, size, id and count is checked against what it knows by itself.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace torchline::wire {

constexpr uint64_t kMagic = 0x31304c4843524f54; ///< "TORCHL01" in memory
constexpr uint32_t kVersion = 2; ///< of this layout: another one is refused
constexpr uint32_t kDefaultSlots = 64;
constexpr uint32_t kDefaultRingBytes = 4u << 20; ///< 40 ms of the fastest thread that LibTorch's dispatcher allows
constexpr uint64_t kArenaBytes = 64u << 20; ///< address space; pages appear as they are written
constexpr uint32_t kMaxStrings = 1u << 16;
constexpr uint32_t kMaxShapes = 1u << 16;
constexpr uint32_t kMaxStacks = 1u << 16;
constexpr uint32_t kMaxStackFrames = 64;
constexpr uint32_t kMaxModules = 1u << 16;
constexpr uint32_t kMaxPathBytes = 4096;
constexpr uint32_t kMaxInputs = 64; ///< of one operator; further ones are left out
constexpr uint32_t kMaxRank = 64;
constexpr uint32_t kOpenOps = 512; ///< open operators of a thread; deeper ones are dropped and counted

template <typename T> using Shared = std::atomic<T>;
static_assert(Shared<uint64_t>::is_always_lock_free && sizeof(Shared<uint64_t>) == 8);
static_assert(Shared<uint32_t>::is_always_lock_free && sizeof(Shared<uint32_t>) == 4);

enum class ClockKind : uint32_t {
    Tsc = 0, ///< ticks of the processor's time stamp counter
    Monotonic = 1, ///< ns of CLOCK_MONOTONIC
};

/// One moment on three clocks, behind a sequence lock: odd while it is written.
struct ClockPair {
    Shared<uint32_t> sequence;
    uint32_t reserved;
    Shared<uint64_t> ticks;
    Shared<uint64_t> monotonicNs;
    Shared<uint64_t> realNs;
};

enum class RecordState : uint32_t {
    Idle = 0,
    Waiting = 1, ///< a schedule counts steps, nothing is written
    Warmup = 2, ///< all of the cost, nothing is kept
    Recording = 3,
};

struct SegmentHeader { // one page
    uint64_t magic; ///< written last of all constant fields
    uint32_t version;
    uint32_t pid;
    uint32_t slotCount;
    uint32_t ringBytes; ///< a power of two
    uint64_t slotsAt; ///< offset of the first slot
    uint64_t slotStride;
    uint64_t arenaAt;
    uint64_t arenaBytes;
    ClockKind clock;
    uint32_t number; ///< of this segment in its process, from 0
    alignas(64) Shared<uint32_t> slotsUsed; ///< slots below were used at least once
    Shared<uint32_t> state; ///< RecordState
    Shared<uint64_t> arenaHead; ///< bytes of the arena that are complete
    Shared<uint64_t> threadsWithoutSlot; ///< threads that are not recorded because no slot was free
    Shared<uint64_t> namesRefused; ///< names and shapes that found no room: id 0
    Shared<uint64_t> opsTooDeep; ///< beyond kOpenOps
    Shared<uint64_t> step; ///< number of the step that runs
    Shared<uint64_t> stacksRefused; ///< stacks and modules that found no room: id 0
    alignas(64) ClockPair first;
    ClockPair last; ///< refreshed every second, and when recording stops
};
constexpr size_t kPage = 4096;
static_assert(sizeof(SegmentHeader) <= kPage);

enum class ArenaKind : uint8_t {
    Name = 1, ///< UTF-8 as the program gave it, unchecked, no terminator counted
    Shapes = 2, ///< InputShape words of one operator
    KernelName = 3, ///< reserved for device records
    Stack = 4, ///< 1 to kMaxStackFrames return addresses (uint64_t), innermost first
    Module = 5, ///< Module, then the path of its file
};

/// Append only. Ids of each kind count from 1 in the order written; 0 stands for none. Followed by `bytes` bytes and
/// zeros up to a multiple of 8.
struct ArenaEntry {
    uint32_t id;
    uint32_t kindAndBytes; ///< kind << 24 | bytes; bytes < 2^24

    [[nodiscard]] ArenaKind kind() const { return static_cast<ArenaKind>(kindAndBytes >> 24); }
    [[nodiscard]] uint32_t bytes() const { return kindAndBytes & 0xFFFFFF; }
};
static_assert(sizeof(ArenaEntry) == 8);

/// One input of an operator, in order; a tensor's is followed by `rank` int64_t sizes.
struct InputShape {
    uint8_t tag; ///< of the IValue, as LibTorch has it: 1 is a tensor; others differ between versions
    uint8_t rank; ///< 0 for all but tensors
    uint16_t dtype; ///< c10::ScalarType, kNoDtype if none
    uint32_t flags; ///< InputFlag
};
static_assert(sizeof(InputShape) == 8);
constexpr uint16_t kNoDtype = 0xFFFF;
constexpr uint8_t kTensorTag = 1;
enum InputFlag : uint32_t { InputUndefinedTensor = 1, InputRankTooLarge = 2 };

/// Where the code of a file lies in the process, as the kernel told it. Of several that cover an address the latest
/// counts.
struct Module {
    uint64_t begin;
    uint64_t end;
    uint64_t fileOffset; ///< of `begin`
    uint64_t fileBytes; ///< with `modifiedNs`: what tells the file from one that took its place
    int64_t modifiedNs; ///< Unix time
};
static_assert(sizeof(Module) == 40);

enum class SlotState : uint32_t { Free = 0, Live = 1, Ended = 2 };
enum class SlotKind : uint32_t { Ops = 0, Device = 1 };

enum OpenMark : uint16_t {
    OpenKept = 1, ///< began while recording: its record is written when it ends
};

/// An operator that runs. Written by its thread before `depth` counts it; after a crash it tells what was running.
struct OpenOp {
    uint64_t key; ///< address of the RecordFunction
    uint64_t start;
    int64_t sequence;
    uint32_t name;
    uint8_t scope;
    uint8_t flags; ///< OpFlag
    uint16_t mark; ///< OpenMark; the other bits are the agent's own
    uint32_t shapes;
    uint32_t number;
    uint32_t stack; ///< of the arena
    uint32_t reserved;
};
static_assert(sizeof(OpenOp) == 48);

struct SlotHeader {
    // the thread's own line
    alignas(64) Shared<uint64_t> head; ///< bytes written since the beginning; its place in the ring is head % ringBytes
    uint64_t cachedTail;
    Shared<uint64_t> dropped; ///< records that found no room
    Shared<uint64_t> written;
    Shared<uint32_t> depth; ///< open operators; may exceed kOpenOps
    uint32_t nextNumber;
    // the reader's line
    alignas(64) Shared<uint64_t> tail; ///< bytes read
    alignas(64) uint32_t tid;
    Shared<uint32_t> state; ///< SlotState; the other fields of this line are valid while it is not Free
    uint64_t torchThread; ///< at::RecordFunction::currentThreadId()
    uint64_t pthread;
    char threadName[16];
    SlotKind kind;
    uint32_t generation; ///< grows when an ended slot gets another thread
    alignas(64) OpenOp open[kOpenOps];
};
constexpr size_t kRingAt = (sizeof(SlotHeader) + kPage - 1) / kPage * kPage; ///< from the slot's beginning
static_assert(kRingAt % kPage == 0);

enum class RecordType : uint8_t {
    Pad = 0, ///< the rest of the ring is empty: records never wrap
    Op = 1,
    Memory = 2,
    AsyncOpen = 4,
    AsyncEnd = 5,
    Step = 6,
    Dropped = 7,
    Thread = 8, ///< the first record of a thread in its slot
    Kernel = 16, ///< from here on: device records, laid out when CUPTI is read
};

enum OpFlag : uint8_t {
    OpAsync = 1, ///< ends on whatever thread completes it
};

/// Begins every record. size: a multiple of 8, header included; of Pad it is not looked at.
struct RecordHead {
    uint16_t size;
    RecordType type;
    uint8_t scope; ///< at::RecordScope of operators, else flags
    uint32_t name; ///< of the arena
};
static_assert(sizeof(RecordHead) == 8);

struct OpRecord {
    RecordHead head;
    uint64_t start;
    uint64_t end;
    int64_t sequence; ///< -1: none
    uint32_t forwardThread; ///< LibTorch's number of the thread that ran the forward operator; 0: none
    uint16_t depth; ///< open operators around it
    uint16_t flags; ///< OpFlag
    uint32_t shapes; ///< of the arena
    uint32_t number; ///< counts the operators of a slot
};
static_assert(sizeof(OpRecord) == 48);

/// An operator whose stack was taken. Told from the other by its size.
struct OpStackRecord {
    OpRecord op;
    uint32_t stack; ///< of the arena
    uint32_t reserved;
};
static_assert(sizeof(OpStackRecord) == 56);

struct MemoryRecord {
    RecordHead head; ///< name: of the operator that runs
    uint64_t time;
    uint64_t address;
    int64_t bytes; ///< allocated; negative: freed; 0: freed, size unknown, the reader pairs by address
    uint64_t allocated; ///< total after it; 0: not told, the reader sums up
    uint64_t reserved;
    int16_t deviceType; ///< c10::DeviceType
    int16_t deviceIndex;
    uint32_t number; ///< of the operator that runs
};
static_assert(sizeof(MemoryRecord) == 56);

struct AsyncRecord {
    RecordHead head;
    uint64_t key; ///< RecordFunction
    uint64_t time;
    int64_t sequence;
    uint32_t stack; ///< of the arena; AsyncOpen only
    uint32_t reserved;
};
static_assert(sizeof(AsyncRecord) == 40);

struct StepRecord {
    RecordHead head;
    uint64_t time; ///< its end
    uint64_t step; ///< the number of the step that begins here
};
static_assert(sizeof(StepRecord) == 24);

struct DroppedRecord {
    RecordHead head;
    uint64_t firstTime; ///< of the first record that found no room
    uint64_t count;
};
static_assert(sizeof(DroppedRecord) == 24);

struct ThreadRecord {
    RecordHead head;
    uint64_t torchThread;
    uint32_t tid;
    uint32_t generation;
    char threadName[16];
};
static_assert(sizeof(ThreadRecord) == 40);

} // namespace torchline::wire
