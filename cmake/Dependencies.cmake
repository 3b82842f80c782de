# SPDX-License-Identifier: BSD-3-Clause
# Finds what the project needs beside Kokkos and gives it under one name each:
#   tilestride_tomlplusplus  toml++, header-only
#   tilestride_boost_math    Boost.Math, header-only
#   tilestride_openblas      OpenBLAS, when TILESTRIDE_WITH_OPENBLAS
#   tilestride_mpi           MPI's C interface, when TILESTRIDE_WITH_MPI
#   tilestride_options       C++17 and the warnings of our own sources
#   tilestride_tuning        -march and friends, for the kernels alone

find_package(fmt REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)

# Header-only, whatever a package of it was built as: deck.cpp has toml++'s assertions throw, which a library would not.
find_path(TILESTRIDE_TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
add_library(tilestride_tomlplusplus INTERFACE)
target_include_directories(tilestride_tomlplusplus SYSTEM INTERFACE ${TILESTRIDE_TOMLPLUSPLUS_INCLUDE})

find_path(TILESTRIDE_BOOST_INCLUDE boost/math/distributions/students_t.hpp REQUIRED)
add_library(tilestride_boost_math INTERFACE)
target_include_directories(tilestride_boost_math SYSTEM INTERFACE ${TILESTRIDE_BOOST_INCLUDE})

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
if(TILESTRIDE_OPENBLAS AND TILESTRIDE_HAS_HOST_SPACE)
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

set(TILESTRIDE_WITH_MPI OFF)
if(TILESTRIDE_MPI)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(TILESTRIDE_WITH_MPI ON)
    add_library(tilestride_mpi INTERFACE)
    target_link_libraries(tilestride_mpi INTERFACE MPI::MPI_CXX)
    target_compile_definitions(tilestride_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # C++ as it was until MPI 2
  elseif(NOT TILESTRIDE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "TILESTRIDE_MPI is ON and MPI was not found")
  endif()
endif()

add_library(tilestride_options INTERFACE)
target_compile_features(tilestride_options INTERFACE cxx_std_17)
# Clang's -Wconversion has -Wsign-conversion in it; g++'s has not, for C++.
target_compile_options(tilestride_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wpedantic;-Wconversion;$<$<CXX_COMPILER_ID:Clang,IntelLLVM>:-Wno-sign-conversion>>"
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
set(tuning)
if(TILESTRIDE_HOST_ARCH)
  include(CheckCXXCompilerFlag)
  list(APPEND tuning -march=${TILESTRIDE_HOST_ARCH})
  check_cxx_compiler_flag(-mprefer-vector-width=512 TILESTRIDE_HAS_PREFER_VECTOR_WIDTH)
  if(TILESTRIDE_HAS_PREFER_VECTOR_WIDTH)
    list(APPEND tuning -mprefer-vector-width=512)  # GCC otherwise halves the vectors of AVX-512
  endif()
endif()
# Where the linker puts a function is otherwise seen in the figures of its short loops: on an EPYC of family 26
# transpose/copy of 512 x 512 took 61 us for f32 and 37 for i32, by loops of as many instructions; now 37 and 38.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND tuning -falign-loops=64)
endif()
if(tuning)
  target_compile_options(tilestride_tuning INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${tuning}>")
  list(JOIN tuning "," tuning_for_nvcc)
  target_compile_options(tilestride_tuning INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${tuning_for_nvcc}>")
endif()
