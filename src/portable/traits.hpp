// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Properties of an execution space at compile time, for kernels. Those at run time are in model/hardware.hpp.

#include <Kokkos_Core.hpp>

namespace tilestride {

/// For hosts, and for devices without a file in src/portable/backends/: no warps, and no known limits on resident
/// teams.
template <class Exec>
struct Traits {
  static constexpr int warp = 1;        ///< threads that execute together
  static constexpr int registers = 0;   ///< of 32 bits, per multiprocessor; 0: not known
  static constexpr int threads = 0;     ///< maximum resident per multiprocessor
  static constexpr int teams = 0;       ///< likewise
  static constexpr int scratch = 0;     ///< bytes of team scratch per multiprocessor
  static constexpr int schedulers = 1;  ///< per multiprocessor
  static constexpr int sector = 64;     ///< bytes: the smallest write to global memory that needs no read before

  /// Limits the registers so that `Teams` teams of `Threads` threads can be resident on a multiprocessor.
  template <int Threads, int Teams>
  using Bounds = Kokkos::LaunchBounds<Threads, Teams>;
};

}  // namespace tilestride
