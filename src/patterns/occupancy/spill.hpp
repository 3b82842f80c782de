// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernel of unrolled.hpp under bounds that promise two teams of 1024 on a multiprocessor: 65536 registers among
// 2048 threads are 32 for each. What does not fit is spilled to local memory and fetched back, step
// after step. All threads that a
// multiprocessor can hold are resident, and it does not pay.

#include "patterns/occupancy/unrolled.hpp"

namespace tilestride {

struct Spill : Unrolled {
  static constexpr char const* label = "tilestride::occupancy::spill";
  static constexpr bool on_hosts = false;

  template <class Exec>
  static auto policy(Exec const& exec, int league, int threads) {
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 2>>(exec, league, threads);
  }
};

}  // namespace tilestride
