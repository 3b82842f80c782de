// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tiles of A and B are both staged in scratch: each element is loaded from global memory once per team, and used Tile
// times. The wavefronts of scratch that a multiply-add needs are then the limit, which blocked kernels lift by holding
// more in registers.

#include "patterns/common/product_tiles.hpp"
#include "patterns/matmul/problem.hpp"

namespace tilestride::matmul {

struct Shared {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(2 * aligned_tile_size<Tile, T>);
  }

  template <int Tile, class Exec, class T>
  static void run(Matmul<Exec, T> const& p) {
    auto const a = p.a;  // (M, K)
    auto const b = p.b;  // (K, N)
    auto const c = p.c;  // (M, N)
    std::int64_t const depth = p.k;
    Tiling<Tile> const tiling{p.m, p.n};
    auto const policy = product_policy(p.exec, tiling, shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::matmul::shared", policy, KOKKOS_LAMBDA(Member const& team) {
          auto const a_tile = aligned_tile<Tile, Exec, T>(team);
          auto const b_tile = aligned_tile<Tile, Exec, T>(team);
          using Own = Share<Tile, Exec>;
          Own const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          T sum[Own::edge][Own::edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            own.for_each([&](int i, int j) {  // both loads are under way before the first store
              T const x = zero_outside(a, row + i, k0 + j);
              T const y = zero_outside(b, k0 + i, col + j);
              a_tile(i, j) = x;
              b_tile(i, j) = y;
            });
            team.team_barrier();
            multiply_tiles(own, a_tile, b_tile, sum);
            team.team_barrier();
          }
          store_sums(own, sum, tiling, row, col, c);
        });
  }
};

}  // namespace tilestride::matmul
