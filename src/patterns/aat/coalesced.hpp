// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two tiles of A are staged in scratch, both loaded along rows of A. The second is turned while it is stored, so that
// lanes read along its rows; with Pad = 0 the lanes of that store all hit the same few banks of a GPU's shared memory.
// padded.hpp shows the cure.

#include "patterns/aat/aat.hpp"
#include "patterns/product_tiles.hpp"

namespace tilestride {

template <int Pad>
struct AatThroughScratch {
  using Tiles = ProductTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return product_team<Tile, Exec>(aligned_tile_size<Tile, T> + ScratchTile<Tile, Tile + Pad, Exec, T>::shmem_size());
  }

  template <int Tile, class Exec, class T>
  static void run(Aat<Exec, T> const& p) {
    auto const a = p.a;  // (M, K)
    auto const c = p.c;  // (M, M)
    std::int64_t const depth = p.k;
    Tiling<Tile> const tiling{p.m, p.m};
    auto const policy = product_policy(p.exec, tiling, shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        Pad == 0 ? "tilestride::aat::coalesced" : "tilestride::aat::padded", policy, KOKKOS_LAMBDA(Member const& team) {
          auto const rows_tile = aligned_tile<Tile, Exec, T>(team);                         // (Tile, Tile): i, k
          ScratchTile<Tile, Tile + Pad, Exec, T> const columns_tile(team.team_scratch(0));  // (Tile, Tile): k, j
          Share<Tile, Exec> const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          T sum[own.edge][own.edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            own.for_each([&](int i, int k) {  // both loads are under way before the first store
              T const x = zero_outside(a, row + i, k0 + k);
              T const y = zero_outside(a, col + i, k0 + k);
              rows_tile(i, k) = x;
              columns_tile(k, i) = y;
            });
            team.team_barrier();
            for (int k = 0; k < Tile; k += Pack<T>::size) {
              for (int i = 0; i < own.edge; ++i) {
                Pack<T> const x = pack_at(rows_tile, own.row + i, k);
                for (int s = 0; s < Pack<T>::size; ++s) {
                  for (int j = 0; j < own.edge; ++j) sum[i][j] += x.v[s] * columns_tile(k + s, own.column + j);
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

using AatCoalesced = AatThroughScratch<0>;

}  // namespace tilestride
