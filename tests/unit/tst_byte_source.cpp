// Packed texts: the same bytes come out however they are fed, from whatever place they are read.
#include "gzipped.h"
#include "import/source/decoded_source.h"
#include "import/source/file_source.h"
#include "import/source/gzip_decoder.h"
#include "import/source/sniff.h"

#include <QtTest>

#include <random>

#include <zstd.h>

using namespace torchline;
using namespace std::string_literals;

namespace {

std::string zstded(const std::string& text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
    return out;
}

/// The same member with all fields that a header of gzip can have, its checksum last.
std::string withHeaderFields(const std::string& member)
{
    std::string header = member.substr(0, 10);
    header[3] = 2 | 4 | 8 | 16;
    header += "\5\0extra"s + "trace.json\0"s + "a comment\0"s;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
    header += static_cast<char>(sum & 0xFF);
    header += static_cast<char>(sum >> 8 & 0xFF);
    return header + member.substr(10);
}

/// Packs about as well as a trace does, and no place of it is like another.
std::string sampleText(size_t size)
{
    std::mt19937 random(5);
    std::string text;
    while (text.size() < size)
        text += "{\"ph\": \"X\", \"name\": \"aten::mm\", \"ts\": " + std::to_string(text.size())
            + ", \"dur\": " + std::to_string(random() % 1000) + "},\n";
    text.resize(size);
    return text;
}

class BytesSource : public ByteSource {
public:
    explicit BytesSource(std::string bytes)
        : m_bytes(std::move(bytes))
    {
    }
    [[nodiscard]] Result<size_t> readAt(uint64_t offset, std::span<char> to) const override
    {
        if (offset >= m_bytes.size())
            return size_t{0};
        return m_bytes.copy(to.data(), to.size(), offset);
    }
    [[nodiscard]] std::optional<uint64_t> size() const override { return m_bytes.size(); }
    [[nodiscard]] uint64_t diskPosition() const override { return 0; }

private:
    std::string m_bytes;
};

struct Unpacked {
    std::string text;
    std::string trouble;
    uint64_t count = 0;
};

/// Feeds `inStep` bytes at a time and takes `outStep`.
Unpacked unpacked(Decoder& decoder, const std::string& packed, size_t inStep, size_t outStep)
{
    Unpacked result;
    size_t at = 0;
    std::string out(outStep, '\0');
    for (;;) {
        const size_t given = std::min(inStep, packed.size() - at);
        const auto step = decoder.decode(std::span(packed).subspan(at, given), at + given == packed.size(), out);
        at += step.consumed;
        result.text.append(out, 0, step.produced);
        if (step.isFinished || (step.consumed == 0 && step.produced == 0 && given == packed.size() - at))
            break;
    }
    if (const auto trouble = decoder.trouble()) {
        result.trouble = trouble->code;
        result.count = trouble->count;
    }
    return result;
}

std::string readAll(const ByteSource& source, size_t step)
{
    std::string text;
    std::string buffer(step, '\0');
    for (;;) {
        const auto got = source.readAt(text.size(), buffer);
        if (!got)
            return "error: " + got.error().message();
        text.append(buffer, 0, *got);
        if (*got < step)
            return text;
    }
}

using MakeDecoder = std::unique_ptr<Decoder> (*)();

} // namespace

Q_DECLARE_METATYPE(MakeDecoder)

class TestByteSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gzipInAnyPieces_data();
    void gzipInAnyPieces();
    void gzipTroubles_data();
    void gzipTroubles();
    void copiesOfTheStateGoOn();
    void zstdFramesAndTroubles();
    void zstdKeepsWhatCameBeforeDamage();
    void zstdKnowsAFrameInAnyPieces();
    void stepsKeepToWhatTheyAreGiven();
    void utf16();
    void readsFromAnyPlace_data();
    void readsFromAnyPlace();
    void readsInOrderAfterJumps();
    void tellsContents_data();
    void tellsContents();
    void spoolSaysWhereItFailed();
    void fileSaysThatItChanged();

private:
    static void addEngines();
};

void TestByteSource::addEngines()
{
    QTest::addColumn<MakeDecoder>("make");
    QTest::newRow("preferred") << MakeDecoder(makeGzipDecoder);
    QTest::newRow("zlib") << MakeDecoder(makeZlibGzipDecoder);
}

void TestByteSource::gzipInAnyPieces_data()
{
    addEngines();
}

