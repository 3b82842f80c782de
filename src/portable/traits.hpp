// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What kernels must know of an execution space when they are compiled. What is known only at run time is in
// model/hardware.hpp.

#include <Kokkos_Core.hpp>

namespace tilestride {

/// Of hosts, and of devices that src/portable/backends/ has no file for: nothing runs in step, and nothing is known to
/// limit how many teams are resident.
template <class Exec>
struct Traits {
  static constexpr int warp = 1;        ///< threads that run in step
  static constexpr int registers = 0;   ///< of 32 bits, of a multiprocessor; 0: not known
  static constexpr int threads = 0;     ///< the most that are resident on a multiprocessor
  static constexpr int teams = 0;       ///< likewise
  static constexpr int scratch = 0;     ///< bytes of team scratch of a multiprocessor
  static constexpr int schedulers = 1;  ///< of a multiprocessor
  static constexpr int sector = 64;     ///< bytes: the least of global memory that is written without being read first

  /// Asks the compiler for so few registers that `Teams` teams of `Threads` threads are resident on a multiprocessor.
  template <int Threads, int Teams>
  using Bounds = Kokkos::LaunchBounds<Threads, Teams>;
};

}  // namespace tilestride
