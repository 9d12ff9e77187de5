#pragma once
// GzipStream: packs what is written to it and passes it on to another stream.
// Thread: one owner.

#include <memory>
#include <ostream>

namespace torchline {

class GzipStream : public std::ostream {
public:
    /// `target` outlives this.
    explicit GzipStream(std::ostream& target);
    ~GzipStream() override;

    /// Ends the gzip file; nothing is written afterwards. Errors are those of `target`.
    void finish();

private:
    class Buffer;
    std::unique_ptr<Buffer> m_buffer;
};

} // namespace torchline
