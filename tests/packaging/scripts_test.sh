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

status=0
answer=$("$project/packaging/run.sh" "$work/no such.json" 2>&1) || status=$?
check "a trace that is not there is refused before anything is built" \
    "1 run.sh: $work/no such.json: there is no such file, or it cannot be read" "$status $answer"
status=0
"$project/packaging/test.sh" --nonsense >/dev/null 2>&1 || status=$?
check "wrong usage of test.sh" 2 "$status"

[ "$failures" -eq 0 ]
