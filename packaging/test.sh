#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the whole suite.
#   packaging/test.sh                 one ordinary build (preset release, or $TORCHLINE_PRESET)
#   packaging/test.sh --sanitizers    ASan and UBSan over the whole suite, then TSan over the core's concurrent tests
#   packaging/test.sh --preset NAME   another preset
#   packaging/test.sh --torch2        only the recording of programs, with a LibTorch 2 from PyPI (530 MB the first time)
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=packaging/torch2.sh
. "$TORCHLINE_ROOT/packaging/torch2.sh"

usage() { sed -n '3,6s/^# *//p' -- "${BASH_SOURCE[0]}"; }

presets=("${TORCHLINE_PRESET:-release}")
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --sanitizers) presets=(asan tsan) ;;
    --torch2) presets=(torch2) ;;
    --preset)
        [ $# -ge 2 ] || fail "--preset needs a name"
        presets=("$2")
        shift
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

# The programs to record and their tests, built with a LibTorch 2.
test_torch2() {
    build_torch2 torchline-live-tests
    (cd "$torch2_folder" && ctest -L torch2 --output-on-failure --no-tests=error --timeout 300)
}

# The sanitizers' shadow memory does not get along with much address randomisation.
plain_addresses() {
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        setarch "$(uname -m)" -R "$@"
    else
        "$@"
    fi
}

if [ "${presets[0]}" = torch2 ]; then
    test_torch2
    exit
fi
install_packages build test
for preset in "${presets[@]}"; do
    say "== $preset"
    case $preset in
    tsan) build_preset tsan torchline-concurrent-tests ;;
    *) build_preset "$preset" ;;
    esac
    run=()
    case $preset in asan | tsan) run=(plain_addresses) ;; esac
    (cd "$TORCHLINE_ROOT" && ${run[@]+"${run[@]}"} ctest --preset "$preset" --no-label-summary -j "$(nproc)")
done
