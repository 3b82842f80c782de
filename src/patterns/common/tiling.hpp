// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a matrix is cut into tiles, for portable kernels and for those in raw CUDA.

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <utility>

namespace tilestride {

/// The tiles of a rows x columns matrix, counted row by row; those at the edges are partly outside.
template <int Tile>
struct Tiling {
  std::int64_t rows, columns;

  KOKKOS_FUNCTION std::int64_t across() const { return (columns + Tile - 1) / Tile; }
  KOKKOS_FUNCTION std::int64_t count() const { return (rows + Tile - 1) / Tile * across(); }
  // Divisions of 64 bits take a device some hundred cycles.
  KOKKOS_FUNCTION std::int64_t first_row(int tile) const {
    return static_cast<std::int64_t>(tile / static_cast<int>(across())) * Tile;
  }
  KOKKOS_FUNCTION std::int64_t first_column(int tile) const {
    return static_cast<std::int64_t>(tile % static_cast<int>(across())) * Tile;
  }
  KOKKOS_FUNCTION bool contains(std::int64_t row, std::int64_t column) const { return row < rows && column < columns; }
};

/// Threads of a team for one tile on a device that runs `warp` threads in step: each has eight elements of it where the
/// tile is large enough, so that as many loads are in flight, and no team more than 256, so that several fit a
/// multiprocessor.
template <int Tile, int warp>
constexpr int tile_threads = Tile* Tile / 8 < warp  ? warp
                             : Tile* Tile / 8 > 256 ? 256
                                                    : Tile* Tile / 8;

/// The edges of a tile of a product that are built in.
using ProductTiles = std::integer_sequence<int, 8, 16, 32>;

}  // namespace tilestride
