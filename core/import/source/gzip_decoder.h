#pragma once
// GzipDecoder: gzip members one after the other, on top of an engine that unpacks one of them.
// Thread: one. An Engine is copyable, and a copy goes on from the same place.

#include "import/source/decoder.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace torchline {

enum class MemberState : uint8_t {
    Running,
    Complete,
    WrongChecksum, ///< complete, but not what was packed
    Damaged, ///< cannot go on
};

/// Engine: `MemberState step(std::span<const char>& in, std::span<char>& out)` cuts off what it used and filled,
/// `void reset()` makes it ready for the header of another member.
template <typename Engine> class GzipDecoder : public Decoder {
public:
    [[nodiscard]] Step decode(std::span<const char> in, bool inEnds, std::span<char> out) override
    {
        const size_t given = in.size();
        const size_t room = out.size();
        while (m_place != Place::Done && !out.empty() && advance(in, inEnds, out)) { }
        return {given - in.size(), room - out.size(), m_place == Place::Done};
    }
    [[nodiscard]] std::unique_ptr<Decoder> clone() const override { return std::make_unique<GzipDecoder>(*this); }
    [[nodiscard]] std::optional<SourceTrouble> trouble() const override
    {
        if (m_trouble == Trouble::Truncated)
            return SourceTrouble{"truncated-gzip", "The gzip data is truncated; what could be unpacked was read"};
        if (m_trouble == Trouble::Damaged)
            return SourceTrouble{
                "damaged-gzip", "The gzip data is corrupt; what could be unpacked before that place was read"};
        if (m_trouble == Trouble::WrongChecksum)
            return SourceTrouble{
                "gzip-checksum", "The gzip checksum is wrong: the text may differ from what was packed"};
        if (m_tailBytes > 0)
            return SourceTrouble{"gzip-trailing-bytes", "Bytes after the gzip data were skipped: %n", 0, m_tailBytes};
        return std::nullopt;
    }

private:
    enum class Place : uint8_t { Member, Between, HalfMagic, Tail, Done };
    enum class Trouble : uint8_t { None, WrongChecksum, Damaged, Truncated };

    /// One step; false when it waits for more input.
    bool advance(std::span<const char>& in, bool inEnds, std::span<char>& out)
    {
        switch (m_place) {
        case Place::Member:
            return advanceMember(in, inEnds, out);
        case Place::Between: {
            const auto next = std::find_if(in.begin(), in.end(), [](char c) { return c != '\0'; });
            in = in.subspan(static_cast<size_t>(next - in.begin()));
            if (!in.empty() && in.front() == kMagic[0]) {
                in = in.subspan(1);
                m_place = Place::HalfMagic;
                return true;
            }
            return toTailOrEnd(in, inEnds, 0);
        }
        case Place::HalfMagic:
            if (!in.empty() && in.front() == kMagic[1]) {
                in = in.subspan(1);
                m_engine.reset();
                std::span<const char> magic(kMagic);
                std::array<char, 1> unused = {}; // two bytes of a header bring no text
                std::span<char> room(unused);
                m_place = m_engine.step(magic, room) == MemberState::Damaged ? Place::Done : Place::Member;
                return true;
            }
            return toTailOrEnd(in, inEnds, 1);
        case Place::Tail:
            m_tailBytes += in.size();
            in = {};
            return toTailOrEnd(in, inEnds, 0);
        case Place::Done:
            break;
        }
        return false;
    }

    bool advanceMember(std::span<const char>& in, bool inEnds, std::span<char>& out)
    {
        const size_t before = in.size() + out.size();
        const MemberState state = m_engine.step(in, out);
        if (state == MemberState::Damaged) {
            m_trouble = Trouble::Damaged;
            m_place = Place::Done;
        } else if (state != MemberState::Running) {
            if (state == MemberState::WrongChecksum)
                m_trouble = Trouble::WrongChecksum;
            m_place = Place::Between;
        } else if (in.size() + out.size() == before) {
            if (!inEnds || !in.empty())
                return false;
            m_trouble = Trouble::Truncated;
            m_place = Place::Done;
        }
        return true;
    }

    bool toTailOrEnd(std::span<const char> in, bool inEnds, uint64_t bytesBefore)
    {
        if (in.empty() && !inEnds)
            return false;
        m_tailBytes += bytesBefore;
        m_place = in.empty() ? Place::Done : Place::Tail;
        return true;
    }

    static constexpr std::array<char, 2> kMagic = {'\x1f', '\x8b'};

    Engine m_engine;
    Place m_place = Place::Member;
    Trouble m_trouble = Trouble::None;
    uint64_t m_tailBytes = 0;
};

/// The engine of zlib, which is always there; makeGzipDecoder() prefers ISA-L where that was found.
[[nodiscard]] std::unique_ptr<Decoder> makeZlibGzipDecoder();

} // namespace torchline
