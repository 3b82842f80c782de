// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a stencil lies over teams: each makes a chunk of the output. What the kernels differ in is where input and
// coefficients are read from.

#include "patterns/stencil/stencil.hpp"

namespace tilestride {

template <class Exec>
auto stencil_policy(Exec const& exec, std::int64_t n, TeamShape const& shape) {
  auto const league = static_cast<int>((n + stencil_chunk - 1) / stencil_chunk);
  return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<stencil_threads>>(exec, league, shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// The part of a chunk that one thread makes: out[i] = Σ_k coefficient(i mod distinct, k)·input(i + k).
///
/// On a device the thread's elements lie a team's width apart, so that neighbours read neighbours, and, 32 rows
/// dividing that width, all of them take the same row: each coefficient is read once. Loads beyond the end are turned
/// to the last element, whose neighbourhood is there. `distinct` is a power of two.
template <int Radius, class Exec, class T, class Input, class Coefficient>
KOKKOS_INLINE_FUNCTION void make_chunk(int thread, std::int64_t first, std::int64_t n, int distinct, T* out,
                                       Input const& input, Coefficient const& coefficient) {
  if constexpr (is_host<Exec>) {
    std::int64_t const end = first + stencil_chunk < n ? first + stencil_chunk : n;
    for (std::int64_t i = first; i < end; ++i) {
      int const row = static_cast<int>(i) & (distinct - 1);
      T sum = 0;
      for (int k = 0; k <= 2 * Radius; ++k) sum += coefficient(row, k) * input(i + k);
      out[i] = sum;
    }
  } else {
    int const row = thread & (distinct - 1);
    std::int64_t const own = first + thread;
    std::int64_t at[stencil_points];
    T sum[stencil_points] = {};
    for (int p = 0; p < stencil_points; ++p) at[p] = own + p * stencil_threads < n ? own + p * stencil_threads : n - 1;
    for (int k = 0; k <= 2 * Radius; ++k) {
      T const c = coefficient(row, k);
      for (int p = 0; p < stencil_points; ++p) sum[p] += c * input(at[p] + k);
    }
    for (int p = 0; p < stencil_points; ++p) {
      if (own + p * stencil_threads < n) out[own + p * stencil_threads] = sum[p];
    }
  }
}

}  // namespace tilestride
