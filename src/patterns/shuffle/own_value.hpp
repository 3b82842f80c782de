// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

#include "patterns/shuffle/exchange.hpp"

namespace tilestride::shuffle {

/// The value that a lane of a warp of Lanes brings to every step: from -12 to 19, in eighths for reals.
template <class T, int Lanes>
KOKKOS_INLINE_FUNCTION T own_value(int lane) {
  if constexpr (Lanes > distinct_lanes) lane %= distinct_lanes;
  return static_cast<T>(lane + first_own) * (std::is_integral_v<T> ? T(1) : T(0.125));
}

}  // namespace tilestride::shuffle
