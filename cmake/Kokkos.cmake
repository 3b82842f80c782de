# SPDX-License-Identifier: BSD-3-Clause
# Finds the one Kokkos that the program is built with, and gives
#   Kokkos_COMPILE_LANGUAGE  of sources that use Kokkos: CUDA, or CXX for hosts, hipcc and nvcc_wrapper
#   tilestride_kokkos        Kokkos on all of its spaces
#   tilestride_precompiled   its headers, read once per target instead of once per source
#   tilestride_plain         for sources without Kokkos: compiled for the host alone

set(CMAKE_CXX_EXTENSIONS OFF)  # Kokkos has none either
find_package(Kokkos 4.6 REQUIRED CONFIG)
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) from ${Kokkos_DIR}")
if(NOT Kokkos_COMPILE_LANGUAGE)
  set(Kokkos_COMPILE_LANGUAGE CXX)
endif()
add_library(tilestride_kokkos INTERFACE)
target_link_libraries(tilestride_kokkos INTERFACE Kokkos::kokkos)

# Sets the language of sources that use Kokkos. Not to CXX, though it is that already: CMake would tell the compiler, and
# hipcc compiles no device code of what it is told to be C++.
function(tilestride_kokkos_sources)
  if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ${Kokkos_COMPILE_LANGUAGE})
  endif()
endfunction()

if(Kokkos_ENABLE_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})  # and not nvcc's default, an old one
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)  # Kokkos links the shared one; a second, static one would have its own state
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(Kokkos_VERSION VERSION_LESS 4.7.01)
    target_compile_options(tilestride_kokkos INTERFACE
      "$<$<COMPILE_LANGUAGE:${Kokkos_COMPILE_LANGUAGE},CUDA>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/compat/kokkos_cuda13.hpp>")
  endif()
  # src/cuda/libcuda.cpp defines what Kokkos needs of libcuda, so that the program also loads where no driver is.
  target_link_options(tilestride_kokkos INTERFACE "LINKER:--as-needed")
  if(Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
    # This Kokkos was built with nvcc_wrapper: sources that use it are compiled and linked with that, which Kokkos sees to
    # unless it is CMake's C++ compiler anyway. Kokkos' options do not reach src/cuda/*.cu, which are of CMake's language
    # CUDA all the same.
    target_compile_options(tilestride_kokkos INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-extended-lambda>")
    if(Kokkos_ENABLE_OPENMP)
      target_compile_options(tilestride_kokkos INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>")
    endif()
    target_link_options(tilestride_kokkos INTERFACE "SHELL:-cudart shared")
  endif()
elseif(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
  enable_language(${Kokkos_COMPILE_LANGUAGE})  # HIP as a language of CMake's
endif()

add_library(tilestride_plain INTERFACE)
if(Kokkos_ENABLE_HIP AND Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
  # hipcc takes every source for device code, and looks for a GPU unless it is told of an architecture.
  target_compile_options(tilestride_plain INTERFACE -xc++ --offload-arch=${Kokkos_HIP_ARCHITECTURES})
  target_link_options(tilestride_kokkos INTERFACE --offload-arch=${Kokkos_HIP_ARCHITECTURES})
elseif(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
  target_compile_options(tilestride_plain INTERFACE --host-only)  # nvcc does not compile all of C++, toml++ for one
endif()

# Not with nvcc and hipcc, which would have to be told of such headers source by source, and not behind ccache, which
# keeps nothing that one went into.
add_library(tilestride_precompiled INTERFACE)
if(NOT Kokkos_ENABLE_CUDA AND NOT Kokkos_ENABLE_HIP AND NOT Kokkos_ENABLE_SYCL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  target_precompile_headers(tilestride_precompiled INTERFACE <Kokkos_Core.hpp>)
endif()
