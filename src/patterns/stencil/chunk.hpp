// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a stencil is mapped to teams: each team computes a chunk of the output. The kernels differ only in where input
// and coefficients are read from.

#include "patterns/stencil/problem.hpp"

namespace tilestride::stencil {

template <class Exec>
auto chunk_policy(Exec const& exec, std::int64_t n, TeamShape const& shape) {
  auto const league = static_cast<int>((n + chunk - 1) / chunk);
  using Bounds = typename Traits<Exec>::template Bounds<team_threads, resident_teams(Traits<Exec>::threads)>;
  return Kokkos::TeamPolicy<Exec, Bounds>(exec, league, shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// The outputs of a chunk that begins at `first`.
KOKKOS_INLINE_FUNCTION int outputs_of_chunk(std::int64_t first, std::int64_t n) {
  return n - first < chunk ? static_cast<int>(n - first) : chunk;
}

// What one thread makes of a chunk: out[i] = Σ_k coefficient(i mod distinct, k)·input(i + k) for i < count, all counted
// from the chunk's first element. `distinct` is a power of two that divides a chunk.

/// The outputs first, first + step, … one after the other: of the chunk at the end of the array.
template <int Radius, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_one_by_one(int first, int step, int count, int distinct, T* out, Input const& input,
                                            Coefficient const& coefficient) {
  for (int i = first; i < count; i += step) {
    T sum = 0;
    for (int k = 0; k <= 2 * Radius; ++k) sum += coefficient(i & (distinct - 1), k) * input(i + k);
    out[i] = sum;
  }
}

/// On a device a thread's outputs lie a team's width apart, so that neighbours read neighbours, and the rows divide
/// that width, so that all outputs of a thread take the same row: each coefficient is read once for four.
template <int Radius, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_chunk_on_device(int thread, int count, int distinct, T* out, Input const& input,
                                                 Coefficient const& coefficient) {
  if (count == chunk) {
    T sum[points] = {};
    for (int k = 0; k <= 2 * Radius; ++k) {
      T const c = coefficient(thread & (distinct - 1), k);
      for (int p = 0; p < points; ++p) sum[p] += c * input(thread + p * team_threads + k);
    }
    for (int p = 0; p < points; ++p) out[thread + p * team_threads] = sum[p];
    return;
  }
  make_one_by_one<Radius>(thread, team_threads, count, distinct, out, input, coefficient);
}

/// On a host as many outputs as there can be rows are made side by side in vector lanes, for which the coefficients are
/// laid out lane by lane beforehand.
template <int Radius, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_chunk_on_host(int count, int distinct, T* out, Input const& input,
                                               Coefficient const& coefficient) {
  constexpr int width = 2 * Radius + 1, lanes = most_rows;
  T of_lane[width][lanes];
  for (int k = 0; k < width; ++k) {
    for (int lane = 0; lane < lanes; ++lane) of_lane[k][lane] = coefficient(lane & (distinct - 1), k);
  }
  int done = 0;
  for (; done + lanes <= count; done += lanes) {
    T sum[lanes] = {};
    for (int k = 0; k < width; ++k) {
      for (int lane = 0; lane < lanes; ++lane) sum[lane] += of_lane[k][lane] * input(done + lane + k);
    }
    for (int lane = 0; lane < lanes; ++lane) out[done + lane] = sum[lane];
  }
  make_one_by_one<Radius>(done, 1, count, distinct, out, input, coefficient);
}

template <int Radius, class Exec, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_chunk(int thread, int count, int distinct, T* out, Input const& input,
                                       Coefficient const& coefficient) {
  if constexpr (is_host<Exec>)
    make_chunk_on_host<Radius>(count, distinct, out, input, coefficient);
  else
    make_chunk_on_device<Radius>(thread, count, distinct, out, input, coefficient);
}

}  // namespace tilestride::stencil
