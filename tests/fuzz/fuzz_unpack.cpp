// Packed texts: gzip by both engines, zstd, UTF-16. The text is the same however its bytes come in and go out; the two
// gzip engines agree on it; a DecodedSource gives it from any place.
// Input: one byte for the format, one for the size of the pieces, then the packed bytes.

#include "bytes_source.h"
#include "import/source/decoded_source.h"
#include "import/source/gzip_decoder.h"
#include "require.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace torchline;
using torchline::test::require;

namespace {

constexpr size_t kMostText = 64 * 1024;
constexpr uint8_t kFormats = 4;

std::unique_ptr<Decoder> makeDecoder(uint8_t format)
{
    switch (format) {
    case 1:
        return makeZstdDecoder();
    case 2:
        return makeUtf16Decoder(false);
    case 3:
        return makeUtf16Decoder(true);
    default:
        return makeGzipDecoder();
    }
}

struct Unpacked {
    std::string text; ///< at most kMostText of it
    bool isWhole = false;
    std::string trouble;
};

/// What comes out of damaged data up to the place where the damage is noticed depends on the room there is: with ISA-L
/// a few bytes, and all that refers to text from before the beginning; with zstd a part of a block.
bool isUnsure(const Unpacked& unpacked)
{
    return unpacked.trouble.starts_with("damaged-") || unpacked.trouble == "gzip-checksum";
}

bool isSame(const Unpacked& a, const Unpacked& b)
{
    if (isUnsure(a) || isUnsure(b))
        return !a.isWhole || !b.isWhole || (!a.trouble.empty() && !b.trouble.empty());
    return a.text == b.text && a.isWhole == b.isWhole && a.trouble == b.trouble;
}

/// ISA-L takes sets of codes that zlib refuses as incomplete; the checksum then says that the text is right.
bool isSameOrTakesMore(const Unpacked& preferred, const Unpacked& zlib)
{
    if (zlib.trouble == "damaged-gzip" && preferred.isWhole && !isUnsure(preferred))
        return preferred.text.starts_with(zlib.text);
    return isSame(preferred, zlib);
}

/// `inStep` bytes at a time, `outStep` taken.
Unpacked unpacked(Decoder& decoder, std::string_view packed, size_t inStep, size_t outStep)
{
    Unpacked result;
    result.text.resize(kMostText);
    size_t in = 0;
    size_t out = 0;
    while (!result.isWhole && out < kMostText) {
        const size_t given = std::min(inStep, packed.size() - in);
        const size_t room = std::min(outStep, kMostText - out);
        const bool inEnds = in + given == packed.size();
        const auto step
            = decoder.decode(std::span(packed).subspan(in, given), inEnds, std::span(result.text).subspan(out, room));
        require(step.consumed <= given && step.produced <= room, "a step keeps to what it was given");
        in += step.consumed;
        out += step.produced;
        const bool stands = step.consumed == 0 && step.produced == 0;
        require(!stands || step.isFinished || !inEnds, "a decoder that has everything goes on or ends");
        require(!stands || step.isFinished || given < inStep || inStep < 64, "a decoder takes what is long enough");
        if (stands && !step.isFinished)
            inStep *= 2; // it waits for more at a time
        result.isWhole = step.isFinished;
    }
    result.text.resize(out);
    if (const auto trouble = decoder.trouble(); trouble && result.isWhole)
        result.trouble = trouble->code;
    return result;
}

void checkSource(std::string_view packed, uint8_t format, size_t step, const Unpacked& expected)
{
    const DecodedSource source(
        std::make_shared<test::BytesSource>(packed), 0, [format] { return makeDecoder(format); });
    std::string text(kMostText, '\0');
    size_t at = 0;
    for (size_t got = 1; at < kMostText && got > 0; at += got) {
        const auto read = source.readAt(at, std::span(text).subspan(at, std::min(step, kMostText - at)));
        require(read.has_value(), "bytes in memory can be read");
        got = *read;
    }
    text.resize(at);
    if (expected.isWhole && !isUnsure(expected))
        require(text == expected.text, "a source gives the text of its decoder");
    if (expected.isWhole && at < kMostText) {
        require(source.size() == at, "the size is known once the text was read");
        const auto troubles = source.troubles();
        require((troubles.empty() ? std::string() : troubles.front().code) == expected.trouble, "and what was wrong");
    }
    for (const size_t from : {at / 2, size_t{0}, at - std::min<size_t>(at, 9)}) {
        char piece[32];
        const auto got = source.readAt(from, piece);
        const std::string_view there = std::string_view(text).substr(from, sizeof piece);
        require(got.has_value() && std::string_view(piece, *got).substr(0, there.size()) == there,
            "the text is the same read from any place");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 3)
        return 0;
    const std::string_view packed(reinterpret_cast<const char*>(data) + 2, size - 2);
    const uint8_t format = data[0] % kFormats;
    const size_t step = data[1] + size_t{1};
    const auto decoder = makeDecoder(format);
    const Unpacked whole = unpacked(*decoder, packed, packed.size(), kMostText);
    const auto second = makeDecoder(format);
    require(isSame(unpacked(*second, packed, step, data[1] * size_t{37} + 1), whole),
        "the text does not depend on the size of the pieces");
    if (format == 0) {
        const auto plain = makeZlibGzipDecoder();
        require(isSameOrTakesMore(whole, unpacked(*plain, packed, packed.size(), kMostText)),
            "both engines unpack the same text");
    }
    if (data[0] / kFormats % 8 == 7)
        checkSource(packed, format, step * 97, whole);
    return 0;
}
