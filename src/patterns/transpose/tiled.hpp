// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A tile is transposed through scratch: loads and stores of global memory are both contiguous. With Pad = 0 the lanes
// that read a column of the tile all hit one bank of a GPU's shared memory; padded.hpp shows the cure.

#include "patterns/common/scratch.hpp"
#include "patterns/transpose/problem.hpp"

namespace tilestride::transpose {

template <int Pad>
struct ThroughScratch {
  static constexpr bool through_scratch = true;
  using Tiles = transpose::Tiles;

  template <int Tile, class Exec, class T>
  static constexpr TeamShape shape() {
    return tile_team<Tile, Exec>(Tile * (Tile + Pad) * sizeof(T));
  }

  template <int Tile, class Exec, class T>
  static void run(Transpose<Exec, T> const& p) {
    p.marked ? launch<Tile, true>(p) : launch<Tile, false>(p);
  }

  template <int Tile, bool marked, class Exec, class T>
  static void launch(Transpose<Exec, T> const& p) {
    Tiling<Tile> const tiling{p.rows, p.cols};
    constexpr TeamShape layout = shape<Tile, Exec, T>();
    auto const policy =
        tile_policy<Tile, resident_tiles<Tile, Exec, T>(layout.scratch)>(p.exec, tiling.count(), layout);
    Kokkos::parallel_for("tilestride::transpose::tiled", policy,
                         Turn<Tile, marked, Exec, T>{p.in.data(), p.out.data(), p.rows, p.cols});
  }

  template <int Tile, bool marked, class Exec, class T>
  struct Turn {
    T const* in;  ///< rows x cols
    T* out;       ///< cols x rows
    std::int64_t rows, cols;

    static constexpr int pitch = Tile + Pad;
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

    KOKKOS_FUNCTION void operator()(Member const& team) const {
      T* const tile = scratch_of<T>(team, Tile * pitch);
      Tiling<Tile> const tiling{rows, cols};
      std::int64_t const row = tiling.first_row(team.league_rank()), col = tiling.first_column(team.league_rank());
      if constexpr (is_host<Exec>)
        turn_on_host(tile, row, col);
      else
        turn_on_device(team, tile, row, col);
    }

    KOKKOS_FUNCTION static void mark(T* tile, int row, int column) {
      tile[row * pitch + column] *= mark_of<T>(row * Tile + column);
    }

    /// Each thread loads a strip of the tile and stores another.
    KOKKOS_FORCEINLINE_FUNCTION void turn_on_device(Member const& team, T* tile, std::int64_t row,
                                                    std::int64_t col) const {
      using Mine = Strip<Tile, Exec>;
      Mine const mine(team.team_rank());
      T held[Mine::length];
      mine.load(in + row * cols + col, cols, rows - row, cols - col, held);
      for (int i = 0; i < Mine::length; ++i) tile[(mine.row + i * Mine::step) * pitch + mine.column] = held[i];
      team.team_barrier();
      if constexpr (marked) {
        for (int i = 0; i < Mine::length; ++i) mark(tile, mine.row + i * Mine::step, mine.column);
        team.team_barrier();
      }
      int const left = mine.left_of(cols - col, rows - row);
      T* to = out + col * rows + row;
      to += mine.row * rows + mine.column;
      for (int i = 0; i < Mine::length; ++i) {
        if (i * Mine::step < left) *to = tile[mine.column * pitch + mine.row + i * Mine::step];
        to += Mine::step * rows;
      }
    }

    /// One thread has the whole tile.
    KOKKOS_FORCEINLINE_FUNCTION void turn_on_host(T* tile, std::int64_t row, std::int64_t col) const {
      std::int64_t const height = rows - row, width = cols - col;
      T const* const from = in + row * cols + col;
      T* const to = out + col * rows + row;
      for (int r = 0; r < Tile && r < height; ++r) {
        for (int c = 0; c < Tile && c < width; ++c) tile[r * pitch + c] = from[r * cols + c];
      }
      if constexpr (marked) {
        for (int r = 0; r < Tile && r < height; ++r) {
          for (int c = 0; c < Tile && c < width; ++c) mark(tile, r, c);
        }
      }
      for (int c = 0; c < Tile && c < width; ++c) {
        for (int r = 0; r < Tile && r < height; ++r) to[c * rows + r] = tile[r * pitch + c];
      }
    }
  };
};

using Tiled = ThroughScratch<0>;

}  // namespace tilestride::transpose
