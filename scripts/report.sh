#!/usr/bin/env bash
# Usage: scripts/report.sh FILE… [-o DIR]
#
# Turns result documents (result.json of a run, or files of reference/) into one HTML page, DIR/report.html, and prints its
# path. DIR is by default the folder of the first file. Several files are compared. The page needs no network and no other
# file: it can be sent by mail and opened from a disk. Nothing is installed: Python 3.9 or newer is all it takes.
# The exit code: 0 the page is written, 2 a file is no result document, or the page cannot be written.

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

files=()
folder=""
while (($# > 0)); do
  case $1 in
    -h | --help) print_help && exit ;;
    -o) [[ $# -gt 1 ]] || die "-o needs a folder" && folder=$2 && shift ;;
    --) shift && files+=("$@") && break ;;
    -*) die "there is no option $1; see $program --help" ;;
    *) files+=("$1") ;;
  esac
  shift
done
((${#files[@]} > 0)) || die "which result documents? see $program --help"
have python3 || die "python3 is needed (Debian: python3)"

page="$(python3 -B "$root/tools/report.py" -o "${folder:-$(dirname -- "${files[0]}")}" -- "${files[@]}")"
printf '%s\n' "$page"
say "open it in any browser, e.g. with: xdg-open $(printf '%q' "$page")"
