// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tutorial's layout of a product: one team a tile of C, one thread an element. Where teams have a single thread
// (hosts) that thread owns the whole tile, and the loops over what it owns are what its vector unit works on.

#include "patterns/matmul/matmul.hpp"

namespace tilestride {

using ProductTiles = std::integer_sequence<int, 8, 16, 32>;

/// The rows and columns of its tile that one thread owns: `edge` x `edge` elements from (row, column) on.
template <int Tile, class Exec>
struct Share {
  static constexpr int edge = is_host<Exec> ? Tile : 1;
  int row, column;

  KOKKOS_FUNCTION explicit Share(int thread)
      : row(edge == 1 ? thread / Tile : 0), column(edge == 1 ? thread % Tile : 0) {}
};

/// What `edge` elements become at the border of a matrix: as many as are inside, none when the first is outside
/// already.
KOKKOS_INLINE_FUNCTION int inside(std::int64_t first, int edge, std::int64_t extent) {
  std::int64_t const left = extent - first;
  return left <= 0 ? 0 : left < edge ? static_cast<int>(left) : edge;
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

/// tile = the Tile x Tile elements of `from` at (row, column), zero outside; each thread brings its share.
template <int Tile, class Exec, class Tile2, class From>
KOKKOS_INLINE_FUNCTION void stage(Share<Tile, Exec> const& own, Tile2 const& tile, From const& from, std::int64_t row,
                                  std::int64_t column) {
  auto const rows = static_cast<std::int64_t>(from.extent(0));
  auto const columns = static_cast<std::int64_t>(from.extent(1));
  for (int r = own.row; r < own.row + own.edge; ++r) {
    for (int c = own.column; c < own.column + own.edge; ++c)
      tile(r, c) =
          row + r < rows && column + c < columns ? from(row + r, column + c) : typename From::non_const_value_type{};
  }
}

}  // namespace tilestride
