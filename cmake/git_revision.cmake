# SPDX-License-Identifier: BSD-3-Clause
# cmake -D source=DIR -D output=FILE -P git_revision.cmake
cmake_minimum_required(VERSION 3.25)
set(revision unknown)
execute_process(COMMAND git -C ${source} describe --always --dirty --tags
  OUTPUT_VARIABLE answer RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(status EQUAL 0)
  set(revision ${answer})
endif()
file(CONFIGURE OUTPUT ${output} CONTENT
"#include \"machine/build_info.hpp\"
namespace tilestride {
std::string git_revision() { return \"@revision@\"; }
}  // namespace tilestride
" @ONLY)
