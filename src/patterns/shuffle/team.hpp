// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What Kokkos offers between the vector lanes of a thread: a broadcast (single), a reduction, a scan. None of them
// addresses a lane: a value of one lane alone cannot be expressed, so what a step hands on is the thread's.

#include "patterns/shuffle/problem.hpp"

namespace tilestride::shuffle {

struct TeamExchange {
  template <class Exec, class T>
  static TeamShape shape(Shuffle<Exec, T> const& p) {
    return team_shape<Exec>(Traits<Exec>::warp / p.width, p.width, 0);
  }

  template <class Exec, class T>
  static auto policy(Shuffle<Exec, T> const& p) {
    TeamShape const one_warp = shape(p);
    return Kokkos::TeamPolicy<Exec>(p.exec, 1, one_warp.threads, one_warp.lanes);
  }

  template <class Exec>
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  template <class Exec, class T>
  static void run(Shuffle<Exec, T> const& p) {
    if (p.op == "broadcast") broadcast(p);
    if (p.op == "reduce") reduce(p);
    if (p.op == "scan") scan(p);
  }

  template <class Exec, class T>
  static void broadcast(Shuffle<Exec, T> const& p) {
    auto const out = p.out;
    int const width = p.width;
    Kokkos::parallel_for(
        "tilestride::shuffle::team", policy(p), KOKKOS_LAMBDA(Member<Exec> const& team) {
          int const first = team.team_rank() * width;
          T y = 0;
          for (int step = 0; step < steps; ++step) {
            Kokkos::single(
                Kokkos::PerThread(team), [&](T& x) { x = y + own_value<T, Traits<Exec>::warp>(first); }, y);
          }
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](int rank) { out[first + rank] = y; });
        });
  }

  template <class Exec, class T>
  static void reduce(Shuffle<Exec, T> const& p) {
    auto const out = p.out;
    int const width = p.width;
    Kokkos::parallel_for(
        "tilestride::shuffle::team", policy(p), KOKKOS_LAMBDA(Member<Exec> const& team) {
          int const first = team.team_rank() * width;
          T y = 0;
          for (int step = 0; step < steps; ++step) {
            T total = 0;
            Kokkos::parallel_reduce(
                Kokkos::ThreadVectorRange(team, width),
                [&](int rank, T& sum) {
                  sum += (rank == width - 1 ? y : T(0)) + own_value<T, Traits<Exec>::warp>(first + rank);
                },
                total);
            y = total;
          }
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, width), [&](int rank) { out[first + rank] = y; });
        });
  }

  /// The total is what the last lane got; the prefixes of the last step are the result.
  template <class Exec, class T>
  static void scan(Shuffle<Exec, T> const& p) {
    auto const out = p.out;
    int const width = p.width;
    Kokkos::parallel_for(
        "tilestride::shuffle::team", policy(p), KOKKOS_LAMBDA(Member<Exec> const& team) {
          int const first = team.team_rank() * width;
          T y = 0;
          for (int step = 0; step < steps; ++step) {
            T total = 0;
            Kokkos::parallel_scan(
                Kokkos::ThreadVectorRange(team, width),
                [&](int rank, T& sum, bool is_final) {
                  sum += (rank == width - 1 ? y : T(0)) + own_value<T, Traits<Exec>::warp>(first + rank);
                  if (is_final && step == steps - 1) out[first + rank] = sum;
                },
                total);
            y = total;
          }
        });
  }
};

}  // namespace tilestride::shuffle
