// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Through a team's scratch, into which the team copies the links: a link is the number of a line, since an address in
// scratch is not available in Kokkos. So the line's place is computed between two loads. One thread follows.

#include "patterns/latency/problem.hpp"

namespace tilestride::latency {

struct Scratch {
  static constexpr int team_threads = 256;  ///< copy; one of them then follows

  template <class Exec>
  using Links = Kokkos::View<std::uint32_t*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  template <class Exec, class T>
  static TeamShape shape(Latency<Exec, T> const& p) {
    return team_shape<Exec>(team_threads, 1,
                            Links<Exec>::shmem_size(static_cast<std::size_t>(p.count * words_of_line)));
  }

  template <class Exec, class T>
  static void run(Latency<Exec, T> const& p) {
    auto const lines = p.lines;
    auto const chase = p.chase;
    auto const count = static_cast<std::uint32_t>(p.count);
    std::int64_t const steps = chase_steps(p.count);
    auto const [threads, lanes, scratch] = shape(p);
    using Policy = Kokkos::TeamPolicy<Exec>;
    Kokkos::parallel_for(
        "tilestride::latency::scratch", Policy(p.exec, 1, threads, lanes).set_scratch_size(0, Kokkos::PerTeam(scratch)),
        KOKKOS_LAMBDA(typename Policy::member_type const& team) {
          Links<Exec> const links(team.team_scratch(0), count * words_of_line);
          for (auto i = static_cast<std::uint32_t>(team.team_rank()); i < count; i += team.team_size())
            links(i * words_of_line) = lines[i].next_line * words_of_line;
          team.team_barrier();
          if (team.team_rank() != 0) return;
          std::uint32_t link = chase().line * words_of_line;
          for (std::int64_t s = 0; s < steps; ++s) link = links(link);
          chase().line = link / words_of_line;
          chase().steps += steps;
        });
  }
};

}  // namespace tilestride::latency
