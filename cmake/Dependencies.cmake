# SPDX-License-Identifier: BSD-3-Clause
# Finds what the project needs and gives it under one name each:
#   tilestride_kokkos        Kokkos, on every space it was built with
#   tilestride_tomlplusplus  toml++, header-only
#   tilestride_openblas      OpenBLAS, when TILESTRIDE_WITH_OPENBLAS
#   tilestride_options       C++17 and the warnings of our own sources
#   tilestride_tuning        -march and friends, for the kernels alone
#   tilestride_precompiled   Kokkos' headers read once for a target, not once for a source

set(CMAKE_CXX_EXTENSIONS OFF)  # Kokkos has none either
find_package(Kokkos 4.6 REQUIRED CONFIG)
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) from ${Kokkos_DIR}")
if(NOT Kokkos_COMPILE_LANGUAGE)
  set(Kokkos_COMPILE_LANGUAGE CXX)
endif()
if(Kokkos_ENABLE_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})  # and not nvcc's default, an old one
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # Kokkos links the shared one; a second, static one would have its own state
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
    message(FATAL_ERROR "This Kokkos was built for nvcc_wrapper; build it with Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON")
  endif()
endif()
if(TILESTRIDE_REQUIRE_CUDA AND NOT Kokkos_ENABLE_CUDA)
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has no Cuda; scripts/get_kokkos.sh cuda builds one that has")
endif()

if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX" AND NOT Kokkos_ENABLE_CUDA)
  enable_language(${Kokkos_COMPILE_LANGUAGE})  # HIP
endif()

add_library(tilestride_kokkos INTERFACE)
target_link_libraries(tilestride_kokkos INTERFACE Kokkos::kokkos)
if(Kokkos_ENABLE_CUDA AND Kokkos_VERSION VERSION_LESS 4.7.01)
  target_compile_options(tilestride_kokkos INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/compat/kokkos_cuda13.hpp>")
endif()
if(Kokkos_ENABLE_CUDA)
  # src/cuda/libcuda.cpp defines what Kokkos needs of libcuda, so that the program also loads where no driver is.
  target_link_options(tilestride_kokkos INTERFACE "LINKER:--as-needed")
endif()

find_package(fmt REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)

# Header-only, whatever a package of it was built as: deck.cpp has toml++'s assertions throw, which a library would not.
find_path(TILESTRIDE_TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(tilestride_tomlplusplus INTERFACE)
target_include_directories(tilestride_tomlplusplus SYSTEM INTERFACE ${TILESTRIDE_TOMLPLUSPLUS_INCLUDE})

set(TILESTRIDE_WITH_KOKKOS_KERNELS OFF)
if(TILESTRIDE_KOKKOS_KERNELS)
  find_package(KokkosKernels QUIET CONFIG)
  if(KokkosKernels_FOUND)
    set(TILESTRIDE_WITH_KOKKOS_KERNELS ON)
  elseif(NOT TILESTRIDE_KOKKOS_KERNELS STREQUAL "AUTO")
    message(FATAL_ERROR "TILESTRIDE_KOKKOS_KERNELS is ON and Kokkos Kernels was not found")
  endif()
endif()

set(TILESTRIDE_WITH_OPENBLAS OFF)
if(TILESTRIDE_OPENBLAS)
  find_library(TILESTRIDE_OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp)
  find_path(TILESTRIDE_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu x86_64-linux-gnu/openblas-openmp)
  if(TILESTRIDE_OPENBLAS_LIBRARY AND TILESTRIDE_OPENBLAS_INCLUDE)
    set(TILESTRIDE_WITH_OPENBLAS ON)
    add_library(tilestride_openblas INTERFACE)
    target_link_libraries(tilestride_openblas INTERFACE ${TILESTRIDE_OPENBLAS_LIBRARY})
    target_include_directories(tilestride_openblas SYSTEM INTERFACE ${TILESTRIDE_OPENBLAS_INCLUDE})
  elseif(NOT TILESTRIDE_OPENBLAS STREQUAL "AUTO")
    message(FATAL_ERROR "TILESTRIDE_OPENBLAS is ON and OpenBLAS was not found")
  endif()
endif()

add_library(tilestride_options INTERFACE)
target_compile_features(tilestride_options INTERFACE cxx_std_17)
set(host_warnings -Wall -Wextra -Wshadow)
target_compile_options(tilestride_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${host_warnings};-Wpedantic;-Wconversion>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(TILESTRIDE_WARNINGS_AS_ERRORS)
  target_compile_options(tilestride_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>")
endif()
if(TILESTRIDE_SANITIZE)
  target_compile_options(tilestride_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TILESTRIDE_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=undefined>")
  target_link_options(tilestride_options INTERFACE -fsanitize=${TILESTRIDE_SANITIZE})
endif()

# Only the kernels are compiled for one CPU: main() must be able to say that it is the wrong one.
add_library(tilestride_tuning INTERFACE)
if(TILESTRIDE_HOST_ARCH)
  include(CheckCXXCompilerFlag)
  set(tuning -march=${TILESTRIDE_HOST_ARCH})
  check_cxx_compiler_flag(-mprefer-vector-width=512 TILESTRIDE_HAS_PREFER_VECTOR_WIDTH)
  if(TILESTRIDE_HAS_PREFER_VECTOR_WIDTH)
    list(APPEND tuning -mprefer-vector-width=512)  # GCC otherwise halves the vectors of AVX-512
  endif()
  target_compile_options(tilestride_tuning INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${tuning}>")
  list(JOIN tuning "," tuning_for_nvcc)
  target_compile_options(tilestride_tuning INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${tuning_for_nvcc}>")
endif()

# Not with nvcc, which has to be told of such headers source by source, and not behind ccache, which keeps nothing that
# one went into.
add_library(tilestride_precompiled INTERFACE)
if(Kokkos_COMPILE_LANGUAGE STREQUAL "CXX" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  target_precompile_headers(tilestride_precompiled INTERFACE <Kokkos_Core.hpp>)
endif()
