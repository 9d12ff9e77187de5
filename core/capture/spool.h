#pragma once
// The spool: a file to which everything that arrives is appended before it is looked at, frame after frame. A recording
// that was cut short is read again from it by the code that read it live; args of events are read from it when asked.
//
// File: SpoolHeader, then frames (FrameHead, payload, zeros to a multiple of 8). Cut anywhere, all whole frames before
// the cut are valid. Name: `torchline-PID-START.spool` in the spool folder, locked (flock) while its owner lives.

#include "base/result.h"
#include "capture/frames.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace torchline {

struct SpoolHeader {
    char magic[8]; ///< "TLSPOOL1"
    uint32_t version; ///< kSpoolVersion
    uint32_t ownerPid;
    int64_t createdRealNs; ///< Unix time
    uint64_t reserved[5];
};
static_assert(sizeof(SpoolHeader) == 64);
constexpr uint32_t kSpoolVersion = 2;

/// Bytes of a spool, for whoever looks a record up again. Thread: any; read() may block on the disk.
class SpoolBytes {
public:
    virtual ~SpoolBytes() = default;
    /// Fills `out` from this place; an error where it is not there (the disk was full) or cannot be read.
    [[nodiscard]] virtual Status read(uint64_t place, std::span<std::byte> out) const = 0;
};

/// Appends frames and passes each on with its place. Thread: one; spool() may be read from any thread.
class SpoolWriter : public FrameSink {
public:
    /// Creates a spool in this folder (made with mode 0700 if it is missing). `next` gets every frame, whether it could
    /// be written or not.
    [[nodiscard]] static Result<std::unique_ptr<SpoolWriter>> create(const std::string& folder, FrameSink& next);
    ~SpoolWriter() override; ///< the file stays, unlocked

    void take(const Frame& frame) override;
    /// Writes what is buffered. After each drain, and before a snapshot is published.
    void flush();
    /// Why nothing more is written; told once, empty until then and afterwards. Recording goes on without the spool.
    [[nodiscard]] std::optional<Error> takeError();
    [[nodiscard]] bool isWriting() const; ///< no error so far
    [[nodiscard]] uint64_t bytes() const; ///< appended so far, also those that could not be written
    [[nodiscard]] const std::string& path() const;
    [[nodiscard]] std::shared_ptr<const SpoolBytes> spool() const;
    /// Removes the file; what is open stays readable.
    void discard();

private:
    struct State;
    explicit SpoolWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

struct SpoolReplay {
    uint64_t frames = 0;
    uint64_t bytes = 0; ///< up to the end of the last whole frame
    bool isCut = false; ///< the last frame is not whole: its owner died while it wrote
    std::optional<std::string> damage; ///< what is wrong and at which byte; what follows it was not read
};

/// A spool file opened for reading. Thread: one for replay(), any for spool().
class SpoolFile {
public:
    [[nodiscard]] static Result<SpoolFile> open(const std::string& path);

    /// Passes all whole frames on, in order. Stops early when `pause` (called every few ms of work) returns false.
    [[nodiscard]] Result<SpoolReplay> replay(FrameSink& sink, const std::function<bool()>& pause = {}) const;
    [[nodiscard]] const SpoolHeader& header() const { return m_header; }
    [[nodiscard]] std::shared_ptr<const SpoolBytes> spool() const { return m_bytes; }
    [[nodiscard]] uint64_t sizeBytes() const { return m_sizeBytes; }

private:
    SpoolFile() = default;
    SpoolHeader m_header{};
    uint64_t m_sizeBytes = 0;
    std::shared_ptr<const SpoolBytes> m_bytes;
};

/// A spool whose owner is gone.
struct StaleSpool {
    std::string path;
    uint32_t ownerPid = 0;
    int64_t createdRealNs = 0;
    uint64_t sizeBytes = 0;
};

/// Spools in this folder that no living process holds, oldest first. A missing folder has none.
[[nodiscard]] std::vector<StaleSpool> staleSpools(const std::string& folder);
/// $XDG_STATE_HOME/torchline/spool, else ~/.local/state/torchline/spool, else a folder of the user in the temporary
/// one.
[[nodiscard]] std::string defaultSpoolFolder();

} // namespace torchline
