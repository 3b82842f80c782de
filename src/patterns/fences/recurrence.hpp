// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The step of the recurrence in problem.hpp, for portable kernels and for those in raw CUDA.

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tilestride::fences {

constexpr int steps = 1 << 15;

/// Without the shift, several steps would be one of the same form, and clang makes one of them.
KOKKOS_INLINE_FUNCTION std::int32_t next(std::int32_t x, std::int32_t y) {
  auto const bits = static_cast<std::uint32_t>(x);
  return static_cast<std::int32_t>(3u * (bits ^ (bits >> 7)) + 1u + static_cast<std::uint32_t>(y));
}

}  // namespace tilestride::fences
