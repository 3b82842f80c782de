// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Input and coefficients from global memory, as anything else: the first-level cache turns both into hits.

#include "patterns/stencil/chunk.hpp"

namespace tilestride::stencil {

struct Global {
  template <class Exec, class T>
  static TeamShape shape(Stencil<Exec, T> const&) {
    return team_shape<Exec>(team_threads, 1, 0);
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
        "tilestride::stencil::global", policy, KOKKOS_LAMBDA(Member const& team) {
          std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * chunk;
          make_chunk<Radius, Exec>(
              team.team_rank(), outputs_of_chunk(first, n), distinct, out + first, [&](int i) { return in[first + i]; },
              [&](int row, int k) { return coefficients[row * (2 * Radius + 1) + k]; });
        });
  }
};

}  // namespace tilestride::stencil
