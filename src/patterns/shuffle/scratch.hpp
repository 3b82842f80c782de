// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The threads of a team exchange values through its scratch, with the team's barrier between a store and a load: all
// seven operations, in what every Kokkos back end has. Sums are made of log2(width) exchanges, as with shuffles.

#include <algorithm>
#include <array>

#include "patterns/common/scratch.hpp"
#include "patterns/shuffle/problem.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::shuffle {

enum class Op { broadcast, up, down, rotate, across, reduce, scan };
constexpr std::array<std::string_view, 7> names_of_ops{"broadcast", "up", "down", "rotate", "xor", "reduce", "scan"};

struct ScratchExchange {
  template <class Exec, class T>
  static TeamShape shape(Shuffle<Exec, T> const&) {
    return team_shape<Exec>(Traits<Exec>::warp, 1, 2 * Traits<Exec>::warp * sizeof(T));
  }

  template <class Exec, class T>
  static void run(Shuffle<Exec, T> const& p) {
    auto const op = std::find(names_of_ops.begin(), names_of_ops.end(), p.op) - names_of_ops.begin();
    with_int(std::make_integer_sequence<int, int(names_of_ops.size())>{}, op,
             [&](auto which) { launch<static_cast<Op>(decltype(which)::value)>(p); });
  }

  template <Op op, class Exec, class T>
  static void launch(Shuffle<Exec, T> const& p) {
    TeamShape const one_warp = shape(p);
    auto const policy = Kokkos::TeamPolicy<Exec>(p.exec, 1, one_warp.threads, 1)
                            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(one_warp.scratch)));
    Kokkos::parallel_for("tilestride::shuffle::scratch", policy,
                         AgainAndAgain<op, Exec, T>{p.out.data(), p.width, all_lanes_keep(p.op)});
  }

  /// One thread's view of the exchanges. Two buffers in turn: before a thread writes one, the barrier of the exchange
  /// in between has shown that all have read what it held.
  template <class Member, class T>
  struct Lane {
    Member const& team;
    T *turn, *other;
    int first, rank, width;  ///< of the group

    KOKKOS_FUNCTION T from(T x, int source) {
      turn[first + rank] = x;
      team.team_barrier();
      T const y = turn[first + source];
      T* const used = turn;
      turn = other;
      other = used;
      return y;
    }

    template <Op op>
    KOKKOS_FUNCTION T exchange(T x) {
      if constexpr (op == Op::broadcast) return from(x, 0);
      if constexpr (op == Op::up) return from(x, rank > 0 ? rank - 1 : rank);
      if constexpr (op == Op::down) return from(x, rank < width - 1 ? rank + 1 : rank);
      if constexpr (op == Op::rotate) return from(x, (rank + 1) % width);
      if constexpr (op == Op::across) return from(x, rank ^ (width / 2));
      if constexpr (op == Op::reduce) {
        for (int mask = width / 2; mask > 0; mask /= 2) x += from(x, rank ^ mask);
      }
      if constexpr (op == Op::scan) {
        for (int distance = 1; distance < width; distance *= 2) {
          T const below = from(x, rank >= distance ? rank - distance : rank);
          if (rank >= distance) x += below;
        }
      }
      return x;
    }
  };

  template <Op op, class Exec, class T>
  struct AgainAndAgain {
    T* out;
    int width;
    bool all_keep;

    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    KOKKOS_FUNCTION void operator()(Member const& team) const {
      constexpr int lanes = Traits<Exec>::warp;
      T* const words = scratch_of<T>(team, 2 * lanes);
      int const thread = team.team_rank(), rank = thread % width;
      Lane<Member, T> lane{team, words, words + lanes, thread - rank, rank, width};
      T const keep = all_keep || rank == width - 1 ? T(1) : T(0);
      T const own = own_value<T, lanes>(thread);
      T y = 0;
      for (int step = 0; step < steps; ++step) y = lane.template exchange<op>(keep * y + own);
      out[thread] = y;
    }
  };
};

}  // namespace tilestride::shuffle
