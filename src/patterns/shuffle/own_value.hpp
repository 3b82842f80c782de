// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace tilestride {

/// The value that a lane brings to every step: from -12 to 19, in eighths for reals.
template <class T>
KOKKOS_INLINE_FUNCTION T own_value(int lane) {
  return static_cast<T>(lane - 12) * (std::is_integral_v<T> ? T(1) : T(0.125));
}

}  // namespace tilestride
