// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// As global, through const views with the trait RandomAccess: they are not written to, so that loads on CUDA may use
// the path of the former texture cache. Since Volta it is one with the first-level cache. In Kokkos 4.7 such views no
// longer use __ldg: these loads are the same as those of global, and native_read_only shows the other kind.

#include "patterns/stencil/chunk.hpp"

namespace tilestride::stencil {

struct ReadOnly {
  template <class Exec, class T>
  using Constants = Kokkos::View<T const*, Exec, Kokkos::MemoryTraits<Kokkos::RandomAccess>>;

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
    Constants<Exec, T> const in = p.in;
    Constants<Exec, T> const coefficients = p.coefficients;
    T* const out = p.out.data();
    std::int64_t const n = p.n;
    int const distinct = p.distinct;
    auto const policy = chunk_policy(p.exec, n, shape(p));
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::stencil::read_only", policy, KOKKOS_LAMBDA(Member const& team) {
          std::int64_t const first = static_cast<std::int64_t>(team.league_rank()) * chunk;
          make_chunk<Radius, Exec>(
              team.team_rank(), outputs_of_chunk(first, n), distinct, out + first, [&](int i) { return in(first + i); },
              [&](int row, int k) { return coefficients(row * (2 * Radius + 1) + k); });
        });
  }
};

}  // namespace tilestride::stencil
