#!/usr/bin/env bash
# Usage: scripts/run.sh [DECK] [option of "tilestride run"…]
#
# From a fresh checkout to the first table: installs what is missing (it says what, before it does), gets and builds Kokkos,
# builds the programs that this machine can use and runs DECK, by default inputs/quick.toml. Whatever is done already is not
# done again. The exit code is tilestride's: 0 all is well, 1 a wrong answer or an error, 2 bad input or set-up, 3 a rule not
# met, 77 everything was skipped.
#
# Environment:
#   TILESTRIDE_DEVICES  the programs to build beside that for hosts: "cuda", "hip", both or "none" (default: cuda where nvcc and
#                       a GPU answer, hip where hipcc and a GPU do)
#   TILESTRIDE_INSTALL  "no": install nothing, and do not look for what is missing
#   and those of scripts/get_kokkos.sh

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  print_help
  exit
fi
deck="$root/inputs/quick.toml"
if [[ $# -gt 0 && $1 != -* ]]; then
  deck=$1
  shift
fi

{
  devices="${TILESTRIDE_DEVICES:-}"
  if [[ -z $devices ]]; then
    if find_nvcc && nvidia_gpu_answers; then devices+=" cuda"; fi
    if find_hipcc && amd_gpu_answers; then devices+=" hip"; fi
  fi
  [[ $devices != none ]] || devices=""
  read -r -a presets <<<"cpu $devices"
  install_missing "${presets[@]}"
  for preset in "${presets[@]}"; do
    configure "$preset"
    build "$preset" tilestride # the tests are left to test.sh
  done
} >&2 # stdout belongs to the table

# From here it is tilestride that speaks and that sets the exit code. The caller's folder is kept: paths are relative to it.
exec "$root/build/bin/tilestride" run "$deck" "$@"
