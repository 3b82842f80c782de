// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Tiles of A and B are both staged in scratch: each element is loaded from global memory once a team, and used Tile
// times. The wavefronts of scratch that a multiply-add needs are then the limit, which blocked kernels lift by holding
// more in registers.

#include "patterns/matmul/matmul.hpp"
#include "patterns/product_tiles.hpp"

namespace tilestride {

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
          Share<Tile, Exec> const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          T sum[own.edge][own.edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            own.for_each([&](int i, int j) {  // both loads are under way before the first store
              T const x = zero_outside(a, row + i, k0 + j);
              T const y = zero_outside(b, k0 + i, col + j);
              a_tile(i, j) = x;
              b_tile(i, j) = y;
            });
            team.team_barrier();
            for (int k = 0; k < Tile; k += Pack<T>::size) {
              for (int i = 0; i < own.edge; ++i) {
                Pack<T> const x = pack_at(a_tile, own.row + i, k);
                for (int s = 0; s < Pack<T>::size; ++s) {
                  for (int j = 0; j < own.edge; ++j) sum[i][j] += x.v[s] * b_tile(k + s, own.column + j);
                }
              }
            }
            team.team_barrier();
          }
          own.for_each([&](int i, int j) {
            if (tiling.contains(row + i, col + j)) c(row + i, col + j) = sum[i - own.row][j - own.column];
          });
        });
  }
};

}  // namespace tilestride
