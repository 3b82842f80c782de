# SPDX-License-Identifier: BSD-3-Clause
# Shared by the scripts of this project; sourced, not run. What these functions say goes to stderr.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used by those who source this
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
program="$(basename -- "$0")"

say() { printf '%s: %s\n' "$program" "$*" >&2; }
die() { say "$*"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# The comment at the head of a script is its help.
print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# A compile job of Kokkos takes about 1 GB, so ninja's own default (cores + 2) may be too many.
job_count() { printf '%s' "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"; }

# nvcc need not be on PATH: CMake is told through CUDACXX. Fails when there is none.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    if [[ -n $candidate && -x $candidate ]]; then
      export CUDACXX="$candidate"
      return 0
    fi
  done
  return 1
}

# hipcc need not be on PATH either. Sets hipcc. Fails when there is none.
find_hipcc() {
  local candidate
  for candidate in "${HIPCC:-}" "$(command -v hipcc || true)" "${ROCM_PATH:-/opt/rocm}/bin/hipcc"; do
    if [[ -n $candidate && -x $candidate ]]; then
      # shellcheck disable=SC2034 # used by those who source this
      hipcc="$candidate"
      return 0
    fi
  done
  return 1
}

# hipcc_compiles CODE OPTION…: hipcc finds its own headers only for what has the name of a source.
hipcc_compiles() {
  local place status=0
  find_hipcc || return 1
  place="$(mktemp -d)"
  printf '%s\n' "$1" >"$place/probe.cpp"
  "$hipcc" "${@:2}" "$place/probe.cpp" -o "$place/probe" 2>/dev/null || status=1
  rm -rf "$place"
  return $status
}

# hipcc may lack the runtime's headers and the device libraries, which are packages of their own.
hipcc_is_complete() {
  hipcc_compiles '#include <hip/hip_runtime.h>
    __global__ void nothing() {}
    int main() { nothing<<<1, 1>>>(); }' --offload-arch=gfx90a
}

# hipcc is a clang, whose OpenMP is often a package of its own too.
hipcc_has_openmp() {
  hipcc_compiles '#include <omp.h>
    int main() { return omp_get_max_threads() < 1; }' -x c++ -fopenmp
}

# Prints the architecture of the first AMD GPU, e.g. gfx90a; nothing where there is none. (The list may begin with gfx000,
# which is the CPU.)
first_hip_arch() {
  [[ -e /dev/kfd ]] || return 0
  "$(dirname -- "$hipcc")/rocm_agent_enumerator" 2>/dev/null | grep -v gfx000 | head -n 1 || true
}

amd_gpu_answers() { [[ -n "$(first_hip_arch)" ]]; }

# The driver answers and names at least one GPU.
nvidia_gpu_answers() { have nvidia-smi && [[ "$(nvidia-smi -L 2>/dev/null)" == GPU* ]]; }

# python_tools NAME REQUIREMENTS: prints the virtual environment with these tools, which is made once and kept in the cache.
python_tools() {
  local place
  place="${TILESTRIDE_CACHE:-$HOME/.cache/tilestride}/$1-$(sha256sum "$2" | cut -c -12)"
  if [[ ! -e $place/complete ]]; then
    say "installing the tools of $(basename -- "$2") into $place"
    rm -rf -- "$place"
    python3 -m venv "$place" >&2 || die "python3 cannot make a virtual environment (Debian: python3-venv)"
    "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement "$2" >&2 ||
      die "pip could not install them"
    touch "$place/complete"
  fi
  echo "$place"
}

# --- what the build needs from the system ---

# Is a header in one of the places where a compiler or CMake looks? It may hold a * for the machine's name.
header() {
  local IFS=':;' place
  # shellcheck disable=SC2086 # the path lists are to be split, and the header's name is a pattern
  for place in /usr/include /usr/local/include ${CPATH:-} ${CPLUS_INCLUDE_PATH:-}; do
    compgen -G "$place/$1" >/dev/null && return
  done
  for place in ${CMAKE_PREFIX_PATH:-}; do
    compgen -G "$place/include/$1" >/dev/null && return
  done
  return 1
}

