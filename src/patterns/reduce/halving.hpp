// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tutorials' trees in scratch, one element per thread: each step adds in pairs, so that half of the threads that
// still worked fall idle, with a barrier in between. Twice the steps of tree.hpp's quarters.

#include "patterns/reduce/scratch.hpp"

namespace tilestride::reduce {

/// Neighbours first: the threads that work lie ever further apart, so that every warp stays, with ever fewer lanes.
struct Interleaved {
  static constexpr char const* label = "tilestride::reduce::interleaved";

  template <class Exec, class Member, class T>
  KOKKOS_FUNCTION static void sum(Member const& team, T* sums) {
    for (int step = 1; step < team_threads; step *= 2) {
      team.team_barrier();
      for_each_of<Exec>(team, team_threads, [&](int t) {
        if (t % (2 * step) == 0) sums[t] += sums[t + step];
      });
    }
  }
};

/// The second half onto the first: the threads that work stay side by side, so that whole warps fall idle.
struct Halves {
  static constexpr char const* label = "tilestride::reduce::halving";

  template <class Exec, class Member, class T>
  KOKKOS_FUNCTION static void sum(Member const& team, T* sums) {
    for (int half = team_threads / 2; half > 0; half /= 2) {
      team.team_barrier();
      for_each_of<Exec>(team, team_threads, [&](int t) {
        if (t < half) sums[t] += sums[t + half];
      });
    }
  }
};

}  // namespace tilestride::reduce
