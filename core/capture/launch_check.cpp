#include "capture/launch_check.h"

#include "base/file_descriptor.h"
#include "base/text.h"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace torchline::capture {

namespace {

constexpr int kMaxInterpreters = 4; ///< as the kernel: a script for a script for ...
constexpr size_t kHeadBytes = 4096;
#if defined(__x86_64__)
constexpr uint16_t kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kOwnMachine = EM_AARCH64;
#else
#error "no ELF machine number is known for this architecture"
#endif

Error cannot(const std::string& program, const std::string& what)
{
    return Error(ErrorCode::Io, escapeControls(program) + ": " + what);
}

std::string machineName(uint16_t machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "aarch64";
    case EM_386:
        return "32 bit x86";
    case EM_ARM:
        return "32 bit ARM";
    case EM_RISCV:
        return "RISC-V";
    case EM_PPC64:
        return "ppc64";
    default:
        return "architecture " + std::to_string(machine);
    }
}

std::string inFolder(const std::string& folder, const std::string& path)
{
    return folder.empty() || path.starts_with('/') ? path : folder + '/' + path;
}

bool isExecutableFile(const std::string& path)
{
    struct stat status { };
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string searchPath(const LaunchRequest& request)
{
    for (const auto& [name, value] : request.environment) {
        if (name == "PATH")
            return value;
    }
    const char* inherited = std::getenv("PATH");
    return inherited != nullptr ? inherited : "/usr/local/bin:/usr/bin:/bin";
}

std::optional<std::string> findInPath(const LaunchRequest& request, const std::string& name)
{
    const std::string path = searchPath(request);
    for (size_t begin = 0; begin <= path.size();) {
        const size_t end = std::min(path.find(':', begin), path.size());
        const std::string folder = path.substr(begin, end - begin);
        std::string candidate = inFolder(request.folder, (folder.empty() ? "." : folder) + '/' + name);
        if (isExecutableFile(candidate))
            return candidate;
        begin = end + 1;
    }
    return std::nullopt;
}

Status checkElf(const std::string& path, const FileDescriptor& file, std::string_view head)
{
    if (head.size() < sizeof(Elf64_Ehdr))
        return cannot(path, "the file is cut short");
    Elf64_Ehdr header{};
    std::memcpy(&header, head.data(), sizeof header);
    const bool isOwnClass = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
    if (!isOwnClass || header.e_machine != kOwnMachine) {
        return cannot(path,
            "is built for " + machineName(header.e_machine) + ", but this is Torchline for " + machineName(kOwnMachine)
                + "; record it on a machine of its own kind");
    }
    bool hasLoader = false;
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part{};
        const auto at = static_cast<off_t>(header.e_phoff + i * sizeof part);
        if (::pread(file.get(), &part, sizeof part, at) != static_cast<ssize_t>(sizeof part))
            return cannot(path, "the file is cut short");
        hasLoader = hasLoader || part.p_type == PT_INTERP;
    }
    if (!hasLoader) {
        return cannot(path,
            "is linked statically, so that no agent can be loaded into it; link it with shared libraries (without "
            "-static)");
    }
    return {};
}

Status checkPrivileges(const std::string& path)
{
    struct stat status { };
    if (::stat(path.c_str(), &status) != 0)
        return cannot(path, systemErrorText(errno));
    const bool changesUser = (status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid();
    const bool changesGroup = (status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid();
    const bool hasCapabilities = ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    if (changesUser || changesGroup || hasCapabilities) {
        return cannot(path,
            "runs with other rights than yours (set-user-ID or capabilities), so that the system loads no agent into "
            "it; record a copy without them");
    }
    return {};
}

/// The words of a first line "#! INTERPRETER ARGUMENT".
std::vector<std::string> interpreterWords(std::string_view head)
{
    std::string_view line = head.substr(2, std::min(head.find('\n'), head.size()) - 2);
    std::vector<std::string> words;
    constexpr std::string_view kBlanks = " \t\r";
    for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
        const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        words.emplace_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(kBlanks, end);
    }
    return words;
}

Status checkProgram(const LaunchRequest& request, const std::string& path, int interpreters)
{
    struct stat status { };
    if (::stat(path.c_str(), &status) != 0) {
        return cannot(path,
            errno == ENOENT ? "there is no such program; give its path, or a name that is in PATH"
                            : "cannot be started: " + systemErrorText(errno));
    }
    if (S_ISDIR(status.st_mode))
        return cannot(path, "is a folder; give the program in it");
    if (!S_ISREG(status.st_mode))
        return cannot(path, "is no program");
    if (::access(path.c_str(), X_OK) != 0) {
        return cannot(path,
            path.ends_with(".py") ? "is not executable; record its interpreter: python3 " + escapeControls(path)
                                  : "is not executable; chmod +x makes it so");
    }
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, kHeadBytes> bytes{};
    const ssize_t size = file.isOpen() ? ::pread(file.get(), bytes.data(), bytes.size(), 0) : -1;
    if (size < 0)
        return checkPrivileges(path); // it may be started without being readable
    const std::string_view head(bytes.data(), static_cast<size_t>(size));
    if (head.starts_with(ELFMAG)) {
        if (Status elf = checkElf(path, file, head); !elf)
            return elf;
        return checkPrivileges(path);
    }
    if (!head.starts_with("#!")) {
        return cannot(path,
            "is neither a program nor a script that names its interpreter in its first line (#!); record its "
            "interpreter: python3 "
                + escapeControls(path));
    }
    const std::vector<std::string> words = interpreterWords(head);
    if (words.empty() || interpreters == kMaxInterpreters)
        return cannot(path, "is a script, but its first line (#!) names no interpreter");
    const std::string& interpreter = words.front();
    const bool isEnv = interpreter.ends_with("/env") && words.size() > 1 && !words[1].starts_with('-')
        && words[1].find('=') == std::string::npos;
    if (isEnv && !findInPath(request, words[1]))
        return cannot(path, "is a script for '" + escapeControls(words[1]) + "', which is not in PATH");
    const std::string next = isEnv ? *findInPath(request, words[1]) : inFolder(request.folder, interpreter);
    if (::access(next.c_str(), F_OK) != 0)
        return cannot(path, "is a script for '" + escapeControls(interpreter) + "', which is not there");
    return checkProgram(request, next, interpreters + 1);
}

std::string ownFolder()
{
    std::array<char, 4096> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
    const std::string_view whole(path.data(), size > 0 ? static_cast<size_t>(size) : 0);
    return std::string(whole.substr(0, whole.rfind('/')));
}

} // namespace

