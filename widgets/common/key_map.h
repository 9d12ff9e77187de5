#pragma once
// KeyMap: which keys do what in the views with a time axis. One for all views of a window, so that a key means the same
// in each; people may change it. Thread: GUI thread only.

#include <QKeySequence>
#include <QList>
#include <QObject>

#include <array>
#include <cstdint>
#include <optional>

class QKeyEvent;

namespace torchline {

enum class ViewCommand : uint8_t {
    // Smooth while the key is held; Shift makes them faster
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    // Once a press
    Fit,
    NextOfLane,
    PreviousOfLane,
    NextOfName,
    PreviousOfName,
    FollowForth,
    FollowBack,
    Parent,
    Child,
    AnnotationAsScope,
    RangeOrScope,
    Mark,
    MarkAndKeep,
    AllArrows,
    // The lane under the pointer, else the one gone to, else that of the selection
    NextLane,
    PreviousLane,
    PinLane,
    FoldLane,
    FoldFrames,
    MoveLaneUp,
    MoveLaneDown,
    TallerLane,
    LowerLane,
    UsualLaneHeight,
    LaneAsScope,
    HideLane,
    ShowAllLanes,
    FilterLanes,
    Count
};
[[nodiscard]] constexpr bool isMove(ViewCommand command)
{
    return command <= ViewCommand::PanRight;
}

class KeyMap : public QObject {
    Q_OBJECT

public:
    using Keys = QList<QKeySequence>;

    explicit KeyMap(QObject* parent = nullptr);

    /// With the keys that nobody has changed, for views on their own.
    [[nodiscard]] static const KeyMap& usual();
    [[nodiscard]] static Keys usualKeys(ViewCommand command);

    [[nodiscard]] const Keys& keys(ViewCommand command) const { return m_keys[static_cast<size_t>(command)]; }
    /// Sequences of one key each.
    void setKeys(ViewCommand command, const Keys& keys);
    /// The first key, as people read it; empty: none.
    [[nodiscard]] QString text(ViewCommand command) const;
    /// The key of an event as a sequence. A sign that needs Shift to be typed is written without it: "?".
    [[nodiscard]] static QKeySequence keyOf(const QKeyEvent& event);
    /// What a key that was pressed means.
    [[nodiscard]] std::optional<ViewCommand> find(const QKeyEvent& event) const;

Q_SIGNALS:
    void changed();

private:
    std::array<Keys, static_cast<size_t>(ViewCommand::Count)> m_keys;
};

} // namespace torchline
