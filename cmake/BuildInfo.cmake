# SPDX-License-Identifier: BSD-3-Clause
# Writes build/<preset>/generated/: the list of execution spaces, and what the program tells of its own build.

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)

set(TILESTRIDE_SPACES "" CACHE STRING
  "Execution spaces to compile for, of those that Kokkos has: Serial;OpenMP;Cuda, say. Empty: all; each takes its time")
set(missing "${TILESTRIDE_SPACES}")
# Kokkos_DEVICES holds upper-case names. The order is that in which `default` grows more capable.
set(TILESTRIDE_SPACE_TYPES "")
set(TILESTRIDE_SPACE_NAMES "")
foreach(space SERIAL=Serial THREADS=Threads OPENMP=OpenMP CUDA=Cuda HIP=HIP SYCL=SYCL)
  string(REPLACE "=" ";" pair ${space})
  list(GET pair 0 device)
  list(GET pair 1 type)
  if(device IN_LIST Kokkos_DEVICES AND (NOT TILESTRIDE_SPACES OR type IN_LIST TILESTRIDE_SPACES))
    list(REMOVE_ITEM missing ${type})
    string(TOLOWER ${type} name)
    list(APPEND TILESTRIDE_SPACE_TYPES "Kokkos::${type}")
    list(APPEND TILESTRIDE_SPACE_NAMES "\"${name}\"")
    set(TILESTRIDE_DEFAULT_SPACE ${name})
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "TILESTRIDE_SPACES: the Kokkos in ${Kokkos_DIR} has no ${missing}; it has ${Kokkos_DEVICES}")
endif()
list(JOIN TILESTRIDE_SPACE_TYPES ", " TILESTRIDE_SPACE_TYPES)
list(JOIN TILESTRIDE_SPACE_NAMES ", " TILESTRIDE_SPACE_NAMES)

# The instruction sets that -march stands for, to be looked for in the CPU at start.
set(TILESTRIDE_HOST_FEATURES "")
if(TILESTRIDE_HOST_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=${TILESTRIDE_HOST_ARCH} -dM -E -x c++ /dev/null
    OUTPUT_VARIABLE macros ERROR_QUIET)
  foreach(feature avx avx2 fma bmi bmi2 avx512f avx512dq avx512bw avx512vl avx512cd)
    string(TOUPPER ${feature} macro)
    if(macros MATCHES "__${macro}__ ")
      string(APPEND TILESTRIDE_HOST_FEATURES "\n      {\"${feature}\", __builtin_cpu_supports(\"${feature}\") != 0},")
    endif()
  endforeach()
endif()

if(Kokkos_ENABLE_CUDA)
  set(TILESTRIDE_DEVICE_COMPILER "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
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
configure_file(cmake/spaces.hpp.in ${generated}/spaces_built.hpp @ONLY)

# Asked at every build, written only when it changed.
add_custom_target(tilestride_git_revision
  COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR} -D output=${generated}/git_revision.cpp
    -P ${PROJECT_SOURCE_DIR}/cmake/git_revision.cmake
  BYPRODUCTS ${generated}/git_revision.cpp
  COMMENT "Asking git for the revision")
