// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Each team fills its scratch with what it is to read, once, and reads it there.

#include "patterns/bandwidth/global.hpp"

namespace tilestride::bandwidth {

struct Scratch {
  static constexpr bool through_scratch = true;

  template <class Exec>
  using Staged = Kokkos::View<Pack*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  template <class Exec, class T>
  static TeamShape shape(Bandwidth<Exec, T> const& p) {
    return team_shape<Exec>(team_threads, 1,
                            Staged<Exec>::shmem_size(static_cast<std::size_t>(longest_range(p.reading))));
  }

  template <class Exec, class T>
  static void run(Bandwidth<Exec, T> const& p) {
    Reading const reading = p.reading;
    Pack const* const set = p.set.data();
    std::uint32_t* const out = p.out.data();
    auto const most = static_cast<std::size_t>(longest_range(reading));
    auto policy = Global::Policy<Exec>(p.exec, reading.readers, reading.threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape(p).scratch)));
    Kokkos::parallel_for(
        "tilestride::bandwidth::scratch", policy,
        KOKKOS_LAMBDA(typename Global::Policy<Exec>::member_type const& team) {
          Staged<Exec> const scratch(team.team_scratch(0), most);
          Range const range = range_of(reading, team.league_rank());
          int const thread = team.team_rank();
          for (std::uint32_t i = static_cast<std::uint32_t>(thread); i < range.count;
               i += static_cast<std::uint32_t>(reading.threads))
            scratch(i) = marked(set[range.begin + i], reading.mark);
          team.team_barrier();
          out[team.league_rank() * reading.threads + thread] = sum_of_scratch<Exec>(reading, range, thread, scratch);
        });
  }

  template <class Exec>
  KOKKOS_INLINE_FUNCTION static std::uint32_t sum_of_scratch(Reading const& reading, Range range, int thread,
                                                             Staged<Exec> const& scratch) {
    if constexpr (is_host<Exec>) {
      range.begin = 0;
      return ByVectors<0>::sum_of_range(reading, range, scratch.data());
    } else {
      Pack const* const from = scratch.data();
      return sum_of_share(Share(reading, range, thread), [&](std::uint32_t offset) { return pack_at(from, offset); });
    }
  }
};

}  // namespace tilestride::bandwidth
