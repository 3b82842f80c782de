// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// As scratch_unrolled, but Kokkos brings the team's sums together: team_reduce, which on a GPU passes them from
// register to register within a warp.

#include "patterns/reduce/share.hpp"

namespace tilestride::reduce {

struct ByTeam {
  template <class Exec, class T>
  static TeamShape shape(Reduce<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, 0);
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
        "tilestride::reduce::team", policy, KOKKOS_LAMBDA(Member const& team) {
          constexpr int threads = team_threads_on<Exec>;
          std::int64_t const worker = static_cast<std::int64_t>(team.league_rank()) * threads + team.team_rank();
          T sum = sum_of_share<Exec>(from, n, worker, teams * threads);
          team.team_reduce(Kokkos::Sum<T>(sum));
          if (team.team_rank() == 0) to[team.league_rank()] = sum;
        });
  }
};

}  // namespace tilestride::reduce
