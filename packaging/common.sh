# shellcheck shell=bash
# What run.sh and test.sh share: installing packages, configuring, building. Sourced, not run.
# Expects `set -euo pipefail`. Sets TORCHLINE_ROOT, the project's folder.

TORCHLINE_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Lines of packaging/packages/NAME.txt without comments. A line that ends in ? is installed where the distribution has it.
package_list() {
    local name
    for name in "$@"; do
        sed -e 's/#.*//' -e '/^[[:space:]]*$/d' -- "$TORCHLINE_ROOT/packaging/packages/$name.txt"
    done
}

# Of the given lines (a or a|b) those of which nothing is installed.
missing_packages() {
    local installed line name found
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    for line in "$@"; do
        found=no
        for name in ${line//|/ }; do
            grep -qxF -- "$name" <<<"$installed" && found=yes
        done
        [ "$found" = yes ] || printf '%s\n' "$line"
    done
}

# For each given line the name that this distribution knows: the first known of a|b, else a.
known_names() {
    local line name chosen
    for line in "$@"; do
        chosen=${line%%|*}
        case $line in
        *'|'*)
            for name in ${line//|/ }; do
                if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then
                    chosen=$name
                    break
                fi
            done
            ;;
        esac
        printf '%s\n' "$chosen"
    done
}

# Empty for root, "sudo" where that can be asked, else fails after naming the line to run.
# $1: that line.
need_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        echo sudo
        return 0
    fi
    {
        say "Packages are missing and this user cannot install them. As root, run"
        say "    $1"
        say "and then this command again."
    } >&2
    return 1
}

# Installs those of the given packages that are missing and that this distribution has; says so where that cannot be done.
install_optional() {
    local missing names=() name elevate
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null && [ "$(id -u)" -eq 0 ]; then
        apt-get update || say "The package lists could not be fetched."
    fi
    for name in "${missing[@]}"; do
        ! apt-cache show --no-all-versions "$name" >/dev/null 2>&1 || names+=("$name")
    done
    [ ${#names[@]} -gt 0 ] || return 0
    say "Installing, since they are there to be had: ${names[*]}"
    if ! elevate=$(need_root "apt-get install ${names[*]}" 2>/dev/null) \
        || ! $elevate env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${names[@]}"; then
        say "They could not be installed: what needs them is skipped."
    fi
    rm -f -- "$TORCHLINE_ROOT"/build/*/preset.stamp
}

# Installs what is missing of packages/NAME.txt for each NAME. Touches neither network nor package lists if nothing is.
install_packages() {
    local lines missing names line elevate optional
    if ! command -v dpkg-query >/dev/null; then
        say "This is no Debian or Ubuntu: not looking for packages. Needed, by their Debian names:"
        package_list "$@" | tr -d '?' | paste -sd ' ' | sed 's/^/    /'
        return 0
    fi
    mapfile -t lines < <(package_list "$@" | grep -v '?$')
    mapfile -t optional < <(package_list "$@" | sed -n 's/?$//p')
    mapfile -t missing < <(missing_packages "${lines[@]}")
    if [ ${#missing[@]} -eq 0 ]; then
        [ ${#optional[@]} -eq 0 ] || install_optional "${optional[@]}"
        return 0
    fi
    mapfile -t names < <(known_names "${missing[@]}")
    line="apt-get install -y --no-install-recommends ${names[*]}"
    elevate=$(need_root "apt-get update && $line") || exit 1
    say "Installing ${#names[@]} packages: ${names[*]}"
    # shellcheck disable=SC2086 # elevate is empty or one word, line is a list of words
    if ! $elevate env DEBIAN_FRONTEND=noninteractive $line; then
        say "Once more with fresh package lists."
        $elevate apt-get update || say "Some package lists could not be refreshed."
        mapfile -t names < <(known_names "${missing[@]}")
        line="apt-get install -y --no-install-recommends ${names[*]}"
        # shellcheck disable=SC2086
        $elevate env DEBIAN_FRONTEND=noninteractive $line \
            || fail "the packages above could not be installed; try: apt-get update && $line"
    fi
    mapfile -t missing < <(missing_packages "${lines[@]}")
    [ ${#missing[@]} -eq 0 ] || fail "still missing after installation: ${missing[*]}"
    [ ${#optional[@]} -eq 0 ] || install_optional "${optional[@]}"
    rm -f -- "$TORCHLINE_ROOT"/build/*/preset.stamp # what was configured without them is configured again
}

# Compilers at a time: one a core, but no more than memory allows (1.5 GiB each).
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || true)
    [ "${memory:-$cores}" -ge 1 ] || memory=1
    [ "${memory:-$cores}" -lt "$cores" ] && cores=$memory
    say "$cores"
}

# build_preset PRESET [TARGET...]: configures build/PRESET's folder where that was not done, then builds (default: all).
build_preset() {
    local preset=$1 folder home stamp options=()
    shift
    folder=$(preset_folder "$preset")
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
    stamp="$preset $(cksum <"$TORCHLINE_ROOT/CMakePresets.json")" # ninja does not know that the presets matter
    if [ ! -f "$folder/build.ninja" ] || [ "$home" != "$TORCHLINE_ROOT" ] \
        || [ "$(cat "$folder/preset.stamp" 2>/dev/null)" != "$stamp" ]; then
        [ -z "$home" ] || [ "$home" = "$TORCHLINE_ROOT" ] || options+=(--fresh) # the folder came from elsewhere
        ! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        (cd "$TORCHLINE_ROOT" && cmake --preset "$preset" ${options[@]+"${options[@]}"})
        printf '%s\n' "$stamp" >"$folder/preset.stamp"
    fi
    ninja -C "$folder" -j "$(build_jobs)" "$@"
}

# ci is release with -Werror, in the same folder.
preset_folder() {
    case $1 in
    ci) say "$TORCHLINE_ROOT/build/release" ;;
    *) say "$TORCHLINE_ROOT/build/$1" ;;
    esac
}
