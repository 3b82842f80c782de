// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tiles of A and B are both staged in scratch: each element is loaded from global memory once a team, and used Tile
// times. Two wavefronts of scratch a multiply-add of a warp are then the limit, which blocked kernels lift by holding
// more in registers.

#include "patterns/matmul/tile.hpp"

namespace tilestride {

struct Shared {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(2 * ScratchTile<Tile, Tile, Exec, T>::shmem_size());
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
          ScratchTile<Tile, Tile, Exec, T> const a_tile(team.team_scratch(0));
          ScratchTile<Tile, Tile, Exec, T> const b_tile(team.team_scratch(0));
          Share<Tile, Exec> const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          T sum[own.edge][own.edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            stage(own, a_tile, a, row, k0);
            stage(own, b_tile, b, k0, col);
            team.team_barrier();
            for (int k = 0; k < Tile; ++k) {
              for (int i = 0; i < own.edge; ++i) {
                for (int j = 0; j < own.edge; ++j) sum[i][j] += a_tile(own.row + i, k) * b_tile(k, own.column + j);
              }
            }
            team.team_barrier();
          }
          int const rows = inside(row + own.row, own.edge, tiling.rows);
          int const cols = inside(col + own.column, own.edge, tiling.columns);
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) c(row + own.row + i, col + own.column + j) = sum[i][j];
          }
        });
  }
};

}  // namespace tilestride
