// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How Kokkos launches a walk and copies words. For table.cpp alone: nvcc calls the host version of a KOKKOS_LAMBDA
// through a pointer that is local to each source.

#include "patterns/zero_copy/problem.hpp"

namespace tilestride::zero_copy {

struct ByKokkos {
  /// What does one thing after the other: an instance of the space.
  template <class Exec>
  static Exec const& lane(Exec const& exec) {
    return exec;
  }

  /// How a kernel accesses pinned memory: SharedHostPinnedSpace is accessible from both sides.
  template <class View>
  static Word* mapped_address(View const& words) {
    return words.data();
  }

  /// In teams, since the blocks of a RangePolicy have 128 threads.
  template <class Exec, class Body>
  static void launch(Exec const& exec, Body const& body) {
    using Policy = Kokkos::TeamPolicy<Exec, typename Traits<Exec>::template Bounds<walk_threads, walk_resident>>;
    Kokkos::parallel_for(
        "tilestride::zero_copy", Policy(exec, body.blocks, walk_threads),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) { body(team.league_rank(), team.team_rank()); });
  }

  /// Words [begin, end). On an instance deep_copy only enqueues; without one it would wait for the device.
  template <class Exec>
  static void copy_in(ZeroCopy<Exec> const& p, Exec const& exec, std::int64_t begin, std::int64_t end) {
    std::pair const part(begin, end);
    Kokkos::deep_copy(exec, Kokkos::subview(p.copy, part), Kokkos::subview(p.host, part));
  }
};

}  // namespace tilestride::zero_copy
