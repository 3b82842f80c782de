// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Two tiles of A are staged in scratch, both loaded along rows of A. The second is turned while it is stored, so that
// lanes read along its rows; with Pad = 0 the lanes of that store all hit the same few banks of a GPU's shared memory.
// padded.hpp shows the cure.

#include "patterns/aat/problem.hpp"
#include "patterns/common/product_tiles.hpp"

namespace tilestride::aat {

template <int Pad>
struct ThroughScratch {
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
          using Own = Share<Tile, Exec>;
          Own const own(team.team_rank());
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          T sum[Own::edge][Own::edge] = {};
          for (std::int64_t k0 = 0; k0 < depth; k0 += Tile) {
            own.for_each([&](int i, int k) {  // both loads are under way before the first store
              T const x = zero_outside(a, row + i, k0 + k);
              T const y = zero_outside(a, col + i, k0 + k);
              rows_tile(i, k) = x;
              columns_tile(k, i) = y;
            });
            team.team_barrier();
            multiply_tiles(own, rows_tile, columns_tile, sum);
            team.team_barrier();
          }
          store_sums(own, sum, tiling, row, col, c);
        });
  }
};

using Coalesced = ThroughScratch<0>;

}  // namespace tilestride::aat
