#include "capture/stack_book.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

namespace torchline {

namespace {

constexpr size_t kMostTextBytes = 60'000; ///< an argument holds 64 KiB
constexpr std::string_view kAgent = "libtorchline-agent.so";

std::string_view lastPart(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string hex(uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

/// Frames are parted by semicolons.
std::string withoutSemicolons(std::string_view text)
{
    std::string out = toValidUtf8(text);
    std::ranges::replace(out, ';', ',');
    return out;
}

/// What LibTorch does between an operator and those that watch it.
bool isOfRecordFunction(std::string_view function)
{
    return function.starts_with("at::RecordFunction::") || function.starts_with("at::RecordFunctionCallback")
        || function.find("at::detail::record_function_with_scope") != std::string_view::npos;
}

} // namespace

void StackBook::addStack(uint32_t segment, std::span<const std::byte> bytes)
{
    Addresses addresses(bytes.size() / sizeof(uint64_t));
    if (!addresses.empty())
        std::memcpy(addresses.data(), bytes.data(), addresses.size() * sizeof(uint64_t));
    const std::lock_guard lock(m_mutex);
    m_stacks[segment].push_back(std::move(addresses));
}

void StackBook::addModule(const ModuleItem& module)
{
    const std::lock_guard lock(m_mutex);
    m_modules.push_back({module.place, std::string(module.path)});
}

StackBook::Addresses StackBook::addressesOf(uint32_t segment, uint32_t stack) const
{
    const std::lock_guard lock(m_mutex);
    const auto known = m_stacks.find(segment);
    return known != m_stacks.end() && stack != 0 && stack <= known->second.size() ? known->second[stack - 1]
                                                                                  : Addresses();
}

StackBook::Module StackBook::moduleAt(uint64_t address) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_modules.rbegin(), m_modules.rend(),
        [address](const Module& m) { return address >= m.place.begin && address < m.place.end; });
    return found == m_modules.rend() ? Module{} : *found;
}

StackBook::FrameText StackBook::makeFrame(uint64_t address) const
{
    const uint64_t call = address - 1; // the instruction before the one that is returned to
    const Module module = moduleAt(call);
    if (module.path.empty())
        return {hex(address) + ';', 0};
    const std::string_view name = lastPart(module.path);
    const uint64_t offset = call - module.place.begin + module.place.fileOffset;
    const std::string place = withoutSemicolons(name) + '+' + hex(offset + 1);
    FrameText frame;
    const bool isAgent = name == kAgent;
    for (const CodePlace& each :
        m_symbolizer.placesOf({module.path, module.place.fileBytes, module.place.modifiedNs}, offset)) {
        frame.text += each.file.empty() ? place : withoutSemicolons(each.file) + '(' + std::to_string(each.line) + ')';
        if (!each.function.empty())
            frame.text += ": " + withoutSemicolons(each.function);
        frame.text += ';';
        if (isAgent || isOfRecordFunction(each.function))
            frame.ownBytes = frame.text.size();
    }
    if (frame.text.empty())
        frame = {place + ';', isAgent ? place.size() + 1 : 0};
    return frame;
}

/// Under m_naming.
const StackBook::FrameText& StackBook::frameOf(uint64_t address) const
{
    const auto [entry, isNew] = m_frames.try_emplace(address);
    if (isNew)
        entry->second = makeFrame(address);
    return entry->second;
}

std::string StackBook::text(uint32_t segment, uint32_t stack) const
{
    const Addresses addresses = addressesOf(segment, stack);
    const std::lock_guard naming(m_naming);
    {
        const std::lock_guard lock(m_mutex);
        if (std::exchange(m_modulesNamed, m_modules.size()) != m_modules.size())
            m_frames.clear();
    }
    constexpr size_t kMostOwn = 8; // further out the same functions are the program's business
    size_t first = 0;
    for (size_t i = 0; i < std::min(addresses.size(), kMostOwn); ++i) {
        if (frameOf(addresses[i]).ownBytes != 0)
            first = i;
    }
    std::string text;
    for (size_t i = first; i < addresses.size(); ++i) {
        const FrameText& known = frameOf(addresses[i]);
        const std::string_view frame = std::string_view(known.text).substr(i == first ? known.ownBytes : 0);
        if (text.size() + frame.size() > kMostTextBytes)
            break;
        text += frame;
    }
    return text;
}

size_t StackBook::memoryUsage() const
{
    size_t bytes = 0;
    const std::lock_guard lock(m_mutex);
    for (const auto& [segment, stacks] : m_stacks) {
        for (const Addresses& addresses : stacks)
            bytes += sizeof(addresses) + addresses.capacity() * sizeof(uint64_t);
    }
    return bytes + m_modules.capacity() * sizeof(Module);
}

} // namespace torchline
