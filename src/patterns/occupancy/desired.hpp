// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernel of unrolled.hpp with no more than half of the threads that a multiprocessor can hold, by Kokkos'
// DesiredOccupancy: it reserves shared memory until no more teams fit, and leaves the rest to the L1 cache.

#include "patterns/occupancy/unrolled.hpp"

namespace tilestride::occupancy {

struct Desired : Unrolled {
  static constexpr char const* label = "tilestride::occupancy::desired";
  static constexpr bool on_hosts = false;

  template <class Exec>
  static auto policy(Exec const& exec, int league, int threads) {
    return Kokkos::Experimental::prefer(Kokkos::TeamPolicy<Exec>(exec, league, threads),
                                        Kokkos::Experimental::DesiredOccupancy(50));
  }
};

}  // namespace tilestride::occupancy
