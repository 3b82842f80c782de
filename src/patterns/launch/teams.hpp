// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A league of teams. On a host a team is one thread, which does the work of all.

#include "patterns/launch/problem.hpp"

namespace tilestride::launch {

struct Teams {
  template <class Exec>
  struct Body {
    Word const* in;  ///< null: the threads load nothing
    Word *out, *last;
    int team;

    KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Exec>::member_type const& member) const {
      std::int64_t const first = std::int64_t(member.league_rank()) * team;
      if constexpr (is_host<Exec>) {
        for (int thread = 0; thread < team && in != nullptr; ++thread) take(first + thread);
      } else if (in != nullptr) {
        take(first + member.team_rank());
      }
      if (member.team_rank() == 0 && member.league_rank() == member.league_size() - 1) *last = member.league_rank();
    }

    KOKKOS_FUNCTION void take(std::int64_t i) const {
      if (Word const x = in[i]; x != 0) out[i] = x;
    }
  };

  template <class Exec, class T>
  static TeamShape shape(Launch<Exec, T> const& p) {
    return team_shape<Exec>(p.team, 1, 0);
  }

  template <class Exec, class T>
  static void run(Launch<Exec, T> const& p) {
    Kokkos::parallel_for("tilestride::launch::teams",
                         Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(p.teams), shape(p).threads),
                         Body<Exec>{p.loaded(), p.out.data(), p.last.data(), p.team});
  }
};

}  // namespace tilestride::launch
