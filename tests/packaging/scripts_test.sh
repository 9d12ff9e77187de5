#!/usr/bin/env bash
# What run.sh and test.sh do around the build: package lists, missing packages, who installs, wrong usage.
# scripts_test.sh PROJECT
set -euo pipefail
project=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

check() { # check WHAT EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then
        echo "passed: $1"
    else
        printf 'FAILED: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

# stub NAME BODY: a program of that name that comes first in the path of in_stubs.
stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
# in_stubs COMMANDS: runs them with common.sh loaded, as a user or root by the stubs.
in_stubs() {
    PATH="$work/bin:$PATH" bash -c "set -euo pipefail; . '$project/packaging/common.sh'; $1" </dev/null 2>&1
}
mkdir "$work/bin"
stub dpkg-query 'printf "installed bash\ninstalled libqt6svg6-dev\nconfig-files gone\n"'
# shellcheck disable=SC2016 # for the stub's own shell
stub apt-cache 'case $3 in libqt6svg6-dev) exit 0 ;; *) exit 100 ;; esac'
stub apt-get 'echo "apt-get $*" >>'"$work"'/calls'

check "comments are no packages" "0" "$(in_stubs 'package_list build test ci package | grep -c "#"' || true)"
check "a build needs a compiler" "g++" "$(in_stubs 'package_list build | grep -x g++')"
check "what is installed is not missing" "" "$(in_stubs 'missing_packages bash')"
check "removed with configuration kept is missing" "gone" "$(in_stubs 'missing_packages bash gone')"
check "either name is enough" "" "$(in_stubs 'missing_packages "qt6-svg-dev|libqt6svg6-dev"')"
check "the name that is known here" "libqt6svg6-dev" "$(in_stubs 'known_names "qt6-svg-dev|libqt6svg6-dev"')"

stub id 'echo 1000'
stub sudo 'exit 1'
status=0
answer=$(in_stubs 'package_list() { echo nowhere; }; install_packages build') || status=$?
check "a user without sudo is stopped" 1 "$status"
check "and told the line to run" "    apt-get update && apt-get install -y --no-install-recommends nowhere" \
    "$(grep apt-get <<<"$answer" || true)"
check "and nothing was run" no "$([ -e "$work/calls" ] && echo yes || echo no)"

# shellcheck disable=SC2016
stub sudo '[ "$1" = -n ] && exit 0; echo "sudo" >>'"$work"'/calls; exec "$@"'
answer=$(in_stubs 'package_list() { echo nowhere; }; install_packages build') || true
check "a user with sudo installs, once more after an update" "sudo
apt-get install -y --no-install-recommends nowhere" "$(head -n 2 "$work/calls")"
check "what stays missing is named" "bash: still missing after installation: nowhere" "$(tail -n 1 <<<"$answer")"

rm "$work/calls"
check "nothing missing, nothing run" "" "$(in_stubs 'package_list() { echo bash; }; install_packages build')"
check "not even a package list" no "$([ -e "$work/calls" ] && echo yes || echo no)"

answer=$(in_stubs 'package_list() { printf "bash\nlibqt6svg6-dev?\nnowhere?\n"; }; install_packages build') || true
check "an optional package that is installed, or that nobody has, is left alone" "" "$answer"
stub apt-cache 'case $3 in libqt6svg6-dev | somewhere) exit 0 ;; *) exit 100 ;; esac'
answer=$(in_stubs 'package_list() { printf "bash\nsomewhere?\nnowhere?\n"; }; install_packages build') || true
check "one that is to be had is installed" "sudo
apt-get install -y --no-install-recommends somewhere" "$(cat "$work/calls" 2>/dev/null || true)"
stub sudo 'exit 1'
status=0
answer=$(in_stubs 'package_list() { printf "bash\nsomewhere?\n"; }; install_packages build') || status=$?
check "and missed where that cannot be" "0 They could not be installed: what needs them is skipped." \
    "$status $(tail -n 1 <<<"$answer")"

status=0
answer=$("$project/packaging/run.sh" "$work/no such.json" 2>&1) || status=$?
check "a trace that is not there is refused before anything is built" \
    "1 run.sh: $work/no such.json: there is no such file, or it cannot be read" "$status $answer"
status=0
"$project/packaging/test.sh" --nonsense >/dev/null 2>&1 || status=$?
check "wrong usage of test.sh" 2 "$status"

# A project whose build is done by stubs: what run.sh does with and without a display.
fake="$work/a project"
mkdir -p "$fake/build/release/bin" "$fake/resources/samples"
cp -r "$project/packaging" "$project/CMakePresets.json" "$fake"
touch "$fake/resources/samples/sample-train.json.gz" "$work/-odd name.json"
stub dpkg-query 'sed -e "s/#.*//" -e "s/|.*//" -e "/^ *$/d" -e "s/^/installed /" "'"$fake"'"/packaging/packages/*.txt'
# shellcheck disable=SC2016
stub cmake 'echo "cmake $*" >>'"$work"'/built; touch build/release/build.ninja; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt'
stub ninja 'echo "ninja $*" >>'"$work"'/built'
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in render) touch "$4" ;; *) echo "window $*" ;; esac\n' >"$fake/build/release/bin/torchline"
chmod +x "$fake/build/release/bin/torchline"
run_fake() { # run_fake VARIABLE=VALUE... -- ARGUMENTS...
    local variables=()
    while [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    (cd "$work" && env -u DISPLAY -u WAYLAND_DISPLAY PATH="$work/bin:$PATH" "${variables[@]}" "$fake/packaging/run.sh" "$@") </dev/null 2>&1
}

answer=$(run_fake A=1 --)
check "without a display it says so" "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): drawing the window into a picture instead." \
    "$(head -n 1 <<<"$answer")"
check "and names the picture last" "The window is drawn in $fake/build/release/window.png" "$(tail -n 1 <<<"$answer")"
check "which is there" yes "$([ -f "$fake/build/release/window.png" ] && echo yes || echo no)"
check "the first run configures and builds" "cmake ninja" "$(cut -d ' ' -f 1 "$work/built" | paste -sd ' ')"
run_fake A=1 -- >/dev/null
check "the second only asks ninja" "cmake ninja ninja" "$(cut -d ' ' -f 1 "$work/built" | paste -sd ' ')"
check "a display that is not there is none" "The display :7391 cannot be reached: drawing the window into a picture instead." \
    "$(run_fake DISPLAY=:7391 -- | head -n 1)"
check "another machine's display is tried" "window $fake/resources/samples/sample-train.json.gz" \
    "$(run_fake DISPLAY=elsewhere:0 -- | tail -n 1)"
check "any file name works" "window $work/-odd name.json" "$(run_fake DISPLAY=elsewhere:0 -- "-odd name.json" | tail -n 1)"
perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die; sleep 60' "$work/wayland-9" &
socket=$!
for _ in $(seq 100); do
    [ -S "$work/wayland-9" ] && break
    sleep 0.1
done
check "Wayland alone is a display" "window $fake/resources/samples/sample-train.json.gz" \
    "$(run_fake WAYLAND_DISPLAY=wayland-9 "XDG_RUNTIME_DIR=$work" -- | tail -n 1)"
kill "$socket"

[ "$failures" -eq 0 ]
