// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Through team scratch: Kokkos' name for shared memory whose size is given at the launch.

#include "patterns/common/scratch.hpp"
#include "patterns/staged_copy/problem.hpp"

namespace tilestride::staged_copy {

struct ThroughScratch {
  template <class Exec, class T>
  static TeamShape shape(StagedCopy<Exec, T> const& p) {
    return team_shape<Exec>(p.blocks.team, 1, static_cast<std::size_t>(p.blocks.size()) * sizeof(T));
  }

  template <class Exec, class T>
  static void run(StagedCopy<Exec, T> const& p) {
    with_per_thread<Exec>(p.blocks.per_thread, [&](auto per_thread) { launch<decltype(per_thread)::value>(p); });
  }

  template <int PerThread, class Exec, class T>
  static void launch(StagedCopy<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();
    Blocks const blocks = p.blocks;
    bool const marked = p.marked;
    auto const policy = block_policy(p.exec, blocks, shape(p));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::staged_copy::scratch", policy, KOKKOS_LAMBDA(Member const& team) {
          T* const scratch = scratch_of<T>(team, blocks.size());
          move_block<PerThread, Exec>(
              team, blocks, [&](Place const& at) { return in[at.in_array()]; },
              [&](Place const& at, T x) { scratch[at.in_block()] = x; });
          team.team_barrier();
          if (marked) {
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, blocks.filled(team.league_rank())),
                                 [&](int place) { scratch[place] *= mark_of<T>(place); });
            team.team_barrier();
          }
          move_block<PerThread, Exec>(
              team, blocks, [&](Place const& at) { return scratch[at.in_block()] + 1; },
              [&](Place const& at, T x) { out[at.in_array()] = x; });
        });
  }
};

}  // namespace tilestride::staged_copy
