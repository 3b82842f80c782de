// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One element per thread, and the tree's partial sums in global memory: the starting point, without scratch. Caches
// take most of the traffic, but each step of the tree waits for them.

#include "patterns/reduce/tree.hpp"

namespace tilestride::reduce {

struct InGlobal {
  template <class Exec, class T>
  static TeamShape shape(Reduce<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, 0);
  }

  template <class T>
  struct Tree {
    T* work;
    template <class Member>
    KOKKOS_FUNCTION T* operator()(Member const& team) const {
      return work + static_cast<std::int64_t>(team.league_rank()) * team_threads;
    }
  };

  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    by_levels<T>(p.in.data(), p.n, p.partials.data(), p.sum.data(), team_threads, any_number,
                 [&](T const* from, std::int64_t n, T* to, std::int64_t teams) {
                   tree_level<Exec, Quarters>("tilestride::reduce::global",
                                              team_policy<all_resident<Exec>>(p.exec, teams, shape(p)), from, n, to,
                                              Tree<T>{p.work.data()});
                 });
  }
};

}  // namespace tilestride::reduce