Result<std::string> checkLaunch(const LaunchRequest& request)
{
    if (request.program.empty())
        return Error(ErrorCode::Usage, "no program is given");
    if (!request.folder.empty()) {
        struct stat status { };
        if (::stat(request.folder.c_str(), &status) != 0)
            return cannot(request.folder, "cannot be the working folder: " + systemErrorText(errno));
        if (!S_ISDIR(status.st_mode))
            return cannot(request.folder, "cannot be the working folder: it is a file");
    }
    std::string path = inFolder(request.folder, request.program);
    if (request.program.find('/') == std::string::npos) {
        const auto found = findInPath(request, request.program);
        if (!found && ::access(path.c_str(), F_OK) == 0)
            return cannot(request.program,
                "is not in PATH; write ./" + escapeControls(request.program) + " for the one in the working folder");
        if (!found)
            return cannot(request.program, "there is no such program in PATH; give its path");
        path = *found;
    }
    if (Status fault = checkProgram(request, path, 0); !fault)
        return fault.error();
    return path;
}

Result<std::string> findAgent()
{
    constexpr const char* kName = "/libtorchline-agent.so";
    if (const char* chosen = std::getenv("TORCHLINE_AGENT"); chosen != nullptr && *chosen != '\0') {
        if (::access(chosen, R_OK) == 0)
            return std::string(chosen);
        return cannot(chosen, "the agent that TORCHLINE_AGENT names cannot be read: " + systemErrorText(errno));
    }
    const std::string folder = ownFolder();
    for (const std::string place : {"/../" TORCHLINE_LIBDIR "/torchline", "/../lib/torchline", ""}) {
        std::array<char, PATH_MAX> resolved{};
        if (::realpath((folder + place + kName).c_str(), resolved.data()) == nullptr)
            continue;
        std::string path = resolved.data();
        if (path.find_first_of(" :") == std::string::npos)
            return path;
        return cannot(path, "LD_PRELOAD takes no path with a blank or a colon in it; install Torchline elsewhere");
    }
    return Error(ErrorCode::Io,
        "the agent libtorchline-agent.so is neither in " + folder
            + "/../" TORCHLINE_LIBDIR "/torchline nor beside the "
              "program; install Torchline again");
}

bool holdsLibTorch(const std::string& path)
{
    // What at::addGlobalCallback is called: in the symbols of every program that has LibTorch in it and is not
    // stripped; the schema of an operator: in the texts of all of them.
    constexpr std::array<std::string_view, 2> kSigns{
        "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", "aten::add.Tensor(Tensor self"};
    constexpr size_t kOverlap = 64;
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::string part(size_t{1} << 20, '\0');
    size_t kept = 0;
    for (;;) {
        const ssize_t size = file.isOpen() ? ::read(file.get(), part.data() + kept, part.size() - kept) : 0;
        if (size <= 0)
            return false;
        const std::string_view seen(part.data(), kept + static_cast<size_t>(size));
        for (const std::string_view sign : kSigns) {
            if (seen.find(sign) != std::string_view::npos)
                return true;
        }
        kept = std::min(kOverlap, seen.size());
        std::memmove(part.data(), seen.data() + seen.size() - kept, kept);
    }
}

} // namespace torchline::capture