void TestByteSource::gzipInAnyPieces()
{
    QFETCH(MakeDecoder, make);
    const std::string text = sampleText(20000);
    const std::vector<std::string> packings = {
        gzipped(text),
        gzipped(text.substr(0, 1)) + gzipped(""s) + gzipped(text.substr(1, 9000)) + gzipped(text.substr(9001)),
        gzipped(text.substr(0, 5000)) + "\0\0\0"s + gzipped(text.substr(5000)) + std::string(600, '\0'),
        withHeaderFields(gzipped(text.substr(0, 700))) + withHeaderFields(gzipped(text.substr(700))),
    };
    for (const std::string& packed : packings) {
        for (const auto& [inStep, outStep] :
            {std::pair<size_t, size_t>{1, 1}, {1, 100000}, {7, 13}, {100000, 1}, {1000, 777}, {100000, 100000}}) {
            const auto decoder = make();
            const Unpacked result = unpacked(*decoder, packed, inStep, outStep);
            QVERIFY(result.text == text);
            QCOMPARE(result.trouble, std::string());
        }
    }
}

void TestByteSource::gzipTroubles_data()
{
    addEngines();
}

void TestByteSource::gzipTroubles()
{
    QFETCH(MakeDecoder, make);
    const std::string text = sampleText(50000);
    const std::string packed = gzipped(text);
    const auto check = [&](const std::string& bytes) {
        const auto decoder = make();
        return unpacked(*decoder, bytes, 333, 4096);
    };
    const Unpacked cut = check(packed.substr(0, packed.size() / 2));
    QCOMPARE(cut.trouble, "truncated-gzip"s);
    QVERIFY(cut.text.size() > 10000 && text.starts_with(cut.text));
    QCOMPARE(check(packed.substr(0, packed.size() - 3)).trouble, "truncated-gzip"s);
    QCOMPARE(check(packed.substr(0, 5)).trouble, "truncated-gzip"s);

    std::string wrongSum = packed;
    wrongSum[wrongSum.size() - 8] = static_cast<char>(wrongSum[wrongSum.size() - 8] ^ 1);
    const Unpacked summed = check(wrongSum + gzipped("more"s));
    QCOMPARE(summed.trouble, "gzip-checksum"s);
    QVERIFY(summed.text == text + "more");
    std::string wrongLength = packed;
    wrongLength[wrongLength.size() - 1] = static_cast<char>(wrongLength[wrongLength.size() - 1] ^ 1);
    QCOMPARE(check(wrongLength).trouble, "gzip-checksum"s);
    QVERIFY(check(wrongLength).text == text);

    std::string unknownFlag = packed;
    unknownFlag[3] = '\x20';
    QCOMPARE(check(unknownFlag).trouble, "damaged-gzip"s);
    std::string wrongHeaderSum = withHeaderFields(packed);
    wrongHeaderSum[4] = '\x01';
    QCOMPARE(check(wrongHeaderSum).trouble, "damaged-gzip"s);

    const Unpacked tail = check(packed + "tail of 15 byte");
    QCOMPARE(tail.trouble, "gzip-trailing-bytes"s);
    QCOMPARE(tail.count, uint64_t{15});
    QVERIFY(tail.text == text);
    QCOMPARE(check(packed
                 + "\x1f"
                   "x")
                 .count,
        uint64_t{2});

    std::string broken = packed;
    for (size_t i = broken.size() / 2; i < broken.size() / 2 + 40; ++i)
        broken[i] = '\xff';
    const Unpacked damaged = check(broken);
    QVERIFY(!damaged.trouble.empty());
    QVERIFY(damaged.text.size() > 5000);
}

void TestByteSource::copiesOfTheStateGoOn()
{
    const std::string text = sampleText(300000);
    const std::string packed = gzipped(text);
    for (const MakeDecoder make : {MakeDecoder(makeGzipDecoder), MakeDecoder(makeZlibGzipDecoder)}) {
        const auto decoder = make();
        std::string out(100001, '\0');
        const auto step = decoder->decode(packed, true, out);
        const auto copy = decoder->clone();
        QVERIFY(copy != nullptr);
        const std::string rest = packed.substr(step.consumed);
        QVERIFY(unpacked(*decoder, rest, 10, 1000).text == text.substr(step.produced));
        QVERIFY(unpacked(*copy, rest, 1000, 10).text == text.substr(step.produced));
    }
}

