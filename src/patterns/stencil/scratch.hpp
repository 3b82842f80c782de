// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The team's input with its halo, and all coefficients, are brought into scratch first. A row of coefficients has an
// odd number of them, so that lanes in different rows are in different banks without padding.

#include "patterns/common/scratch.hpp"
#include "patterns/stencil/chunk.hpp"

namespace tilestride::stencil {

struct Scratch {
  template <class Exec, class T>
  static TeamShape shape(Stencil<Exec, T> const& p) {
    int const coefficients = p.distinct * (2 * p.radius + 1);
    return team_shape<Exec>(team_threads, 1, (staged<Exec>(p.radius) + coefficients) * sizeof(T));
  }

  template <class Exec, class T>
  static void run(Stencil<Exec, T> const& p) {
    with_int(Radii{}, p.radius, [&](auto radius) { launch<decltype(radius)::value>(p); });
  }

  template <int Radius, class Exec, class T>
  static void launch(Stencil<Exec, T> const& p) {
    T const* const in = p.in.data();
    T const* const coefficients = p.coefficients.data();
    T* const out = p.out.data();
    std::int64_t const n = p.n;
    int const distinct = p.distinct;
    auto const policy = chunk_policy(p.exec, n, shape(p));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::stencil::scratch", policy, KOKKOS_LAMBDA(Member const& team) {
          constexpr int width = 2 * Radius + 1;
          T* const tile = scratch_of<T>(team, staged<Exec>(Radius));
          T* const row_by_row = scratch_of<T>(team, distinct * width);
          std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * chunk;
          for (int e = team.team_rank(); e < distinct * width; e += team.team_size()) row_by_row[e] = coefficients[e];
          stage<Radius, Exec>(team.team_rank(), in + first, outputs_of_chunk(first, n) + 2 * Radius, tile);
          team.team_barrier();
          make_chunk<Radius, Exec>(
              team.team_rank(), outputs_of_chunk(first, n), distinct, out + first, [&](int i) { return tile[i]; },
              [&](int row, int k) { return row_by_row[row * width + k]; });
        });
  }

  /// Loads of each thread of a team on a device.
  KOKKOS_INLINE_FUNCTION static constexpr int rounds(int radius) {
    return (chunk + 2 * radius + team_threads - 1) / team_threads;
  }

  /// Elements of the team's input in scratch, on a device with those that no output takes: a thread stores as often as
  /// the others, without a branch.
  template <class Exec>
  KOKKOS_INLINE_FUNCTION static constexpr int staged(int radius) {
    return is_host<Exec> ? chunk + 2 * radius : rounds(radius) * team_threads;
  }

  /// tile[e] = from[e] for e < count. A thread of a device has all its loads in flight before it stores.
  template <int Radius, class Exec, class T>
  KOKKOS_INLINE_FUNCTION static void stage(int thread, T const* from, int count, T* tile) {
    if constexpr (is_host<Exec>) {
      for (int e = 0; e < count; ++e) tile[e] = from[e];
    } else {
      T held[rounds(Radius)];
      for (int r = 0; r < rounds(Radius); ++r) {
        if (thread + r * team_threads < count) held[r] = from[thread + r * team_threads];
      }
      for (int r = 0; r < rounds(Radius); ++r) tile[thread + r * team_threads] = held[r];
    }
  }
};

}  // namespace tilestride::stencil
