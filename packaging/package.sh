#!/usr/bin/env bash
# Builds the programs and makes a DEB and a tarball of them, in build/release.
set -euo pipefail
# shellcheck source=packaging/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

[ $# -eq 0 ] || fail "takes no arguments"
install_packages build package
build_preset release torchline torchline-cli
(cd "$(preset_folder release)" && cpack)
