// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a stencil lies over teams: each makes a chunk of the output. What the kernels differ in is where input and
// coefficients are read from.

#include "patterns/stencil/stencil.hpp"

namespace tilestride {

template <class Exec>
auto stencil_policy(Exec const& exec, std::int64_t n, TeamShape const& shape) {
  auto const league = static_cast<int>((n + stencil_chunk - 1) / stencil_chunk);
  using Bounds = Kokkos::LaunchBounds<stencil_threads, stencil_teams>;
  return Kokkos::TeamPolicy<Exec, Bounds>(exec, league, shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// The outputs of a chunk that begins at `first`.
KOKKOS_INLINE_FUNCTION int outputs_of_chunk(std::int64_t first, std::int64_t n) {
  return n - first < stencil_chunk ? static_cast<int>(n - first) : stencil_chunk;
}

/// What one thread makes of a chunk: out[i] = Σ_k coefficient(i mod distinct, k)·input(i + k) for i < count, all
/// counted from the chunk's first element. `distinct` is a power of two that divides a chunk.
///
/// On a device a thread's outputs lie a team's width apart, so that neighbours read neighbours, and 32 rows divide that
/// width, so that all outputs of a thread take the same row: each coefficient is read once for four. On a host 32
/// outputs are made side by side in vector lanes, for which the coefficients are laid out lane by lane beforehand.
template <int Radius, class Exec, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_chunk(int thread, int count, int distinct, T* out, Input const& input,
                                       Coefficient const& coefficient) {
  constexpr int width = 2 * Radius + 1;
  int done = 0;
  if constexpr (is_host<Exec>) {
    T of_lane[width][stencil_rows];
    for (int k = 0; k < width; ++k) {
      for (int lane = 0; lane < stencil_rows; ++lane) of_lane[k][lane] = coefficient(lane & (distinct - 1), k);
    }
    for (; done + stencil_rows <= count; done += stencil_rows) {
      T sum[stencil_rows] = {};
      for (int k = 0; k < width; ++k) {
        for (int lane = 0; lane < stencil_rows; ++lane) sum[lane] += of_lane[k][lane] * input(done + lane + k);
      }
      for (int lane = 0; lane < stencil_rows; ++lane) out[done + lane] = sum[lane];
    }
  } else if (count == stencil_chunk) {
    T sum[stencil_points] = {};
    for (int k = 0; k < width; ++k) {
      T const c = coefficient(thread & (distinct - 1), k);
      for (int p = 0; p < stencil_points; ++p) sum[p] += c * input(thread + p * stencil_threads + k);
    }
    for (int p = 0; p < stencil_points; ++p) out[thread + p * stencil_threads] = sum[p];
    return;
  }
  // What the chunk at the end of the array has left: one output after the other.
  constexpr int step = is_host<Exec> ? 1 : stencil_threads;
  for (int i = done + thread; i < count; i += step) {
    T sum = 0;
    for (int k = 0; k < width; ++k) sum += coefficient(i & (distinct - 1), k) * input(i + k);
    out[i] = sum;
  }
}

}  // namespace tilestride
