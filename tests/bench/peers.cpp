#include "peers.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace torchline::bench {

namespace {

constexpr size_t kBuffer = size_t{4} << 20;

#if defined(__SSE2__)
uint64_t newlinesIn(const char* p, size_t size)
{
    uint64_t count = 0;
    const __m128i newline = _mm_set1_epi8('\n');
    while (size >= 16) {
        // A byte of the sum holds 255 steps at most.
        __m128i sum = _mm_setzero_si128();
        for (size_t step = std::min<size_t>(size / 16, 255); step > 0; --step, p += 16, size -= 16)
            sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), newline));
        const __m128i halves = _mm_sad_epu8(sum, _mm_setzero_si128());
        count += static_cast<uint64_t>(_mm_cvtsi128_si64(halves))
            + static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(halves, halves)));
    }
    return count + static_cast<uint64_t>(std::count(p, p + size, '\n'));
}
#else
uint64_t newlinesIn(const char* p, size_t size)
{
    return static_cast<uint64_t>(std::count(p, p + size, '\n'));
}
#endif

} // namespace

bool countNewlines(const std::string& path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    std::vector<char> buffer(kBuffer);
    uint64_t lines = 0;
    off_t at = 0;
    for (ssize_t got = 0; (got = pread(file, buffer.data(), buffer.size(), at)) > 0; at += got)
        lines += newlinesIn(buffer.data(), static_cast<size_t>(got));
    close(file);
    std::printf(
        "lines %llu\nbytes %llu\n", static_cast<unsigned long long>(lines), static_cast<unsigned long long>(at));
    return at > 0;
}

bool inflateGzip(const std::string& path)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file)
        return false;
    std::vector<Bytef> in(kBuffer / 16);
    std::vector<Bytef> out(kBuffer / 4);
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    int result = Z_OK;
    while (result == Z_OK) {
        if (stream.avail_in == 0) {
            stream.next_in = in.data();
            stream.avail_in = static_cast<uInt>(std::fread(in.data(), 1, in.size(), file.get()));
        }
        stream.next_out = out.data();
        stream.avail_out = static_cast<uInt>(out.size());
        result = inflate(&stream, Z_NO_FLUSH);
    }
    std::printf("bytes %llu\n", static_cast<unsigned long long>(stream.total_out));
    inflateEnd(&stream);
    return result == Z_STREAM_END;
}

bool parseNlohmann(const std::string& path)
{
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    std::string text(static_cast<size_t>(in.tellg()), '\0');
    in.seekg(0);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    // Never taken apart again: the process ends without.
    const auto* document = new nlohmann::json(nlohmann::json::parse(text));
    std::printf("events %zu\n", document->at("traceEvents").size());
    return in.good();
}

} // namespace torchline::bench
