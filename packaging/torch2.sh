# shellcheck shell=bash
# A LibTorch 2 from PyPI beside Debian's, in build/torch2: the wheel and a build of what runs in recorded programs.
# Sourced after common.sh.

torch2_folder=$TORCHLINE_ROOT/build/torch2/build

# torch 2.11.0 without what only Python and CUDA need: downloaded once.
torch2_wheel() {
    local site=$TORCHLINE_ROOT/build/torch2/site
    [ ! -f "$site/complete" ] || return 0
    rm -rf "$site"
    python3 -m pip install --quiet --no-deps --target "$site" torch==2.11.0 'nvidia-cuda-runtime==13.0.*' \
        'nvidia-cuda-cupti==13.0.*'
    rm -f "$site"/torch/lib/libtorch_cuda*.so # a gigabyte that is never loaded
    touch "$site/complete"
}

# build_torch2 TARGET...: built with that, after installing what it needs.
build_torch2() {
    local options=()
    ! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    install_packages build test torch2
    torch2_wheel
    cmake -S "$TORCHLINE_ROOT" -B "$torch2_folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O2 -g1 -DNDEBUG' -DTORCHLINE_BUILD_GUI=OFF \
        -DTORCHLINE_TORCH="$TORCHLINE_ROOT/build/torch2/site/torch" ${options[@]+"${options[@]}"}
    ninja -C "$torch2_folder" -j "$(build_jobs)" "$@"
}
