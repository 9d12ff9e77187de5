#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the whole suite.
#   packaging/test.sh                 one ordinary build (preset release, or $TORCHLINE_PRESET)
#   packaging/test.sh --sanitizers    ASan and UBSan over the whole suite, then TSan over the core's concurrent tests
#   packaging/test.sh --preset NAME   another preset
#   packaging/test.sh --torch2        only the recording of programs, with a LibTorch 2 from PyPI (530 MB the first time)
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

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

# torch 2.11.0 without what only Python and CUDA need, in build/torch2: downloaded once.
torch2_wheel() {
    local site=$TORCHLINE_ROOT/build/torch2/site
    [ ! -f "$site/complete" ] || return 0
    rm -rf "$site"
    python3 -m pip install --quiet --no-deps --target "$site" torch==2.11.0 'nvidia-cuda-runtime==13.0.*' \
        'nvidia-cuda-cupti==13.0.*'
    rm -f "$site"/torch/lib/libtorch_cuda*.so # a gigabyte that is never loaded
    touch "$site/complete"
}

# The programs to record and their tests, built with that.
test_torch2() {
    local folder=$TORCHLINE_ROOT/build/torch2/build options=()
    ! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    install_packages build test torch2
    torch2_wheel
    cmake -S "$TORCHLINE_ROOT" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O2 -g1 -DNDEBUG' -DTORCHLINE_BUILD_GUI=OFF \
        -DTORCHLINE_TORCH="$TORCHLINE_ROOT/build/torch2/site/torch" ${options[@]+"${options[@]}"}
    ninja -C "$folder" -j "$(build_jobs)" torchline-live-tests
    (cd "$folder" && ctest -L torch2 --output-on-failure --no-tests=error --timeout 300)
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
