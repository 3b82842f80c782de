// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The step of the recurrence in problem.hpp, for portable kernels and for those in raw CUDA.

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace tilestride::fences {

constexpr int steps = 1 << 15;

KOKKOS_INLINE_FUNCTION std::int32_t next(std::int32_t x, std::int32_t y) {
  return static_cast<std::int32_t>(3u * static_cast<std::uint32_t>(x) + 1u + static_cast<std::uint32_t>(y));
}

}  // namespace tilestride::fences
