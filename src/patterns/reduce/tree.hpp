// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A team's sum as a tree: a quarter of the threads add the other three quarters' values to theirs, then a quarter of
// those, until one is left. The threads that work stay side by side, so that whole warps fall idle and no two lanes
// share a bank. Halves instead of quarters are the tutorials' tree (halving.hpp) and twice the barriers; Kokkos'
// barrier tests the team's shape at run time, and on an H200 eight of them take a tenth of the time of a team with one
// element per thread.

#include "patterns/common/scratch.hpp"
#include "patterns/reduce/problem.hpp"

namespace tilestride::reduce {

/// body(t) for t in [0, count), no more than one per thread of a device: with a constant count no loop is left there.
template <class Exec, class Member, class Body>
KOKKOS_INLINE_FUNCTION void for_each_of(Member const& team, int count, Body const& body) {
  constexpr int threads = team_threads_on<Exec>;
  for (int round = 0; round < (count + threads - 1) / threads; ++round) {
    int const t = team.team_rank() + round * threads;
    if (t < count) body(t);
  }
}

/// sums[0] becomes the sum of team_threads values, a power of four, known to the first thread. Each step names its
/// quarter, since a compiler does not unroll a loop that holds Kokkos' barrier.
template <class Exec, int Quarter = team_threads / 4, class Member, class T>
KOKKOS_INLINE_FUNCTION void sum_tree(Member const& team, T* sums) {
  team.team_barrier();
  for_each_of<Exec>(team, Quarter, [&](int t) {
    sums[t] = (sums[t] + sums[t + Quarter]) + (sums[t + 2 * Quarter] + sums[t + 3 * Quarter]);
  });
  if constexpr (Quarter > 1) sum_tree<Exec, Quarter / 4>(team, sums);
}

/// Quarters as a kind of tree.
struct Quarters {
  static constexpr char const* label = "tilestride::reduce::scratch";

  template <class Exec, class Member, class T>
  KOKKOS_FUNCTION static void sum(Member const& team, T* sums) {
    sum_tree<Exec>(team, sums);
  }
};

constexpr std::int64_t any_number = INT64_MAX;  ///< of teams: as many as there are chunks

/// One level of the sum with one element per thread, whose tree is of a kind and lives where tree(team) says.
template <class Exec, class Kind, class T, class Policy, class Tree>
void tree_level(char const* label, Policy const& policy, T const* from, std::int64_t n, T* to, Tree const& tree) {
  using Member = typename Policy::member_type;
  Kokkos::parallel_for(
      label, policy, KOKKOS_LAMBDA(Member const& team) {
        T* const sums = tree(team);
        std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * team_threads;
        for_each_of<Exec>(team, team_threads, [&](int t) { sums[t] = first + t < n ? from[first + t] : T(0); });
        Kind::template sum<Exec>(team, sums);
        if (team.team_rank() == 0) to[team.league_rank()] = sums[0];
      });
}

}  // namespace tilestride::reduce
