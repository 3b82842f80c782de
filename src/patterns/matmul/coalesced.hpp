// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tile of A is staged in scratch, so that each of its elements is loaded once a team, contiguously; B still comes
// from global memory. Every warp reads only rows that it brought itself, but teams have no barrier smaller than their
// own.

#include "patterns/matmul/tile.hpp"

namespace tilestride {

struct Coalesced {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(ScratchTile<Tile, Tile, Exec, T>::shmem_size());
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
        "tilestride::matmul::coalesced", policy, KOKKOS_LAMBDA(Member const& team) {
          ScratchTile<Tile, Tile, Exec, T> const a_tile(team.team_scratch(0));
          Share<Tile, Exec> const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank()) + own.column;
          int const rows = inside(row + own.row, own.edge, tiling.rows);
          int const cols = inside(col, own.edge, tiling.columns);

          T sum[own.edge][own.edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            stage(own, a_tile, a, row, k0);
            team.team_barrier();
            if (cols > 0) {
              int const ks = inside(k0, Tile, depth);
              for (int k = 0; k < ks; ++k) {
                for (int i = 0; i < own.edge; ++i) {
                  for (int j = 0; j < (own.edge == 1 ? 1 : cols); ++j)
                    sum[i][j] += a_tile(own.row + i, k) * b(k0 + k, col + j);
                }
              }
            }
            team.team_barrier();
          }
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) c(row + own.row + i, col + j) = sum[i][j];
          }
        });
  }
};

}  // namespace tilestride
