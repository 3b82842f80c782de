// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tilestride {

/// What a native or library product A·Aᵀ works on: both matrices are row-major and contiguous.
struct AatArguments {
  void const* a;  ///< M x K
  void* c;        ///< M x M
  std::int64_t m, k;
};

}  // namespace tilestride
