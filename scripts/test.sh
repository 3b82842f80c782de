#!/usr/bin/env bash
# Usage: scripts/test.sh [option of ctest…]
#
# The same set-up as scripts/run.sh, then builds everything on the CPU preset and runs every test.
# Needs no GPU. For the environment, see scripts/run.sh --help.

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  print_help
  exit
fi

install_missing cpu
build_and_test cpu "$@"
