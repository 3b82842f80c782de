// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A league of teams. On a host a team is one thread, which does the work of all.

#include "patterns/common/scratch.hpp"
#include "patterns/launch/problem.hpp"

namespace tilestride::launch {

struct Teams {
  template <class Exec>
  struct Body {
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

    Op op;
    Word const* in;
    Word *out, *last;
    int team;

    KOKKOS_FUNCTION void operator()(Member const& member) const {
      std::int64_t const first = std::int64_t(member.league_rank()) * team;
      if (op == Op::load)
        each(member, [&](int thread) { take(first + thread); });
      else if (op == Op::copy)
        each(member, [&](int thread) { out[first + thread] = in[first + thread]; });
      else if (op == Op::exchange)
        exchange(member, first);
      if (member.team_rank() == 0 && member.league_rank() == member.league_size() - 1) *last = member.league_rank();
    }

    KOKKOS_FUNCTION void take(std::int64_t i) const {
      if (Word const x = in[i]; x != 0) out[i] = x;
    }

    KOKKOS_FUNCTION void exchange(Member const& member, std::int64_t first) const {
      Word* const tile = scratch_of<Word>(member, team);
      each(member, [&](int thread) { tile[thread] = in[first + thread]; });
      member.team_barrier();
      each(member, [&](int thread) { out[first + thread] = tile[thread + 1 < team ? thread + 1 : 0]; });
    }

    template <class Work>
    KOKKOS_FUNCTION void each(Member const& member, Work const& work) const {
      if constexpr (is_host<Exec>) {
        for (int thread = 0; thread < team; ++thread) work(thread);
      } else {
        work(member.team_rank());
      }
    }
  };

  template <class Exec, class T>
  static TeamShape shape(Launch<Exec, T> const& p) {
    return team_shape<Exec>(p.team, 1, p.op == Op::exchange ? static_cast<std::size_t>(p.team) * sizeof(Word) : 0);
  }

  template <class Exec, class T>
  static Kokkos::TeamPolicy<Exec> policy(Launch<Exec, T> const& p) {
    TeamShape const team = shape(p);
    return Kokkos::TeamPolicy<Exec>(p.exec, static_cast<int>(p.teams), team.threads)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team.scratch)));
  }

  template <class Exec, class T>
  static void run(Launch<Exec, T> const& p) {
    Kokkos::parallel_for("tilestride::launch::teams", policy(p),
                         Body<Exec>{p.op, p.in.data(), p.out.data(), p.last.data(), p.team});
  }
};

}  // namespace tilestride::launch
