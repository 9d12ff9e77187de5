#pragma once
// OutputFile: where answers and exports go. A path is written beside itself and renamed at the end, so that it either
// holds the whole output or what it held before; devices and pipes are written directly. Thread: one owner.

#include "base/result.h"

#include <memory>
#include <ostream>
#include <string>

namespace torchline {

class OutputFile {
public:
    /// The message of an Error names the path.
    [[nodiscard]] static Result<OutputFile> toPath(const std::string& path);
    [[nodiscard]] static OutputFile toStandardOutput();

    OutputFile(OutputFile&&) noexcept;
    OutputFile& operator=(OutputFile&&) noexcept;
    ~OutputFile(); ///< without commit() nothing is left of a path

    [[nodiscard]] std::ostream& stream();
    /// Nobody reads the other end any more.
    [[nodiscard]] bool isBrokenPipe() const;
    /// File that is written until commit() puts it in its place; empty if there is none.
    [[nodiscard]] const std::string& temporaryPath() const;
    /// Writes what is buffered and puts the file in its place; the first error of all writing, if there was one.
    [[nodiscard]] Status commit();

private:
    class Buffer;
    struct State;
    explicit OutputFile(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;
};

} // namespace torchline
