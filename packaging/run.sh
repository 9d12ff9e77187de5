#!/usr/bin/env bash
# Installs what is missing, builds, and opens the window: on the traces given, else on the bundled sample.
# Without a display it draws the window into a picture instead and says where that is.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

case ${1-} in
-h | --help)
    say "usage: packaging/run.sh [TRACE...]"
    say "Installs what is missing (Debian 12, Ubuntu 24.04), builds into build/release and opens the window on the traces,"
    say "or on the bundled sample. With no display it draws the window into a PNG and prints its path."
    exit 0
    ;;
esac

traces=()
for trace in "$@"; do
    if [ "$trace" != - ]; then
        [ -r "$trace" ] || fail "$trace: there is no such file, or it cannot be read"
        trace=$(realpath -- "$trace")
    fi
    traces+=("$trace")
done
[ ${#traces[@]} -gt 0 ] || traces=("$TORCHLINE_ROOT/resources/samples/sample-train.json.gz")

# A display that is named but not there would end the program before it could say anything.
has_display() {
    local socket number
    if [ -n "${WAYLAND_DISPLAY-}" ]; then
        case $WAYLAND_DISPLAY in
        /*) socket=$WAYLAND_DISPLAY ;;
        *) socket=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}/$WAYLAND_DISPLAY ;;
        esac
        [ ! -S "$socket" ] || return 0
    fi
    case ${DISPLAY-} in
    '') return 1 ;;
    :*)
        number=${DISPLAY#:}
        number=${number%%.*}
        [ -S "/tmp/.X11-unix/X$number" ] || grep -q "@/tmp/.X11-unix/X$number\$" /proc/net/unix 2>/dev/null
        ;;
    esac # another machine's display: only trying would tell
}

install_packages build
build_preset release torchline torchline-cli
bin=$TORCHLINE_ROOT/build/release/bin

if has_display; then
    exec "$bin/torchline" "${traces[@]}"
fi
if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
    say "The display ${WAYLAND_DISPLAY:-$DISPLAY} cannot be reached: drawing the window into a picture instead."
else
    say "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): drawing the window into a picture instead."
fi
picture=$TORCHLINE_ROOT/build/release/window.png
"$bin/torchline" render "${traces[@]}" -o "$picture" --view window
say "The window is drawn in $picture"
