// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tile of A is staged in scratch, so that each of its elements is loaded once per team, contiguously; B still comes
// from global memory. Every warp reads only rows that it brought itself, but teams have no barrier smaller than their
// own.

#include "patterns/common/product_tiles.hpp"

namespace tilestride::matmul {

/// Over any problem that has a, b and c: aat hands over A for B, seen by columns.
struct Coalesced {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(aligned_tile_size<Tile, T>);
  }

  template <int Tile, class Problem>
  static void run(Problem const& p) {
    using Exec = typename Problem::Exec;
    using T = typename Problem::Element;
    auto const a = p.a;  // (M, K)
    auto const b = p.b;  // (K, N)
    auto const c = p.c;  // (M, N)
    auto const depth = static_cast<std::int64_t>(a.extent(1));
    Tiling<Tile> const tiling{static_cast<std::int64_t>(c.extent(0)), static_cast<std::int64_t>(c.extent(1))};
    auto const policy = product_policy(p.exec, tiling, shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        std::string(Problem::label) + "::coalesced", policy, KOKKOS_LAMBDA(Member const& team) {
          auto const a_tile = aligned_tile<Tile, Exec, T>(team);
          using Own = Share<Tile, Exec>;
          Own const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());
          int const cols = inside(col + own.column, Own::edge, tiling.columns);

          T sum[Own::edge][Own::edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            own.for_each([&](int i, int k) { a_tile(i, k) = zero_outside(a, row + i, k0 + k); });
            team.team_barrier();
            auto const multiply_add = [&](int i, T x, int k) {
              for (int j = 0; j < (Own::edge == 1 ? 1 : cols); ++j) sum[i][j] += x * b(k0 + k, col + own.column + j);
            };
            if (cols > 0 && k0 + Tile <= depth) {
              for (int k = 0; k < Tile; k += Pack<T>::size) {
                for (int i = 0; i < Own::edge; ++i) {
                  Pack<T> const x = pack_at(a_tile, own.row + i, k);
                  for (int s = 0; s < Pack<T>::size; ++s) multiply_add(i, x.v[s], k + s);
                }
              }
            } else if (cols > 0) {
              for (int k = 0; k0 + k < depth; ++k) {
                for (int i = 0; i < Own::edge; ++i) multiply_add(i, a_tile(own.row + i, k), k);
              }
            }
            team.team_barrier();
          }
          store_sums(own, sum, tiling, row, col, c);
        });
  }
};

}  // namespace tilestride::matmul
