// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native or library product works on: C = A·B, all row-major and contiguous.
struct MatmulArguments {
  void const* a;  ///< M x K
  void const* b;  ///< K x N
  void* c;        ///< M x N
  std::int64_t m, n, k;
};

}  // namespace tilestride
