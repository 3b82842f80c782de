// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One element a thread, through team scratch: Kokkos' word for shared memory whose size is known at the launch.

#include "patterns/staged_copy/staged_copy.hpp"

namespace tilestride {

struct ThroughScratch {
  template <class Exec, class T>
  using Scratch = Kokkos::View<T*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  template <class Exec, class T>
  static TeamShape shape(StagedCopy<Exec, T> const& p) {
    return team_shape<Exec>(p.blocks.size, 1, Scratch<Exec, T>::shmem_size(static_cast<std::size_t>(p.blocks.size)));
  }

  template <class Exec, class T>
  static void run(StagedCopy<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();
    Blocks const blocks = p.blocks;
    auto const policy = block_policy(p.exec, blocks, shape(p));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::staged_copy::scratch", policy, KOKKOS_LAMBDA(Member const& team) {
          Scratch<Exec, T> const scratch(team.team_scratch(0), static_cast<std::size_t>(blocks.size));
          std::int64_t const first = blocks.first(team.league_rank());
          int const count = blocks.filled(team.league_rank());
          each_thread<Exec>(team, count, [&](int t) { scratch(t) = in[first + t]; });
          team.team_barrier();
          each_thread<Exec>(team, count, [&](int t) { out[first + t] = scratch(t) + 1; });
        });
  }
};

}  // namespace tilestride
