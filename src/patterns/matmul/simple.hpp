// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Each element from global memory alone: a row of A, the same for a whole warp, and a column of B, contiguous across
// it.

#include "patterns/matmul/tile.hpp"

namespace tilestride {

struct Simple {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(0);
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
        "tilestride::matmul::simple", policy, KOKKOS_LAMBDA(Member const& team) {
          Share<Tile, Exec> const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank()) + own.row;
          std::int64_t const col = tiling.first_column(team.league_rank()) + own.column;
          int const rows = inside(row, own.edge, tiling.rows);
          int const cols = inside(col, own.edge, tiling.columns);
          if (rows == 0 || cols == 0) return;

          T sum[own.edge][own.edge] = {};
          for (std::int64_t k = 0; k < depth; ++k) {
            for (int i = 0; i < (own.edge == 1 ? 1 : rows); ++i) {
              for (int j = 0; j < (own.edge == 1 ? 1 : cols); ++j) sum[i][j] += a(row + i, k) * b(k, col + j);
            }
          }
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) c(row + i, col + j) = sum[i][j];
          }
        });
  }
};

}  // namespace tilestride
