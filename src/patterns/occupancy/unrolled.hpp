// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Every index is known to the compiler, so that the values can stay in registers. It may take as many as a thread can
// have (255), and a team that then needs more than a multiprocessor has cannot be launched.

#include "patterns/occupancy/problem.hpp"

namespace tilestride::occupancy {

template <int Live, class Exec, class T>
struct InRegisters {
  Kokkos::View<T const*, Exec> in;
  Kokkos::View<T*, Exec> out;
  int steps;
  T scale, add;
  int hop;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    T x[Live];
    for (int i = 0; i < Live; ++i) x[i] = in(item) + static_cast<T>(i);
    for (int s = 0; s < steps; s += steps_together) take(x, std::make_integer_sequence<int, steps_together>());
    T sum = 0;
    for (int i = 0; i < Live; ++i) sum += x[i];
    out(item) = sum;
  }

 private:
  /// So many steps, one after the other in the code: as a loop, compilers would unroll it or not.
  template <int... Step>
  KOKKOS_FUNCTION void take(T (&x)[Live], std::integer_sequence<int, Step...>) const {
    (take_one<Step>(x), ...);
  }
  template <int>
  KOKKOS_FUNCTION void take_one(T (&x)[Live]) const {
    for (int i = 0; i < Live; ++i) x[i] = Kokkos::fma(x[i], scale, add);
  }
};

struct Unrolled {
  static constexpr char const* label = "tilestride::occupancy::unrolled";
  static constexpr bool on_hosts = true;

  template <int Live, class Exec, class T>
  using Body = InRegisters<Live, Exec, T>;

  template <class Exec>
  static auto policy(Exec const& exec, int league, int threads) {
    return Kokkos::TeamPolicy<Exec>(exec, league, threads);
  }
};

}  // namespace tilestride::occupancy
