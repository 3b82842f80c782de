#!/usr/bin/env bash
# Usage: scripts/get_kokkos.sh cpu|cuda|hip
#
# Finds or builds Kokkos with Kokkos Kernels (BLAS) and prints the one line that CMake needs, the prefix:
#   cmake --preset cpu -DCMAKE_PREFIX_PATH="$(scripts/get_kokkos.sh cpu)"
# cpu is Serial + OpenMP, cuda is Serial + OpenMP + Cuda, hip is Serial + HIP, and OpenMP where hipcc has it. All other
# output goes to stderr, with the source that was used.
#
# Sources, in this order:
#   1. an installed Kokkos 4.6 or newer where find_package looks (Kokkos_ROOT, CMAKE_PREFIX_PATH, /usr): for cpu with Serial,
#      OpenMP and no device, for cuda with Cuda, for hip with HIP; its Kokkos Kernels may be missing: those variants are
#      then not built
#   2. the release tarballs of 4.7.02
#   3. the PyPI source distribution of pygenten 0.1.5, which carries Kokkos 4.7.00 and Kokkos Kernels 4.4.00
# What is downloaded is checked against its sha256. The answer is kept: the next call needs neither CMake nor a network.
#
# Environment:
#   TILESTRIDE_CACHE      where sources and builds are kept (default: ~/.cache/tilestride); remove it to start anew
#   TILESTRIDE_CUDA_ARCH  compute capability without the dot, e.g. 90 (default: the first GPU's, or 90 without a GPU)
#   TILESTRIDE_HIP_ARCH   e.g. gfx942, or gfx942_apu for an MI300A (default: the first GPU's, or gfx90a without a GPU)
#   Kokkos_ROOT, Kokkos_DIR, CMAKE_PREFIX_PATH, CXX, CUDACXX, CUDAHOSTCXX   as CMake understands them
#   HIPCC                 hipcc, where it is neither on PATH nor in $ROCM_PATH/bin

# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

# stdout carries the answer alone; whatever else a command prints belongs on stderr.
exec 3>&1 1>&2

oldest_kokkos=4.6

release=4.7.02
release_url=https://github.com/kokkos
release_kokkos_sha256=a81826ac0a167933d13506bc2a986fb5517038df9abb780fe9bb2c1d4e80803b
release_kernels_sha256=2d3b3e10ac112e382b88c50d66e4222ce543fca5d42be6d8376a684b82b8b238

pypi_package=pygenten==0.1.5
pypi_sha256=e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7
pypi_kokkos=4.7.00 # the version that the package carries

# Sets arch (90) and arch_option (HOPPER90, Kokkos' name for it).
choose_cuda_arch() {
  arch="${TILESTRIDE_CUDA_ARCH:-}"
  if [[ -z $arch ]]; then
    arch="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null || true)"
    arch="${arch%%$'\n'*}"                       # of several GPUs the first
    [[ $arch == [0-9]*.[0-9]* ]] || arch=90      # no driver, no GPU, or a driver too old to say
  fi
  arch="${arch//[. ]/}"
  case $arch in
    70) arch_option=VOLTA70 ;;
    75) arch_option=TURING75 ;;
    80) arch_option=AMPERE80 ;;
    86) arch_option=AMPERE86 ;;
    89) arch_option=ADA89 ;;
    90) arch_option=HOPPER90 ;;
    100) arch_option=BLACKWELL100 ;;
    120) arch_option=BLACKWELL120 ;;
    *) die "no name in Kokkos is known for CUDA architecture '$arch': set TILESTRIDE_CUDA_ARCH to 70 75 80 86 89 90 100 or 120" ;;
  esac
  "$CUDACXX" --list-gpu-arch | grep -qx "compute_$arch" || die "$CUDACXX cannot compile for CUDA architecture $arch"
}

# Likewise: gfx90a and AMD_GFX90A.
choose_hip_arch() {
  arch="${TILESTRIDE_HIP_ARCH:-}"
  [[ -n $arch ]] || arch="$(first_hip_arch)"
  arch="${arch:-gfx90a}"
  case $arch in
    gfx906 | gfx908 | gfx90a | gfx940 | gfx942 | gfx942_apu | gfx1030 | gfx1100 | gfx1103) arch_option="AMD_${arch^^}" ;;
    *) die "no name in Kokkos is known for AMD architecture '$arch': set TILESTRIDE_HIP_ARCH to gfx906 gfx908 gfx90a gfx940" \
      "gfx942 gfx942_apu gfx1030 gfx1100 or gfx1103" ;;
  esac
}

