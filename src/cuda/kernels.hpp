// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace tilestride::cuda {

/// What ptxas said of one kernel when this program was built. The table of them is generated from the compiler's output
/// (cmake/keep_ptxas.sh, cmake/ptxas_table.cmake) and linked into each program.
struct PtxasFacts {
  std::string_view function;  ///< mangled
  long spill_stores = -1;     ///< bytes of a thread
  long spill_loads = -1;
};

/// Null for kernels that were built elsewhere, a library's say.
PtxasFacts const* find_ptxas(std::string_view function);

}  // namespace tilestride::cuda