void TestByteSource::zstdFramesAndTroubles()
{
    const std::string text = sampleText(60000);
    const std::string packed = zstded(text.substr(0, 20000)) + zstded(text.substr(20000));
    for (const auto& [inStep, outStep] : {std::pair<size_t, size_t>{1, 1000}, {1000, 7}, {100000, 100000}}) {
        const auto decoder = makeZstdDecoder();
        const Unpacked result = unpacked(*decoder, packed, inStep, outStep);
        QVERIFY(result.text == text);
        QCOMPARE(result.trouble, std::string());
    }
    const auto check = [](const std::string& bytes) {
        const auto decoder = makeZstdDecoder();
        return unpacked(*decoder, bytes, 100, 4096);
    };
    QCOMPARE(check(packed.substr(0, packed.size() - 5)).trouble, "truncated-zstd"s);
    QCOMPARE(check(packed + "tail").trouble, "zstd-trailing-bytes"s);
    QVERIFY(check(packed + "tail").text == text);
}

void TestByteSource::zstdKeepsWhatCameBeforeDamage()
{
    // Blocks hold 128 KiB of text. Given all at once, or a frame whose size is known, zstd itself would keep nothing.
    const std::string text = sampleText(600'000);
    std::string packed = zstded(text);
    for (size_t i = packed.size() * 3 / 4; i < packed.size() * 3 / 4 + 40; ++i)
        packed[i] = '\xff';
    for (const auto& [inStep, outStep] : {std::pair<size_t, size_t>{100, 4096}, {packed.size(), 1'000'000}}) {
        const auto decoder = makeZstdDecoder();
        const Unpacked damaged = unpacked(*decoder, packed, inStep, outStep);
        QCOMPARE(damaged.trouble, "damaged-zstd"s);
        QVERIFY(damaged.text.size() >= 256 * 1024);
        QVERIFY(text.starts_with(damaged.text));
    }
    const std::string skippable = "\x5a\x2a\x4d\x18\3\0\0\0abc"s;
    const auto decoder = makeZstdDecoder();
    QCOMPARE(unpacked(*decoder, skippable + zstded("text"), 5, 100).text, "text"s);
}

void TestByteSource::zstdKnowsAFrameInAnyPieces()
{
    // One byte of a frame, then the first four of the format of 2016, which zstd looks for at the begin of each piece.
    const std::string neither = "\x28\x27\xb5\x2f\xfd\x60\xff\xff\xff\xff\x25"s;
    const std::string older = neither.substr(1);
    const std::string frame = zstded("text");
    for (const size_t inStep : {1, 2, 3, 4, 5, 100}) {
        const auto check = [inStep](const std::string& bytes) {
            const auto decoder = makeZstdDecoder();
            const Unpacked result = unpacked(*decoder, bytes, inStep, 100);
            return result.text + '|' + result.trouble;
        };
        QCOMPARE(check(neither), "|damaged-zstd"s);
        QCOMPARE(check(older), "|damaged-zstd"s);
        QCOMPARE(check(frame + neither), "text|zstd-trailing-bytes"s);
        QCOMPARE(check(frame + older), "text|zstd-trailing-bytes"s);
        QCOMPARE(check(frame + frame.substr(0, 2)), "text|truncated-zstd"s);
        QCOMPARE(check(frame + "\x2a"), "text|zstd-trailing-bytes"s);
        QCOMPARE(check(std::string()), "|"s);
    }
}

void TestByteSource::stepsKeepToWhatTheyAreGiven()
{
    // ISA-L reads ahead, and gives it all back when it meets damage.
    const std::string packed = gzipped(sampleText(3000));
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = packed;
        for (int i = 0; i < 3; ++i)
            bytes[18 + random() % (bytes.size() - 18)] = static_cast<char>(random());
        const auto decoder = makeGzipDecoder();
        std::string out(64, '\0');
        bool isFinished = false;
        for (size_t at = 0; at < bytes.size() && !isFinished;) {
            const size_t given = std::min<size_t>(1 + random() % 9, bytes.size() - at);
            const auto step
                = decoder->decode(std::span<const char>(bytes).subspan(at, given), at + given == bytes.size(), out);
            QVERIFY(step.consumed <= given);
            QVERIFY(step.produced <= out.size());
            at += step.consumed;
            isFinished = step.isFinished || (step.consumed == 0 && step.produced == 0 && at + given == bytes.size());
        }
    }
}

