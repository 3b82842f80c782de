// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernel of unrolled.hpp under bounds that promise as many teams of 1024 as fill a multiprocessor: of NVIDIA's
// 65536 registers each of 2048 threads gets 32. What does not fit is spilled to local memory and fetched back, step
// after step. All threads that a multiprocessor can hold are resident, and it does not pay.

#include "patterns/occupancy/unrolled.hpp"
#include "portable/traits.hpp"

namespace tilestride::occupancy {

struct Spill : Unrolled {
  static constexpr char const* label = "tilestride::occupancy::spill";
  static constexpr bool on_hosts = false;

  template <class Exec>
  static auto policy(Exec const& exec, int league, int threads) {
    using Bounds = typename Traits<Exec>::template Bounds<1024, Traits<Exec>::threads / 1024>;
    return Kokkos::TeamPolicy<Exec, Bounds>(exec, league, threads);
  }
};

}  // namespace tilestride::occupancy
