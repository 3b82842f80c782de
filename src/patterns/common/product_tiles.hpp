// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tutorials' layout of a product: one team per tile of C, one thread per element. Where teams have a single thread
// (hosts) that thread owns the whole tile, and the loops over what it owns are what its vector unit works on.

#include "patterns/common/pack.hpp"
#include "patterns/common/tiles.hpp"

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
  using Bounds = typename Traits<Exec>::template Bounds<Tile * Tile, 0>;
  return Kokkos::TeamPolicy<Exec, Bounds>(exec, static_cast<int>(tiling.count()), shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(shape.scratch));
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

/// sum += a_tile · b_tile for the elements that a thread owns; a_tile is an aligned one.
template <int Tile, class Exec, class TileOfA, class TileOfB, class T, int edge>
KOKKOS_FORCEINLINE_FUNCTION void multiply_tiles(Share<Tile, Exec> const& own, TileOfA const& a_tile,
                                                TileOfB const& b_tile, T (&sum)[edge][edge]) {
  for (int k = 0; k < Tile; k += Pack<T>::size) {
    for (int i = 0; i < edge; ++i) {
      Pack<T> const x = pack_at(a_tile, own.row + i, k);
      for (int s = 0; s < Pack<T>::size; ++s) {
        for (int j = 0; j < edge; ++j) sum[i][j] += x.v[s] * b_tile(k + s, own.column + j);
      }
    }
  }
}

/// Stores what a thread owns of the tile of C that begins at (row, col).
template <int Tile, class Exec, class T, int edge, class C>
KOKKOS_FORCEINLINE_FUNCTION void store_sums(Share<Tile, Exec> const& own, T const (&sum)[edge][edge],
                                            Tiling<Tile> const& tiling, std::int64_t row, std::int64_t col,
                                            C const& c) {
  own.for_each([&](int i, int j) {
    if (tiling.contains(row + i, col + j)) c(row + i, col + j) = sum[i - own.row][j - own.column];
  });
}

}  // namespace tilestride
