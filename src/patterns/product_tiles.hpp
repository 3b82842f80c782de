// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tutorials' layout of a product: one team a tile of C, one thread an element. Where teams have a single thread
// (hosts) that thread owns the whole tile, and the loops over what it owns are what its vector unit works on.

#include "patterns/pack.hpp"
#include "patterns/tiles.hpp"

namespace tilestride {

/// The rows and columns of its tile that one thread owns: `edge` x `edge` elements from (row, column) on.
template <int Tile, class Exec>
struct Share {
  static constexpr int edge = is_host<Exec> ? Tile : 1;
  int row, column;

  KOKKOS_FUNCTION explicit Share(int thread)
      : row(edge == 1 ? thread / Tile : 0), column(edge == 1 ? thread % Tile : 0) {}

  /// body(row, column) for each element that the thread owns.
  template <class Body>
  KOKKOS_FUNCTION void for_each(Body const& body) const {
    for (int r = row; r < row + edge; ++r) {
      for (int c = column; c < column + edge; ++c) body(r, c);
    }
  }
};

/// What `edge` elements become at the border of a matrix: as many as are inside, none when the first is outside
/// already.
KOKKOS_INLINE_FUNCTION int inside(std::int64_t first, int edge, std::int64_t extent) {
  std::int64_t const left = extent - first;
  return left <= 0 ? 0 : left < edge ? static_cast<int>(left) : edge;
}

/// Element (row, column) of a matrix, zero outside of it.
template <class From>
KOKKOS_INLINE_FUNCTION typename From::non_const_value_type zero_outside(From const& from, std::int64_t row,
                                                                        std::int64_t column) {
  bool const is_inside =
      row < static_cast<std::int64_t>(from.extent(0)) && column < static_cast<std::int64_t>(from.extent(1));
  return is_inside ? from(row, column) : 0;
}

template <int Tile, class Exec>
constexpr TeamShape product_team(std::size_t scratch) {
  return team_shape<Exec>(Tile * Tile, 1, scratch);
}

template <int Tile, class Exec>
auto product_policy(Exec const& exec, Tiling<Tile> const& tiling, TeamShape const& shape) {
  return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Tile * Tile>>(exec, static_cast<int>(tiling.count()),
                                                                     shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

/// Scratch for one aligned_tile.
template <int Tile, class T>
constexpr std::size_t aligned_tile_size = Tile* Tile * sizeof(T) + 16;

/// A tile in scratch that begins at a multiple of 16 bytes: a View that finds its own place begins at one of 8.
template <int Tile, class Exec, class T, class Member>
KOKKOS_INLINE_FUNCTION ScratchTile<Tile, Tile, Exec, T> aligned_tile(Member const& team) {
  return ScratchTile<Tile, Tile, Exec, T>(
      static_cast<T*>(team.team_scratch(0).get_shmem_aligned(Tile * Tile * int(sizeof(T)), 16)));
}

/// The elements of an aligned tile from (row, column) on, loaded at once: half the wavefronts that they cost one by
/// one where all lanes ask for the same (f32), and a quarter of the instructions. In raw CUDA the compiler does so by
/// itself, since it places the tile.
template <class Tile>
KOKKOS_INLINE_FUNCTION auto pack_at(Tile const& tile, int row, int column) {
  return *reinterpret_cast<Pack<typename Tile::value_type> const*>(&tile(row, column));
}

}  // namespace tilestride
