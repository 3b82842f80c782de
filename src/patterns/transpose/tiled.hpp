// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tile turns the corner in scratch: loads and stores of global memory are both contiguous. With Pad = 0 the lanes
// that read a column of the tile all hit one bank of a GPU's shared memory; padded.hpp shows the cure.

#include "patterns/scratch.hpp"
#include "patterns/transpose/transpose.hpp"

namespace tilestride {

template <int Pad>
struct TransposeThroughScratch {
  using Tiles = TransposeTiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return tile_team<Tile, Exec>(Tile * (Tile + Pad) * sizeof(T));
  }

  template <int Tile, class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    T const* const in = p.in.data();  // rows x cols
    T* const out = p.out.data();      // cols x rows
    std::int64_t const rows = p.rows, cols = p.cols;
    Tiling<Tile> const tiling{rows, cols};
    auto const policy = tile_policy<Tile, resident_tiles<Tile, T>>(p.exec, tiling.count(), shape<Tile, Exec, T>());
    using Member = typename std::decay_t<decltype(policy)>::member_type;
    Kokkos::parallel_for(
        "tilestride::transpose::tiled", policy, KOKKOS_LAMBDA(Member const& team) {
          constexpr int pitch = Tile + Pad;
          T* const tile = scratch_of<T>(team, Tile * pitch);
          std::int64_t const row = tiling.first_row(team.league_rank()), col = tiling.first_column(team.league_rank());
          std::int64_t const height = rows - row, width = cols - col;
          T const* const from = in + row * cols + col;
          T* to = out + col * rows + row;
          if constexpr (is_host<Exec>) {
            for (int r = 0; r < Tile && r < height; ++r) {
              for (int c = 0; c < Tile && c < width; ++c) tile[r * pitch + c] = from[r * cols + c];
            }
            for (int c = 0; c < Tile && c < width; ++c) {
              for (int r = 0; r < Tile && r < height; ++r) to[c * rows + r] = tile[r * pitch + c];
            }
          } else {
            using Mine = Strip<Tile>;
            Mine const mine(team.team_rank());
            T held[Mine::length];
            mine.load(from, cols, height, width, held);
            for (int i = 0; i < Mine::length; ++i) tile[(mine.row + i * Mine::step) * pitch + mine.column] = held[i];
            team.team_barrier();
            int const left = mine.left_of(width, height);
            to += mine.row * rows + mine.column;
            for (int i = 0; i < Mine::length; ++i) {
              if (i * Mine::step < left) *to = tile[mine.column * pitch + mine.row + i * Mine::step];
              to += Mine::step * rows;
            }
          }
        });
  }
};

using Tiled = TransposeThroughScratch<0>;

}  // namespace tilestride
