# SPDX-License-Identifier: BSD-3-Clause
# The compiler tells registers and spills of a kernel only while it compiles it: what it says is kept beside each object of
# tilestride_patterns and tilestride_tensor and becomes a table in every program that links tilestride_program.
set(launcher ${CMAKE_CURRENT_SOURCE_DIR}/cmake/keep_ptxas.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
set_target_properties(tilestride_patterns PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
set(kernel_objects $<TARGET_OBJECTS:tilestride_patterns>)
if(TARGET tilestride_tensor)
  set_target_properties(tilestride_tensor PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
  list(APPEND kernel_objects $<TARGET_OBJECTS:tilestride_tensor>)
endif()
set(ptxas_table ${CMAKE_CURRENT_BINARY_DIR}/generated/ptxas_table.cpp)
add_custom_command(OUTPUT ${ptxas_table}
  COMMAND ${CMAKE_COMMAND} -D output=${ptxas_table} "-Dobjects=${kernel_objects}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ptxas_table.cmake
  DEPENDS ${kernel_objects} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ptxas_table.cmake
  COMMENT "Gathering what ptxas said of each kernel" VERBATIM)
add_library(tilestride_ptxas OBJECT ${ptxas_table})
target_link_libraries(tilestride_ptxas PRIVATE tilestride_options)
target_include_directories(tilestride_ptxas PRIVATE src)
target_sources(tilestride_program INTERFACE $<TARGET_OBJECTS:tilestride_ptxas>)
