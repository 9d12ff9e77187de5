#!/usr/bin/env bash
# Benchmarks. Builds what is to be measured and prints a table, a row a line: METRIC VALUE BAR pass|fail, lowest and highest
# value, how it came about; then "N passed, N failed", which is the exit status too.
#   tests/bench/run.sh load            the loader, on a generated file of 1 GB; minutes
#   tests/bench/run.sh load --quick    on 100 MB, bars twice as loose, CPU time alone: whatever else the machine does
#   tests/bench/run.sh load --huge     memory while a file of 10 GB loads
#   tests/bench/run.sh timeline        frames, pyramids, search, rest: 10 million slices and the file of 1 GB; minutes
#   tests/bench/run.sh timeline --quick   2 million and 100 MB, bars twice as loose; a few minutes
#   tests/bench/run.sh live            what recording a LibTorch program costs it, and the window; --quick too
#   tests/bench/run.sh live --torch2   only what it costs the program, with the LibTorch 2 of PyPI
#   tests/bench/run.sh live --long     ten minutes of following
# Generated files stay in build/bench-files.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../packaging/common.sh"

usage() { sed -n '4,11s/^# *//p' -- "${BASH_SOURCE[0]}"; }

[ $# -ge 1 ] || {
    usage >&2
    exit 2
}
case $1 in
-h | --help)
    usage
    exit 0
    ;;
load | timeline | live) ;;
*)
    usage >&2
    exit 2
    ;;
esac
bench=bench-$1
shift

if [ "$bench ${1:-}" = "bench-live --torch2" ]; then
    # shellcheck source=packaging/torch2.sh
    . "$TORCHLINE_ROOT/packaging/torch2.sh"
    install_packages build test bench
    build_torch2 bench-live
    exec "$torch2_folder/bin/bench-live" "${@:2}"
fi
preset=${TORCHLINE_PRESET:-release}
install_packages build test bench
build_preset "$preset" "$bench"
case $bench in
bench-live) exec "$(preset_folder "$preset")/bin/$bench" "$@" ;;
*) exec "$(preset_folder "$preset")/bin/$bench" --files "$TORCHLINE_ROOT/build/bench-files" "$@" ;;
esac
