// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Only as many teams as the device holds at once; each thread has several loads of 16 bytes in flight and adds in
// registers, and the tree in scratch comes once, at the end.

#include "patterns/reduce/share.hpp"
#include "patterns/reduce/tree.hpp"

namespace tilestride::reduce {

struct Unrolled {
  template <class Exec, class T>
  static TeamShape shape(Reduce<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, team_threads * sizeof(T));
  }

  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    by_levels<T>(p.in.data(), p.n, p.partials.data(), p.sum.data(), team_chunk<Exec, T>, p.teams,
                 [&](T const* from, std::int64_t n, T* to, std::int64_t teams) { level(p, from, n, to, teams); });
  }

  template <class Exec, class T>
  static void level(Reduce<Exec, T> const& p, T const* from, std::int64_t n, T* to, std::int64_t teams) {
    auto const policy = team_policy<most_resident<Exec>>(p.exec, teams, shape(p));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::reduce::scratch_unrolled", policy, KOKKOS_LAMBDA(Member const& team) {
          constexpr int threads = team_threads_on<Exec>;
          T* const sums = scratch_of<T>(team, team_threads);
          std::int64_t const worker = static_cast<std::int64_t>(team.league_rank()) * threads + team.team_rank();
          sums[team.team_rank()] = sum_of_share<Exec>(from, n, worker, teams * threads);
          if constexpr (threads > 1) sum_tree<Exec>(team, sums);
          if (team.team_rank() == 0) to[team.league_rank()] = sums[0];
        });
  }
};

}  // namespace tilestride::reduce
