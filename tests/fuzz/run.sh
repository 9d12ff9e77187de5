#!/usr/bin/env bash
# Fuzzes one target, then adds to its corpus what reaches new code.
#   tests/fuzz/run.sh TARGET [LIBFUZZER_OPTION...]     one of README.md; -runs=N, -max_total_time=S
# What is found is left in build/fuzz as crash-...; a corpus keeps the smallest inputs that reach everything.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../../packaging/common.sh"

if [ $# -eq 0 ] || [ ! -f "$TORCHLINE_ROOT/tests/fuzz/fuzz_$1.cpp" ]; then
    sed -n '3s/^# *//p' -- "${BASH_SOURCE[0]}" >&2
    exit 2
fi
target=$1
shift

install_packages build test fuzz
build_preset fuzz "fuzz_$target"
folder=$(preset_folder fuzz)
corpus=$TORCHLINE_ROOT/tests/fuzz/corpus/$target
found=$folder/found/$target
mkdir -p "$found"
# Longer inputs reach little more and take their time.
nice "$folder/bin/fuzz_$target" -dict="$TORCHLINE_ROOT/tests/fuzz/json.dict" -max_len=1000 -entropic=0 -reload=0 \
    -print_final_stats=1 -artifact_prefix="$folder/" "$@" "$found" "$corpus"
smallest=$(mktemp -d)
trap 'rm -rf "$smallest"' EXIT
"$folder/bin/fuzz_$target" -merge=1 "$smallest" "$corpus" "$found"
rm -rf "$corpus"
mkdir "$corpus"
cp "$smallest"/* "$corpus"
