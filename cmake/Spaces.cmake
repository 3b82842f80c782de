# SPDX-License-Identifier: BSD-3-Clause
# Chooses the execution spaces of the program among those of its Kokkos, and writes generated/spaces_built.hpp.

set(TILESTRIDE_SPACES "" CACHE STRING
  "Execution spaces to compile for, of those that Kokkos has, e.g. Serial;OpenMP;Cuda. Empty: all; each takes its time")
set(missing "${TILESTRIDE_SPACES}")
set(TILESTRIDE_SPACE_TYPES "")
set(TILESTRIDE_SPACE_NAMES "")
set(TILESTRIDE_BACKEND_INCLUDES "")
set(TILESTRIDE_HAS_HOST_SPACE OFF)
# Kokkos_DEVICES holds upper-case names. The order is that in which the default becomes more capable.
foreach(type Serial Threads OpenMP Cuda HIP SYCL)
  string(TOUPPER ${type} device)
  string(TOLOWER ${type} name)
  if(device IN_LIST Kokkos_DEVICES AND (NOT TILESTRIDE_SPACES OR type IN_LIST TILESTRIDE_SPACES))
    list(REMOVE_ITEM missing ${type})
    if(EXISTS ${PROJECT_SOURCE_DIR}/src/portable/backends/${name}.hpp)
      string(APPEND TILESTRIDE_BACKEND_INCLUDES "#include \"portable/backends/${name}.hpp\"\n")
    endif()
    list(APPEND TILESTRIDE_SPACE_TYPES "Kokkos::${type}")
    list(APPEND TILESTRIDE_SPACE_NAMES "\"${name}\"")
    set(TILESTRIDE_DEFAULT_SPACE ${name})
    if(type MATCHES "^(Serial|Threads|OpenMP)$")
      set(TILESTRIDE_HAS_HOST_SPACE ON)
    endif()
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "TILESTRIDE_SPACES: the Kokkos in ${Kokkos_DIR} has no ${missing}; it has ${Kokkos_DEVICES}. "
    "`scripts/get_kokkos.sh cpu|cuda|hip` finds or builds one that has")
endif()
list(JOIN TILESTRIDE_SPACE_TYPES ", " TILESTRIDE_SPACE_TYPES)
list(JOIN TILESTRIDE_SPACE_NAMES ", " TILESTRIDE_SPACE_NAMES)
configure_file(cmake/spaces.hpp.in ${CMAKE_CURRENT_BINARY_DIR}/generated/spaces_built.hpp @ONLY)
