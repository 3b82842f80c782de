// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tile turns the corner in scratch: loads and stores of global memory are both contiguous. With Pad = 0 the lanes
// that read a column of the tile all hit one bank of a GPU's shared memory; padded.hpp shows the cure.

#include "patterns/transpose/transpose.hpp"

namespace tilestride {

template <int Pad>
struct TransposeThroughScratch {
  using Tiles = TransposeTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return tile_team<Tile, Exec>(ScratchTile<Tile, Tile + Pad, Exec, T>::shmem_size());
  }

  template <int Tile, class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    auto const in = p.in;    // (rows, cols)
    auto const out = p.out;  // (cols, rows)
    Tiling<Tile> const tiling{p.rows, p.cols};
    auto const policy = tile_policy<Tile, resident_tiles<Tile, T>>(p.exec, tiling.count(), shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::transpose::tiled", policy, KOKKOS_LAMBDA(Member const& team) {
          ScratchTile<Tile, Tile + Pad, Exec, T> const tile(team.team_scratch(0));
          std::int64_t const row = tiling.first_row(team.league_rank());
          std::int64_t const col = tiling.first_column(team.league_rank());

          move_tile<Tile, Exec>(
              team, [&](int r, int c) { return tiling.contains(row + r, col + c) ? in(row + r, col + c) : T{}; },
              [&](int r, int c, T x) { tile(r, c) = x; });
          team.team_barrier();
          move_tile<Tile, Exec>(
              team, [&](int c, int r) { return tile(r, c); },
              [&](int c, int r, T x) {
                if (tiling.contains(row + r, col + c)) out(col + c, row + r) = x;
              });
        });
  }
};

using Tiled = TransposeThroughScratch<0>;

}  // namespace tilestride