void TestByteSource::utf16()
{
    const QString text = QStringLiteral("{\"caf\u00e9 \U0001F680\": [1, 2]}");
    for (const bool bigEndian : {false, true}) {
        std::string packed;
        for (const QChar c : text) {
            const char16_t unit = c.unicode();
            const char bytes[2] = {static_cast<char>(unit & 0xFF), static_cast<char>(unit >> 8)};
            packed += bigEndian ? std::string{bytes[1], bytes[0]} : std::string{bytes[0], bytes[1]};
        }
        for (const auto& [inStep, outStep] : {std::pair<size_t, size_t>{2, 1}, {1000, 1000}, {3, 2}}) {
            const auto decoder = makeUtf16Decoder(bigEndian);
            QCOMPARE(unpacked(*decoder, packed, inStep, outStep).text, text.toStdString());
        }
        const auto odd = makeUtf16Decoder(bigEndian);
        const Unpacked cut = unpacked(*odd, packed + "x", 1000, 1000);
        QCOMPARE(cut.text, text.toStdString() + "\xEF\xBF\xBD");
        QCOMPARE(cut.trouble, "truncated-utf-16"s);
    }
    const auto lone = makeUtf16Decoder(false);
    QCOMPARE(unpacked(*lone,
                 "a\0\x3d\xd8"
                 "b\0\x80\xde"s,
                 2, 100)
                 .text,
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD"s);
}

void TestByteSource::readsFromAnyPlace_data()
{
    QTest::addColumn<int>("packing");
    QTest::addColumn<bool>("isReadBefore");
    for (const bool isReadBefore : {false, true}) {
        QTest::addRow("gzip %d", isReadBefore) << 0 << isReadBefore;
        QTest::addRow("zlib %d", isReadBefore) << 1 << isReadBefore;
        QTest::addRow("zstd %d", isReadBefore) << 2 << isReadBefore;
        QTest::addRow("gzip in gzip %d", isReadBefore) << 3 << isReadBefore;
    }
}

void TestByteSource::readsFromAnyPlace()
{
    QFETCH(int, packing);
    QFETCH(bool, isReadBefore);
    const std::string text = sampleText(11'000'123); // with access points at 4 and 8 MiB
    std::shared_ptr<const ByteSource> bytes
        = std::make_shared<BytesSource>(packing == 2 ? zstded(text) : gzipped(text));
    DecodedSource::MakeDecoder make = makeGzipDecoder;
    if (packing == 1)
        make = makeZlibGzipDecoder;
    else if (packing == 2)
        make = makeZstdDecoder;
    else if (packing == 3)
        bytes = std::make_shared<DecodedSource>(
            std::make_shared<BytesSource>(gzipped(gzipped(text))), 0, makeGzipDecoder);
    const DecodedSource source(bytes, 0, make);
    if (isReadBefore) {
        QVERIFY(readAll(source, 1 << 20) == text);
        QCOMPARE(source.size(), std::optional<uint64_t>(text.size()));
    }
    std::mt19937 random(3);
    std::string buffer(100'000, '\0');
    uint64_t fronts[3] = {0, 5'000'000, 9'000'000};
    for (int round = 0; round < 60; ++round) {
        uint64_t& front = fronts[round % 3];
        const size_t size = random() % buffer.size();
        const auto got = source.readAt(front, std::span(buffer).first(size));
        QVERIFY(got);
        QCOMPARE(*got, std::min<size_t>(size, text.size() - std::min<size_t>(front, text.size())));
        QVERIFY(text.compare(std::min<size_t>(front, text.size()), *got, buffer, 0, *got) == 0);
        front = round % 10 == 9 ? random() % text.size() : front + size;
    }
    const auto behind = source.readAt(text.size() + 1'000'000, buffer);
    QVERIFY(behind && *behind == 0);
}

/// A window that goes back and then on again still reaches the end, and with it what was wrong there.
void TestByteSource::readsInOrderAfterJumps()
{
    const std::string text = sampleText(3'000'000);
    const DecodedSource source(std::make_shared<BytesSource>(gzipped(text) + "tail"), 0, makeGzipDecoder);
    std::string buffer(700'000, '\0');
    QVERIFY(source.readAt(0, buffer));
    QVERIFY(source.readAt(300'000, buffer));
    QVERIFY(text.compare(300'000, buffer.size(), buffer) == 0);
    for (uint64_t at = 1'000'000; at < text.size() + buffer.size(); at += buffer.size()) {
        const auto got = source.readAt(at, buffer);
        QVERIFY(got);
        if (at < text.size())
            QVERIFY(text.compare(at, *got, buffer, 0, *got) == 0);
    }
    QCOMPARE(source.size(), std::optional<uint64_t>(text.size()));
    QCOMPARE(source.troubles().size(), size_t{1});
}

void TestByteSource::tellsContents_data()
{
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char* name, const std::string& head, ContentKind kind, const char* word = "") {
        QTest::newRow(name) << QByteArray::fromStdString(head) << int{static_cast<uint8_t>(kind)} << QByteArray(word);
    };
    row("object", " \n{\"a\": 1}", ContentKind::Json);
    row("list", "[{", ContentKind::Json);
    row("only a brace", "{", ContentKind::Json);
    row("byte order mark", "\xEF\xBB\xBF{\"a\"", ContentKind::Json);
    row("zeros first", "\0\0 {\"a\""s, ContentKind::Json);
    row("log line before", "WARNING: x\n{\"traceEvents\": [", ContentKind::Json);
    row("nothing", "", ContentKind::Blank);
    row("blanks", " \n\t\r\0"s, ContentKind::Blank);
    row("gzip", "\x1f\x8b\x08", ContentKind::Gzip);
    row("zstd", "\x28\xb5\x2f\xfd", ContentKind::Zstd);
    row("zstd in parallel", "\x50\x2a\x4d\x18\4\0\0\0"s, ContentKind::Zstd);
    row("zip", "PK\3\4xx", ContentKind::Zip);
    row("tar", std::string(257, 'n') + "ustar\0"s, ContentKind::Tar);
    row("utf-16 le", "\xff\xfe{\0"s, ContentKind::Utf16LittleEndian);
    row("utf-16 be", "\xfe\xff\0{"s, ContentKind::Utf16BigEndian);
    row("utf-16 without mark", "{\0\"\0"s, ContentKind::Utf16LittleEndian);
    row("png", "\x89PNG\r\n", ContentKind::Foreign, "PNG");
    row("sqlite", "SQLite format 3\0x"s, ContentKind::Foreign, "SQLite");
    row("pickle", "\x80\4\x95", ContentKind::Foreign, "pickle");
    row("perfetto", "\x0a\x05\x08\x01\x10\x02\x18\x0a\x03"s, ContentKind::Foreign, "Perfetto");
    row("perfetto that looks like a line", "\x0a{\x08\x01\x10\x02"s + std::string(119, '\1') + "\x0a\x03"s,
        ContentKind::Foreign, "Perfetto");
    row("html", "<!DOCTYPE html><html>", ContentKind::Foreign, "HTML");
    row("html after blanks", "\n  <HTML>", ContentKind::Foreign, "HTML");
    row("bzip2", "BZh91AY", ContentKind::Foreign, "bzip2");
    row("xz",
        "\xfd"
        "7zXZ\0"s,
        ContentKind::Foreign, "xz");
    row("elf",
        "\x7f"
        "ELF",
        ContentKind::Foreign, "ELF");
    row("log", "2024-01-01 INFO step 1\n", ContentKind::Foreign, "plain text");
    row("python", "{'a': 1}", ContentKind::Foreign, "plain text");
    row("escape in text", "a\x1b[31m", ContentKind::Foreign, "\\u001b");
    row("noise", "\x01\x02\x03\x04\x05\x06\x90\x91", ContentKind::Foreign, "binary");
}

void TestByteSource::tellsContents()
{
    QFETCH(QByteArray, head);
    QFETCH(QByteArray, word);
    const Content content = sniffContent(std::string_view(head.data(), static_cast<size_t>(head.size())));
    QTEST(int{static_cast<uint8_t>(content.kind)}, "kind");
    QVERIFY2(QByteArray::fromStdString(content.what).contains(word), content.what.c_str());
}

void TestByteSource::spoolSaysWhereItFailed()
{
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", "/proc/no-such-folder");
    const auto spool = Spool::create();
    if (before.isEmpty())
        qunsetenv("TMPDIR");
    else
        qputenv("TMPDIR", before);
    QVERIFY(!spool);
    QVERIFY2(
        spool.error().message().find("/proc/no-such-folder") != std::string::npos, spool.error().message().c_str());
}

void TestByteSource::fileSaysThatItChanged()
{
    QTemporaryFile file;
    QVERIFY(file.open());
    file.write("0123456789");
    file.flush();
    struct stat status { };
    QVERIFY(fstat(file.handle(), &status) == 0);
    const FileSource source(FileDescriptor(dup(file.handle())), status);
    QVERIFY(!source.hasChanged());
    QCOMPARE(readAll(source, 3), "0123456789"s);
    file.write("more");
    file.flush();
    QVERIFY(source.hasChanged());
    QCOMPARE(readAll(source, 3), "0123456789"s); // as long as it was
    QVERIFY(file.resize(4));
    QCOMPARE(readAll(source, 100), "0123"s);
}

QTEST_GUILESS_MAIN(TestByteSource)
#include "tst_byte_source.moc"
