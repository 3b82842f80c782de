// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks as a grid, and which of them owns which slice of the depth. No Kokkos here.

#include <cstdint>
#include <numeric>

namespace tilestride::summa {

/// As square as the number of ranks allows, row by row.
struct Grid {
  int rows, columns;

  static Grid of(int ranks) {
    int rows = 1;
    for (int r = 1; r * r <= ranks; ++r) {
      if (ranks % r == 0) rows = r;
    }
    return {rows, ranks / rows};
  }
  int row(int rank) const { return rank / columns; }
  int column(int rank) const { return rank % columns; }
  int rank(int row, int column) const { return row * columns + column; }

  /// The depth is cut into so many slices, or a multiple of it: each then has one owner in a row and one in a column.
  int slices() const { return std::lcm(rows, columns); }
};

/// The slices of one product, in their order.
struct Slices {
  Grid grid;
  std::int64_t n;      ///< depth
  std::int64_t count;  ///< a multiple of Grid::slices()

  std::int64_t width() const { return n / count; }
  int owning_column(std::int64_t slice) const { return static_cast<int>(slice / (count / grid.columns)); }
  int owning_row(std::int64_t slice) const { return static_cast<int>(slice / (count / grid.rows)); }
};

}  // namespace tilestride::summa
