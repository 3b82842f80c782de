// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One element per thread, and the tree in team scratch: global memory is read once. A thread with a single element soon
// waits, and most threads never add anything.

#include "patterns/reduce/tree.hpp"

namespace tilestride::reduce {

template <class Kind>
struct TreeInScratch {
  template <class Exec, class T>
  static TeamShape shape(Reduce<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, team_threads * sizeof(T));
  }

  template <class T>
  struct Tree {
    template <class Member>
    KOKKOS_FUNCTION T* operator()(Member const& team) const {
      return scratch_of<T>(team, team_threads);
    }
  };

  template <class Exec, class T>
  static void run(Reduce<Exec, T> const& p) {
    by_levels<T>(p.in.data(), p.n, p.partials.data(), p.sum.data(), team_threads, any_number,
                 [&](T const* from, std::int64_t n, T* to, std::int64_t teams) {
                   tree_level<Exec, Kind>(Kind::label, team_policy<all_resident<Exec>>(p.exec, teams, shape(p)), from,
                                          n, to, Tree<T>{});
                 });
  }
};

using InScratch = TreeInScratch<Quarters>;

}  // namespace tilestride::reduce
