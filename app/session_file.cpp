#include "session_file.h"

#include "base/text.h"
#include "export/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace torchline {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr uint64_t kMostBytes = 64 << 20; ///< no session is larger
constexpr const char* kVersionKey = "torchline_session";

/// A path as text; one that is no UTF-8 as its bytes.
Json pathJson(const std::string& path)
{
    if (isValidUtf8(path))
        return path;
    Json bytes = Json::array();
    for (const char c : path)
        bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
}

std::string pathOf(const Json& json)
{
    if (json.is_string())
        return json.get<std::string>();
    std::string path;
    for (const Json& byte : json)
        path += static_cast<char>(byte.get<unsigned char>());
    return path;
}

/// Relative to the folder of the session, for those that are moved or sent together.
std::string besideSession(const std::string& trace, const std::string& session)
{
    return fs::path(trace).lexically_relative(fs::path(session).parent_path()).native();
}

Result<Json> parse(const std::string& path)
{
    const auto size = sizeOfFile(path);
    if (!size)
        return Error(ErrorCode::Io, std::strerror(errno != 0 ? errno : ENOENT));
    if (*size > kMostBytes)
        return Error(ErrorCode::Limit, "it is too large for a session");
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad() || !in.is_open())
        return Error(ErrorCode::Io, "it cannot be read");
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& fault) {
        return Error(ErrorCode::Format,
            "it is damaged at byte " + std::to_string(fault.byte) + " of " + std::to_string(text.size()));
    }
}

} // namespace

std::optional<uint64_t> sizeOfFile(const std::string& path)
{
    std::error_code fault;
    const uint64_t size = fs::file_size(fs::path(path), fault);
    return fault ? std::nullopt : std::optional(size);
}

bool SessionFile::isPath(const std::string& path)
{
    return path.size() > kEnding.size() && path.ends_with(kEnding);
}

Result<SessionFile> SessionFile::read(const std::string& path)
{
    auto json = parse(path);
    if (!json)
        return json.error();
    try {
        if (!json->is_object() || !json->contains(kVersionKey))
            return Error(ErrorCode::Format, "it is no session of Torchline");
        const int version = json->at(kVersionKey).get<int>();
        if (version > kVersion)
            return Error(ErrorCode::Unsupported,
                "it is from a newer version of Torchline (form " + std::to_string(version)
                    + "; this one reads up to form " + std::to_string(kVersion) + ")");
        SessionFile session;
        for (const Json& entry : json->at("traces")) {
            Trace trace{pathOf(entry.at("path")), entry.at("size").get<uint64_t>()};
            const fs::path beside = fs::path(path).parent_path() / fs::path(pathOf(entry.at("beside")));
            if (!sizeOfFile(trace.path) && sizeOfFile(beside.native()))
                trace.path = fs::absolute(beside).lexically_normal().native();
            session.traces.push_back(std::move(trace));
        }
        if (session.traces.empty())
            return Error(ErrorCode::Format, "it names no trace");
        session.view = json->at("view");
        return session;
    } catch (const Json::exception& fault) {
        return Error(ErrorCode::Format, std::string("it is damaged: ") + fault.what());
    }
}

Status SessionFile::write(const std::string& path) const
{
    Json json = {{kVersionKey, kVersion}, {"view", view}, {"traces", Json::array()}};
    for (const Trace& trace : traces)
        json["traces"].push_back({{"path", pathJson(trace.path)}, {"size", trace.sizeBytes},
            {"beside", pathJson(besideSession(trace.path, path))}});
    auto file = OutputFile::toPath(path);
    if (!file)
        return file.error();
    file->stream() << json.dump(1) << '\n';
    return file->commit();
}

} // namespace torchline