cmake_is_recent() {
  local version
  version="$(cmake --version 2>/dev/null)" || return 1
  version="${version#cmake version }"
  version="${version%%[!0-9.]*}"
  [[ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" == 3.25 ]] # the presets need 3.25
}

# missing_packages BACKEND…: prints the Debian packages that are missing, of devices only those that Debian has, HIP's; with
# mpi also those for runs of several ranks. The things themselves are looked for, not the packages: what comes from elsewhere is as good.
missing_packages() {
  [[ " $* " != *" hip "* ]] || hipcc_is_complete || echo hipcc libamdhip64-dev rocm-device-libs
  [[ " $* " != *" mpi "* ]] || { have mpirun && have mpicxx; } || echo libopenmpi-dev openmpi-bin
  have "${CXX:-g++}" || echo g++
  cmake_is_recent || echo cmake
  have ninja || echo ninja-build
  have git || echo git
  have curl || echo curl
  [[ -e /etc/ssl/certs/ca-certificates.crt || ! -e /etc/debian_version ]] || echo ca-certificates
  have python3 || echo python3
  python3 -c 'import importlib.util as u; exit(not u.find_spec("pip"))' 2>/dev/null || echo python3-pip
  header toml++/toml.h || echo libtomlplusplus-dev
  header CLI/CLI.hpp || echo libcli11-dev
  header fmt/format.h || echo libfmt-dev
  header nlohmann/json.hpp || echo nlohmann-json3-dev
  header boost/math/distributions/students_t.hpp || echo libboost-dev
  header gtest/gtest.h || echo libgtest-dev
  header '*/openblas-openmp/cblas.h' || header openblas/cblas.h || header openblas_config.h || echo libopenblas-openmp-dev
}

# install_missing BACKEND…: installs what is missing for these (cpu, cuda, hip), after saying what. TILESTRIDE_INSTALL=no
# leaves the system as it is and goes on.
install_missing() {
  [[ ${TILESTRIDE_INSTALL:-yes} != no ]] || return 0
  local missing
  missing="$(missing_packages "$@" | xargs)"
  [[ -n $missing ]] || return 0

  if [[ ! -e /etc/debian_version ]] || ! have apt-get; then
    say "missing on this system, by their names in Debian: $missing"
    say "the build needs a C++17 compiler, CMake 3.25, Ninja, git, curl, Python 3 with pip, toml++, CLI11, fmt, nlohmann-json, Boost,"
    say "GoogleTest and, as the vendor's library on CPUs, OpenBLAS. If they are where only CMake finds them: TILESTRIDE_INSTALL=no"
    exit 2
  fi

  local as_root=()
  if ((EUID != 0)); then
    if ! sudo -n true 2>/dev/null; then
      say "packages are missing; install them with this line and call again:"
      printf 'sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "$missing" >&2
      exit 2
    fi
    as_root=(sudo -n)
  fi
  say "installing these Debian packages with apt-get: $missing"
  "${as_root[@]}" apt-get update -q >&2 || say "apt-get update failed; trying with the lists as they are"
  # shellcheck disable=SC2086 # one word per package
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >&2 ||
    die "apt-get could not install: $missing"
  hash -r
  missing="$(missing_packages "$@" | xargs)"
  [[ -z $missing ]] || die "installed, but still missing or too old: $missing"
}

# --- the build ---

# configure PRESET: once; again only when another Kokkos is to be used.
configure() {
  local preset=$1 backend=cpu prefix configured="" options=()
  case $preset in
    cuda*) backend=cuda ;;
    hip*)
      backend=hip
      find_hipcc || die "no hipcc: put it on PATH, or set HIPCC"
      options=(-DCMAKE_CXX_COMPILER="$hipcc")
      ;;
  esac
  prefix="$("$root/scripts/get_kokkos.sh" "$backend")"
  local build="$root/build/$preset"
  if [[ -e $build/build.ninja ]]; then
    configured="$(sed -n 's/^CMAKE_PREFIX_PATH:[A-Z]*=//p' "$build/CMakeCache.txt")"
  fi
  [[ $configured == "$prefix" ]] && return
  # Kokkos_ROOT too: one in the environment would win over the prefix, even after get_kokkos.sh has found that it does not fit.
  cmake --fresh -S "$root" --preset "$preset" -DCMAKE_PREFIX_PATH="$prefix" -DKokkos_ROOT="$prefix" "${options[@]}"
}

# build PRESET [TARGET…]
build() { cmake --build "$root/build/$1" --parallel "$(job_count)" ${2:+--target "${@:2}"}; }

# build_and_test PRESET [CTEST OPTION…]
build_and_test() {
  local preset=$1
  shift
  configure "$preset"
  build "$preset"
  (cd -- "$root" && ctest --preset "$preset" --parallel "$(job_count)" "$@")
}
