#!/usr/bin/env bash
# Usage: scripts/docs.sh [check|site]…
#
# The documentation; both by default.
#   check   the figures in the texts are those of reference/, and inputs/deck.schema.json takes every deck of inputs/ and
#           refuses decks that are wrong; the tests of both tools
#   site    builds the pages into build/site, strictly: a page, a source or a figure that is missing is an error
#
# The tools are those of scripts/docs-requirements.txt. They are installed once, with pip and by hash, into a virtual
# environment in the cache. The exit code: 0 all is well, 1 something to correct, 2 bad input or set-up.
#
# Environment:
#   TILESTRIDE_CACHE   where the virtual environment is kept (default: ~/.cache/tilestride)

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

requirements="$root/scripts/docs-requirements.txt"

check() {
  local status=0
  "$tools/bin/python" -B "$root/tools/figures.py" --check || status=1
  "$tools/bin/check-jsonschema" --schemafile "$root/inputs/deck.schema.json" "$root"/inputs/*.toml >&2 || status=1
  (cd -- "$root/tests/tools" && "$tools/bin/python" -B -m unittest test_deck_schema test_site_code) || status=1
  return $status
}

site() {
  # Material tells of what its makers plan next, on each build.
  (cd -- "$root" && NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --strict --site-dir "$root/build/site") || return 1
  say "the pages: $root/build/site/index.html"
}

all_tasks=(check site)
(($# == 0)) || all_tasks=("$@")
for task in "${all_tasks[@]}"; do
  case $task in
    -h | --help) print_help && exit ;;
    check | site) ;;
    *) die "'$task' is neither check nor site" ;;
  esac
done
tools="$(python_tools docs "$requirements")"
failed=()
for task in "${all_tasks[@]}"; do "$task" || failed+=("$task"); done
((${#failed[@]} == 0)) || { say "to be corrected: ${failed[*]}" && exit 1; }
