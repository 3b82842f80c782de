# SPDX-License-Identifier: BSD-3-Clause
# Writes build/<preset>/generated/build_info.cpp: what the program tells of its own build.

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)

# The instruction sets that -march stands for, to be looked for in the CPU at start.
set(TILESTRIDE_HOST_FEATURES "")
if(TILESTRIDE_HOST_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(host_only "")
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
    set(host_only --host-only)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${host_only} -march=${TILESTRIDE_HOST_ARCH} -dM -E -x c++ /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET)
  foreach(feature avx avx2 fma bmi bmi2 avx512f avx512dq avx512bw avx512vl avx512cd)
    string(TOUPPER ${feature} macro)
    if(macros MATCHES "__${macro}__ ")
      string(APPEND TILESTRIDE_HOST_FEATURES "\n      {\"${feature}\", __builtin_cpu_supports(\"${feature}\") != 0},")
    endif()
  endforeach()
endif()

set(TILESTRIDE_DEVICE_COMPILER "")
if(Kokkos_ENABLE_CUDA)
  set(TILESTRIDE_DEVICE_COMPILER "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
elseif(Kokkos_ENABLE_HIP)
  set(TILESTRIDE_DEVICE_COMPILER "${Kokkos_CXX_COMPILER_ID} ${Kokkos_CXX_COMPILER_VERSION}")  # "HIPCC 5.2.21153"
endif()
# Kokkos Kernels 4.4 tells its version nowhere but in a header.
set(TILESTRIDE_KOKKOS_KERNELS_VERSION "")
if(TILESTRIDE_WITH_KOKKOS_KERNELS)
  get_target_property(include_folders Kokkos::kokkoskernels INTERFACE_INCLUDE_DIRECTORIES)
  find_file(TILESTRIDE_KOKKOS_KERNELS_CONFIG KokkosKernels_config.h HINTS ${KokkosKernels_DIR}/../../../include ${include_folders})
  file(STRINGS ${TILESTRIDE_KOKKOS_KERNELS_CONFIG} line REGEX "define KOKKOSKERNELS_VERSION +[0-9]+")
  if(line MATCHES "([0-9]+)([0-9][0-9])([0-9][0-9])$")
    math(EXPR minor "${CMAKE_MATCH_2}")
    math(EXPR patch "${CMAKE_MATCH_3}")
    set(TILESTRIDE_KOKKOS_KERNELS_VERSION "${CMAKE_MATCH_1}.${minor}.${patch}")
  endif()
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
list(JOIN tuning " " tuning_text)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${tuning_text}" TILESTRIDE_FLAGS)
set(openblas_choice ${TILESTRIDE_OPENBLAS})
set(TILESTRIDE_OPENBLAS ${TILESTRIDE_OPENBLAS_LIBRARY})
if(NOT TILESTRIDE_WITH_OPENBLAS)
  set(TILESTRIDE_OPENBLAS "")
endif()
configure_file(cmake/build_info.cpp.in ${generated}/build_info.cpp @ONLY)
set(TILESTRIDE_OPENBLAS ${openblas_choice})

# Asked at every build, written only when it changed.
add_custom_target(tilestride_git_revision
  COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR} -D output=${generated}/git_revision.cpp
    -P ${PROJECT_SOURCE_DIR}/cmake/git_revision.cmake
  BYPRODUCTS ${generated}/git_revision.cpp
  COMMENT "Asking git for the revision")