# Prints the prefix of an installed Kokkos that has the wanted devices. A Kokkos that CMake finds but that does not fit is
# named, with the reason, and passed over.
find_installed() {
  local probe answer dir
  probe="$(mktemp -d)"
  cat >"$probe/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(probe CXX)
find_package(Kokkos CONFIG QUIET)
if(Kokkos_FOUND)
  file(WRITE ${CMAKE_BINARY_DIR}/answer "${Kokkos_VERSION}|${Kokkos_DEVICES}|${Kokkos_DIR}")
endif()
CMAKE
  cmake -S "$probe" -B "$probe/build" "${compiler_option[@]}" >"$probe/log" 2>&1 || true # a broken package is as good as none
  answer="$(cat "$probe/build/answer" 2>/dev/null || true)"
  rm -rf "$probe"
  [[ -n $answer ]] || return 1

  local version devices
  IFS='|' read -r version devices dir <<<"$answer"
  local reason=""
  if [[ "$(printf '%s\n' "$oldest_kokkos" "$version" | sort -V | head -n 1)" != "$oldest_kokkos" ]]; then
    reason="older than $oldest_kokkos"
  fi
  local device wanted="${backend^^}"
  [[ $backend == cpu ]] && wanted="SERIAL OPENMP"
  for device in $wanted; do
    [[ ";$devices;" == *";$device;"* ]] || reason="built without $device"
  done
  # A program with a device needs one to start Kokkos, also for its host spaces.
  for device in CUDA HIP SYCL; do
    [[ $device == "${backend^^}" || ";$devices;" != *";$device;"* ]] || reason="built with $device"
  done
  if [[ -n $reason ]]; then
    say "Kokkos $version in $dir is not used: $reason"
    return 1
  fi
  say "using the installed Kokkos $version in $dir"
  printf '%s\n' "${dir%/lib*/cmake/Kokkos}"
}

# fetch URL SHA256 FILE: fails within seconds when the source cannot be reached.
fetch() {
  curl --fail --silent --show-error --location --connect-timeout 5 --speed-limit 1000 --speed-time 15 \
    --output "$3.part" "$1" &&
    printf '%s  %s\n' "$2" "$3.part" | sha256sum --check --quiet &&
    mv "$3.part" "$3"
}

unpack_release() { # DIRECTORY
  local name sha256
  for name in kokkos kokkos-kernels; do
    sha256=$release_kokkos_sha256
    [[ $name == kokkos-kernels ]] && sha256=$release_kernels_sha256
    fetch "$release_url/$name/releases/download/$release/$name-$release.tar.gz" "$sha256" "$1/$name.tar.gz" || return 1
    mkdir "$1/$name" && tar -xzf "$1/$name.tar.gz" -C "$1/$name" --strip-components=1 || return 1
    rm "$1/$name.tar.gz"
  done
}

unpack_pypi() { # DIRECTORY
  printf '%s --hash=sha256:%s\n' "$pypi_package" "$pypi_sha256" >"$1/requirements.txt"
  # pip asks the package for its metadata before it hands over the archive, which takes most of the time.
  python3 -m pip download --quiet --disable-pip-version-check --timeout 15 --retries 1 \
    --no-deps --no-binary "${pypi_package%%==*}" --require-hashes -r "$1/requirements.txt" --dest "$1" || return 1
  local top="${pypi_package/==/-}"
  tar -xzf "$1/$top.tar.gz" -C "$1" --strip-components=2 "$top/tpls/kokkos" "$top/tpls/kokkos-kernels" || return 1
  rm "$1/$top.tar.gz" "$1/requirements.txt"
}

# Sets prefix to a finished build of any version that is known here.
find_built() {
  for version in "$release" "$pypi_kokkos"; do
    prefix="$cache/kokkos-$version-$key"
    [[ -e $prefix/complete ]] && return
  done
  return 1
}

# Sets version and sources. A folder of sources appears under its own name only when it is complete.
get_sources() {
  for version in "$release" "$pypi_kokkos"; do
    sources="$cache/sources-$version"
    if [[ -d $sources ]]; then
      say "sources of Kokkos $version: $sources"
      return
    fi
  done

  local partial="$cache/sources.part"
  rm -rf "$partial" && mkdir "$partial"
  say "sources: the release tarballs of Kokkos $release"
  if unpack_release "$partial"; then
    version=$release
  else
    say "sources: not to be had; the PyPI source distribution $pypi_package instead, with Kokkos $pypi_kokkos"
    rm -rf "$partial" && mkdir "$partial"
    unpack_pypi "$partial" || die "Kokkos can be had from no source: install it, or set Kokkos_ROOT to where it is"
    version=$pypi_kokkos
  fi
  sources="$cache/sources-$version"
  mv "$partial" "$sources"
}

# logged COMMAND…: its output goes to the log, whose end is shown when it fails.
logged() {
  "$@" >>"$log" 2>&1 && return
  tail -n 30 "$log"
  die "failed: $1 $2 …; the whole log: $log"
}

# build_one NAME OPTION…: configures, builds and installs one of the two packages.
build_one() {
  local name=$1
  shift
  logged cmake -S "$sources/$name" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_CXX_STANDARD=17 "${compiler_option[@]}" "${common[@]}" "$@"
  logged cmake --build "$work/$name" --parallel "$(job_count)"
  logged cmake --install "$work/$name"
}

