// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// CUDA, compute capability 7.0, 8.0, 9.0 (CUDA C++ Programming Guide, technical specifications per compute capability).

#include "portable/traits.hpp"

namespace tilestride {

template <>
struct Traits<Kokkos::Cuda> {
  static constexpr int warp = 32;
  static constexpr int registers = 65536;
  static constexpr int threads = 2048;
  static constexpr int teams = 32;
  static constexpr int scratch = 228 * 1024;  ///< of 9.0
  static constexpr int schedulers = 4;
  static constexpr int sector = 32;

  /// The second argument of __launch_bounds__ is resident blocks.
  template <int Threads, int Teams>
  using Bounds = Kokkos::LaunchBounds<Threads, Teams>;
};

}  // namespace tilestride
