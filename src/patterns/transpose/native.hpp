// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native or library transpose works on; both matrices are row-major and contiguous.
struct TransposeArguments {
  void const* in;  ///< rows x cols
  void* out;       ///< cols x rows
  std::int64_t rows, cols;
};

}  // namespace tilestride