build() {
  prefix="$cache/kokkos-$version-$key"
  local work="$prefix.build" log="$prefix.log" started=$SECONDS
  rm -rf "$prefix" "$work" && mkdir "$work" && : >"$log" # whatever is left of a build that was cut

  local common=(-DBUILD_TESTING=OFF) kokkos=(-DKokkos_ENABLE_SERIAL=ON)
  if [[ $backend != hip ]] || hipcc_has_openmp; then
    kokkos+=(-DKokkos_ENABLE_OPENMP=ON)
  else
    say "$hipcc has no OpenMP: the host side of this Kokkos is Serial"
  fi
  if [[ $backend == cuda ]]; then
    # As CMake's own CUDA language: nvcc_wrapper would be one more compiler to ship, and its default target is too old.
    kokkos+=(-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON "-DKokkos_ARCH_$arch_option=ON")
    # Shared, as in the project: else two CUDA runtimes end up in one program.
    common+=(-DCMAKE_CUDA_ARCHITECTURES="$arch" -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared -DCMAKE_CUDA_STANDARD=17)
    common+=("-DCMAKE_CUDA_FLAGS=-include $root/cmake/compat/kokkos_cuda13.hpp")
  elif [[ $backend == hip ]]; then
    # Without rocThrust, which Debian does not have and only Kokkos' sort uses; deprecated code would need it too.
    kokkos+=(-DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_$arch_option=ON" -DKokkos_ENABLE_ROCTHRUST=OFF
      -DKokkos_ENABLE_DEPRECATED_CODE_4=OFF)
    common+=(-DCMAKE_CXX_EXTENSIONS=OFF)
  fi
  # Only the BLAS part, without vendor libraries behind it: its own gemm is what is to be measured.
  local kernels=(-DKokkos_ROOT="$prefix" -DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
    -DKokkosKernels_ENABLE_TESTS=OFF -DKokkosKernels_ENABLE_PERFTESTS=OFF -DKokkosKernels_ENABLE_EXAMPLES=OFF
    -DKokkosKernels_ADD_DEFAULT_ETI=OFF)
  local library
  for library in BLAS LAPACK MKL CUBLAS CUSPARSE CUSOLVER ROCBLAS ROCSPARSE ROCSOLVER; do
    kernels+=("-DKokkosKernels_ENABLE_TPL_$library=OFF")
  done

  say "building Kokkos $version ($key) with $(job_count) jobs in $work"
  build_one kokkos "${kokkos[@]}"
  say "building Kokkos Kernels"
  build_one kokkos-kernels "${kernels[@]}"
  rm -rf "$work"
  : >"$prefix/complete" # last of all: without it the prefix does not count
  say "built in $((SECONDS - started)) s: $prefix"
}

case ${1:-} in
  -h | --help) print_help >&3; exit 0 ;;
  cpu | cuda | hip) backend=$1 ;;
  *) die "usage: get_kokkos.sh cpu|cuda|hip (see --help)" ;;
esac

cache="${TILESTRIDE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tilestride}"
key="$backend-$(uname -m)"
arch="" arch_option="" compiler_option=()
if [[ $backend == hip ]]; then
  find_hipcc || die "the hip backend needs hipcc: put it on PATH, or set HIPCC"
  compiler_option=(-DCMAKE_CXX_COMPILER="$hipcc")
  choose_hip_arch
  key+="-hipcc$("$hipcc" --version 2>/dev/null | sed -n 's/^HIP version: \([0-9.]*\).*/\1/p')-$arch_option"
else
  key+="-$(basename -- "${CXX:-c++}")$("${CXX:-c++}" -dumpversion)"
fi
if [[ $backend == cuda ]]; then
  find_nvcc || die "the cuda backend needs nvcc: put it on PATH, or set CUDACXX"
  choose_cuda_arch
  key+="-nvcc$("$CUDACXX" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')-$arch_option"
fi

# The answer of an earlier call with the same settings, as long as what it names is still there.
hints="$(printf '%s|' "${Kokkos_ROOT:-}" "${Kokkos_DIR:-}" "${CMAKE_PREFIX_PATH:-}" | sha256sum | cut -c 1-12)"
answer="$cache/answer-$key-$hints"
valid_answer() {
  [[ -f $answer ]] || return 1
  IFS='|' read -r prefix evidence <"$answer"
  [[ -e $evidence ]]
}

if ! valid_answer; then
  have cmake || die "cmake is missing"
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock --nonblock 9 || { say "waiting for another call to finish"; flock 9; }
  if ! valid_answer; then
    if prefix="$(find_installed)"; then
      evidence="$prefix"
    else
      if ! find_built; then
        get_sources
        build
      fi
      evidence="$prefix/complete"
    fi
    printf '%s|%s\n' "$prefix" "$evidence" >"$answer.part" && mv "$answer.part" "$answer"
  fi
fi
printf '%s\n' "$prefix" >&3
