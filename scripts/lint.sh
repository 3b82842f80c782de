#!/usr/bin/env bash
# Usage: scripts/lint.sh [--base REVISION] [CHECK…] [-- FILE…]
#
# Checks how the sources are written. CHECK is one or more of clang-format, clang-tidy, codespell, ruff and shellcheck; all
# of them by default. FILE: only these files; by default every file of the checkout that git does not ignore.
# clang-tidy reports only lines that have changed since REVISION. By default that is where the branch left main, or the
# previous commit. It needs the compile_commands.json of a host build (cmake --preset cpu) and is skipped without one.
#
# The versions are those of scripts/lint-requirements.txt. They are installed once, with pip and by hash, into a virtual
# environment in the cache. A tool that the index does not have for this machine is taken from PATH, or skipped.
# The exit code: 0 nothing to report, 1 something to correct, 2 bad input or set-up.
#
# Environment:
#   TILESTRIDE_CACHE   where the virtual environment is kept (default: ~/.cache/tilestride)

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

all_checks=(clang-format clang-tidy codespell ruff shellcheck)
requirements="$root/scripts/lint-requirements.txt"

# Prints where a tool is.
find_tool() {
  if [[ -x $tools/bin/$1 ]]; then
    echo "$tools/bin/$1"
  else
    command -v "$1" || { say "$1 is neither in the index for this machine nor on PATH: skipped" && return 1; }
  fi
}

# The files to look at: those given, or all that git knows or would add. A file that is deleted but not committed is none.
list_files() {
  local file
  if ((${#files[@]} > 0)); then
    printf '%s\n' "${files[@]}"
  else
    git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
      [[ ! -f $file || -h $file ]] || printf '%s\n' "$file"
    done
  fi
}

# for_files TOOL [OPTION…]: runs it over the names on stdin; nothing to do without any.
for_files() { xargs -r -d '\n' "$@"; }

list_cpp() { list_files | grep -E '\.(cpp|hpp|cu)$' || true; }

list_shell() {
  local file line
  list_files | while IFS= read -r file; do
    if [[ $file == *.sh ]] || { IFS= read -r line <"$file" && [[ $line =~ ^'#!'.*[/\ ](ba|da)?sh$ ]]; } 2>/dev/null; then
      printf '%s\n' "$file"
    fi
  done
}

# --- clang-tidy ---

default_base() {
  local branch revision head
  head="$(git rev-parse HEAD)"
  for branch in origin/main main; do
    revision="$(git merge-base HEAD "$branch" 2>/dev/null)" || continue
    [[ $revision == "$head" ]] || { echo "$revision" && return; }
  done
  git rev-parse --quiet --verify HEAD~1 || echo "$head"
}

# Prints FILE FIRST LAST for each range of changed lines.
list_changes() {
  local file
  git diff --unified=0 --no-color --no-ext-diff --diff-filter=d "$base" -- '*.cpp' '*.hpp' | awk '
    /^\+\+\+ b\// { file = substr($0, 7) }
    /^@@/ {
      match($0, /\+[0-9]+(,[0-9]+)?/)
      count = split(substr($0, RSTART + 1, RLENGTH - 1), range, ",") > 1 ? range[2] : 1
      if (count > 0) print file, range[1], range[1] + count - 1
    }'
  git ls-files --others --exclude-standard -- '*.cpp' '*.hpp' | while IFS= read -r file; do echo "$file 1 1000000"; done
}

# Turns these into what clang-tidy takes: [{"name":"FILE","lines":[[FIRST,LAST],…]},…]
line_filter() {
  awk '
    { lines[$1] = lines[$1] (lines[$1] == "" ? "" : ",") "[" $2 "," $3 "]" }
    END {
      for (file in lines) { printf "%s{\"name\":\"%s\",\"lines\":[%s]}", separator == "" ? "[" : ",", file, lines[file]; separator = "," }
      if (separator != "") print "]"
    }'
}

# Of the files on stdin, the sources that the build compiles; for a header that which the tests compile alone.
list_translation_units() {
  local commands=$1 file
  while IFS= read -r file; do
    case $file in
      src/*.hpp) file="${commands%/*}/tests/headers/${file#src/}" && file="${file%.hpp}.cpp" ;;
      *) file="$root/$file" ;;
    esac
    ! grep -qF "\"file\": \"$file\"" "$commands" || printf '%s\n' "$file"
  done
}

check_clang_tidy() {
  local tidy commands changes units gcc_headers
  tidy="$(find_tool clang-tidy)" || return 0
  commands="$(find "$root"/build/{cpu,dev,asan}/compile_commands.json -print -quit 2>/dev/null || true)"
  if [[ -z $commands ]]; then
    say "no compile_commands.json in build/cpu, dev or asan: clang-tidy is skipped"
    return 0
  fi
  changes="$(list_changes | awk 'NR == FNR { wanted[$0]; next } $1 in wanted' <(list_cpp) -)"
  units="$(cut -d ' ' -f 1 <<<"$changes" | sort -u | list_translation_units "$commands")"
  [[ -n $units ]] || return 0
  # omp.h is GCC's, with an attribute that clang does not know; clang's own headers come before all others of that folder.
  # GCC's precompiled header is of no use to clang, which then reads the header itself.
  gcc_headers="$("${CXX:-g++}" -print-file-name=include)"
  for_files --max-args=1 --max-procs="$(job_count)" "$tidy" --quiet -p "${commands%/*}" \
    --line-filter="$(line_filter <<<"$changes")" --extra-arg="-idirafter$gcc_headers" \
    --extra-arg="-D__malloc__(f)=__malloc__" --extra-arg=-Wno-ignored-gch <<<"$units" 2> >(grep -vE '^[0-9]+ (warning|error)s? ' >&2)
}

# --- the others ---

check_clang_format() {
  local tool
  tool="$(find_tool clang-format)" || return 0
  list_files | { grep -E '\.(cpp|hpp|cu|js)$' || true; } | for_files "$tool" --dry-run --Werror
}

check_codespell() {
  local tool
  tool="$(find_tool codespell)" || return 0
  list_files | for_files "$tool"
}

check_ruff() {
  local tool
  tool="$(find_tool ruff)" || return 0
  list_files | { grep '\.py$' || true; } | for_files "$tool" check --quiet --no-cache
}

check_shellcheck() {
  local tool
  tool="$(find_tool shellcheck)" || return 0
  list_shell | for_files "$tool"
}

# --- what is asked for ---

base=""
checks=()
files=()
while (($# > 0)); do
  case $1 in
    -h | --help) print_help && exit ;;
    --base) [[ $# -gt 1 ]] || die "--base needs a revision" && base=$2 && shift ;;
    --) shift && files=("$@") && break ;;
    *) [[ " ${all_checks[*]} " == *" $1 "* ]] || die "'$1' is no check; these are: ${all_checks[*]}" && checks+=("$1") ;;
  esac
  shift
done
((${#checks[@]} > 0)) || checks=("${all_checks[@]}")

cd -- "$root"
git rev-parse --quiet --verify HEAD >/dev/null || die "this is not a checkout of git"
[[ -n $base ]] || base="$(default_base)"
git rev-parse --quiet --verify "$base^{commit}" >/dev/null || die "there is no revision $base"
tools="$(python_tools lint "$requirements")"
failed=()
for check in "${checks[@]}"; do
  "check_${check//-/_}" || failed+=("$check")
done
((${#failed[@]} == 0)) || { say "to be corrected: ${failed[*]}" && exit 1; }
